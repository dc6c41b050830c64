// The chat completions protocol (POST /v1/chat/completions), streamed and not.
import {
  asArray,
  asRecord,
  type Content,
  collectTexts,
  type Protocol,
  splitText,
  toServerSentEvents,
  type Usage,
} from './reply.ts'

export const openaiChat: Protocol = {
  basePath: '/v1',
  matches: (path) => path === '/v1/chat/completions',
  read: (_path, body) => {
    const messages = asArray(body.messages)
    const isSystem = (message: Record<string, unknown>) =>
      message.role === 'system' || message.role === 'developer'
    return {
      model: String(body.model),
      system: messages.filter(isSystem).map(textOf).join('\n'),
      text: messages
        .filter((message) => !isSystem(message))
        .map(textOf)
        .join('\n'),
      tools: asArray(body.tools).map((tool) => String(asRecord(tool.function).name)),
      toolChoice:
        body.tool_choice === 'none'
          ? 'none'
          : body.tool_choice === 'required'
            ? 'required'
            : 'auto',
      toolResults: messages.filter((message) => message.role === 'tool').map(textOf),
      jsonMode: asRecord(body.response_format).type === 'json_schema' ? 'schema' : null,
      stream: body.stream === true,
    }
  },
  write: (request, content, usage) => {
    const { text, refusal, calls, finish } = toMessage(content, request.number)
    const base = { id: `chatcmpl-${request.number}`, created: 1_700_000_000, model: request.model }
    if (!request.stream) {
      const message = {
        role: 'assistant',
        content: text === '' ? null : text,
        ...(refusal === null ? {} : { refusal }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      }
      const choices = [{ index: 0, message, finish_reason: finish }]
      return JSON.stringify({ ...base, object: 'chat.completion', choices, usage: usageOf(usage) })
    }
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      data: {
        ...base,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason }],
      },
    })
    const head = [
      chunk({ role: 'assistant' }),
      ...splitText(text).map((piece) => chunk({ content: piece })),
    ]
    if ('errorAfter200' in content)
      return toServerSentEvents([...head, { data: { error: content.errorAfter200 } }])
    return toServerSentEvents([
      ...head,
      ...(refusal === null ? [] : [chunk({ refusal })]),
      ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
      chunk({}, finish),
      { data: { ...base, object: 'chat.completion.chunk', choices: [], usage: usageOf(usage) } },
      { data: '[DONE]' },
    ])
  },
  writeError: (status, message) => ({
    error: {
      message,
      type: status >= 500 ? 'server_error' : 'invalid_request_error',
      code: null,
      param: null,
    },
  }),
}

function toMessage(content: Content, number: number) {
  const plain = { text: '', refusal: null as string | null, calls: [] as object[], finish: 'stop' }
  if ('text' in content && !('toolCalls' in content)) return { ...plain, text: content.text }
  if ('json' in content) return { ...plain, text: JSON.stringify(content.json) }
  if ('toolCalls' in content) {
    const calls = content.toolCalls.map(({ name, input }, at) => ({
      id: `call_${number}_${at}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }))
    return { ...plain, text: content.text ?? '', calls, finish: 'tool_calls' }
  }
  if ('refusal' in content) return { ...plain, refusal: content.refusal }
  if ('length' in content) return { ...plain, text: content.length, finish: 'length' }
  if ('empty' in content) return plain
  return { ...plain, text: 'I begin' }
}

function textOf(message: Record<string, unknown>): string {
  return typeof message.content === 'string'
    ? message.content
    : collectTexts(message.content).join('\n')
}

function usageOf({ input, cached, output }: Usage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  }
}
