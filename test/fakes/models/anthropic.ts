// The Anthropic Messages protocol (POST /v1/messages), streamed and not.
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

interface Block {
  readonly type: 'text' | 'tool_use'
  readonly text: string
  readonly name?: string
}

export const anthropic: Protocol = {
  basePath: '/v1',
  matches: (path) => path === '/v1/messages',
  read: (_path, body) => {
    const tools = asArray(body.tools).map((tool) => String(tool.name))
    const messages = asArray(body.messages)
    const blocks = messages.flatMap((message) => asArray(message.content))
    const choice = asRecord(body.tool_choice).type
    return {
      model: String(body.model),
      system: typeof body.system === 'string' ? body.system : collectTexts(body.system).join('\n'),
      text: collectTexts(messages).join('\n'),
      tools: tools.filter((name) => name !== 'json'),
      toolChoice:
        choice === 'none' ? 'none' : choice === 'any' || choice === 'tool' ? 'required' : 'auto',
      toolResults: blocks
        .filter((block) => block.type === 'tool_result')
        .map((block) => resultText(block.content)),
      jsonMode: tools.includes('json')
        ? 'json tool'
        : asRecord(body.output_config).format
          ? 'schema'
          : null,
      stream: body.stream === true,
    }
  },
  write: (request, content, usage) => {
    const { blocks, stop } = toBlocks(content, request.jsonMode === 'json tool')
    const message = {
      id: `msg_${request.number}`,
      type: 'message',
      role: 'assistant',
      model: request.model,
      stop_sequence: null,
    }
    const ids = (at: number) => `toolu_${request.number}_${at}`
    if (!request.stream)
      return JSON.stringify({
        ...message,
        content: blocks.map((block, at) =>
          block.type === 'text'
            ? { type: 'text', text: block.text }
            : { type: 'tool_use', id: ids(at), name: block.name, input: JSON.parse(block.text) },
        ),
        stop_reason: stop,
        usage: usageOf(usage),
      })
    const head = {
      event: 'message_start',
      data: {
        type: 'message_start',
        message: {
          ...message,
          content: [],
          stop_reason: null,
          usage: { ...usageOf(usage), output_tokens: 1 },
        },
      },
    }
    const body = blocks.flatMap((block, index) => blockEvents(block, index, ids(index)))
    if ('errorAfter200' in content)
      return toServerSentEvents([
        head,
        ...body,
        { event: 'error', data: { type: 'error', error: content.errorAfter200 } },
      ])
    return toServerSentEvents([
      head,
      { event: 'ping', data: { type: 'ping' } },
      ...body,
      {
        event: 'message_delta',
        data: {
          type: 'message_delta',
          delta: { stop_reason: stop, stop_sequence: null },
          usage: { output_tokens: usage.output },
        },
      },
      { event: 'message_stop', data: { type: 'message_stop' } },
    ])
  },
  writeError: (status, message) => ({ type: 'error', error: { type: errorType(status), message } }),
}

function toBlocks(content: Content, throughTool: boolean): { blocks: Block[]; stop: string } {
  if ('json' in content && throughTool)
    return {
      blocks: [{ type: 'tool_use', name: 'json', text: JSON.stringify(content.json) }],
      stop: 'tool_use',
    }
  if ('json' in content) return { blocks: [text(JSON.stringify(content.json))], stop: 'end_turn' }
  if ('toolCalls' in content) {
    const calls = content.toolCalls.map(({ name, input }) => ({
      type: 'tool_use' as const,
      name,
      text: JSON.stringify(input),
    }))
    return { blocks: [...(content.text ? [text(content.text)] : []), ...calls], stop: 'tool_use' }
  }
  if ('refusal' in content)
    return { blocks: content.refusal ? [text(content.refusal)] : [], stop: 'refusal' }
  if ('length' in content) return { blocks: [text(content.length)], stop: 'max_tokens' }
  if ('empty' in content) return { blocks: [], stop: 'end_turn' }
  return { blocks: [text('text' in content ? content.text : 'I begin')], stop: 'end_turn' }
}

function text(content: string): Block {
  return { type: 'text', text: content }
}

function blockEvents(block: Block, index: number, id: string) {
  const start =
    block.type === 'text'
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id, name: block.name, input: {} }
  const deltas = splitText(block.text).map((piece) =>
    block.type === 'text'
      ? { type: 'text_delta', text: piece }
      : { type: 'input_json_delta', partial_json: piece },
  )
  return [
    {
      event: 'content_block_start',
      data: { type: 'content_block_start', index, content_block: start },
    },
    ...deltas.map((delta) => ({
      event: 'content_block_delta',
      data: { type: 'content_block_delta', index, delta },
    })),
    { event: 'content_block_stop', data: { type: 'content_block_stop', index } },
  ]
}

// In this protocol, cached tokens are not included in the input tokens.
function usageOf({ input, cached, output }: Usage) {
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  }
}

function resultText(content: unknown): string {
  return typeof content === 'string' ? content : collectTexts(content).join('\n')
}

function errorType(status: number): string {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  }
  return types[status] ?? 'api_error'
}
