// The OpenAI Responses protocol (POST /v1/responses), streamed and not.
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

type Item =
  | { type: 'message'; text: string; refusal?: true }
  | { type: 'function_call'; name: string; text: string }

export const openaiResponses: Protocol = {
  basePath: '/v1',
  matches: (path) => path === '/v1/responses',
  read: (_path, body) => {
    const input = asArray(body.input)
    const system = input.filter((item) => item.role === 'system' || item.role === 'developer')
    return {
      model: String(body.model),
      system: [
        ...(typeof body.instructions === 'string' ? [body.instructions] : []),
        ...system.map((item) =>
          typeof item.content === 'string' ? item.content : collectTexts(item).join('\n'),
        ),
      ].join('\n'),
      text: collectTexts(input.filter((item) => !system.includes(item))).join('\n'),
      tools: asArray(body.tools).map((tool) => String(tool.name)),
      toolChoice:
        body.tool_choice === 'none'
          ? 'none'
          : body.tool_choice === 'required'
            ? 'required'
            : 'auto',
      toolResults: input
        .filter((item) => item.type === 'function_call_output')
        .map((item) =>
          typeof item.output === 'string' ? item.output : collectTexts(item.output).join('\n'),
        ),
      jsonMode: asRecord(asRecord(body.text).format).type === 'json_schema' ? 'schema' : null,
      stream: body.stream === true,
    }
  },
  write: (request, content, usage) => {
    const items = toItems(content)
    const outputs = items.map((item, at) => toOutput(item, request.number, at))
    const status = 'length' in content ? 'incomplete' : 'completed'
    const base = {
      id: `resp_${request.number}`,
      object: 'response',
      created_at: 1_700_000_000,
      model: request.model,
    }
    const response = {
      ...base,
      status,
      error: null,
      incomplete_details: 'length' in content ? { reason: 'max_output_tokens' } : null,
      output: outputs,
      usage: usageOf(usage),
    }
    if (!request.stream) return JSON.stringify(response)
    const events: { type: string }[] = [
      { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
      ...items.flatMap((item, at) => itemEvents(item, outputs[at]!, at)),
      'errorAfter200' in content
        ? {
            type: 'response.failed',
            response: {
              ...base,
              status: 'failed',
              error: { code: content.errorAfter200.type, message: content.errorAfter200.message },
            },
          }
        : { type: `response.${status}`, response },
    ].map((event, sequence_number) => ({ ...event, sequence_number }))
    return toServerSentEvents(events.map((data) => ({ event: data.type, data })))
  },
  writeError: (status, message) => ({
    error: { message, type: errorType(status), param: null, code: errorType(status) },
  }),
}

function toItems(content: Content): Item[] {
  if ('toolCalls' in content)
    return [
      ...(content.text ? [{ type: 'message' as const, text: content.text }] : []),
      ...content.toolCalls.map(({ name, input }) => ({
        type: 'function_call' as const,
        name,
        text: JSON.stringify(input),
      })),
    ]
  if ('empty' in content) return []
  if ('json' in content) return [{ type: 'message', text: JSON.stringify(content.json) }]
  if ('refusal' in content) return [{ type: 'message', text: content.refusal, refusal: true }]
  if ('length' in content) return [{ type: 'message', text: content.length }]
  return [{ type: 'message', text: 'text' in content ? content.text : 'I begin' }]
}

function toOutput(
  item: Item,
  number: number,
  at: number,
): Record<string, unknown> & { id: string } {
  const id = `${item.type === 'message' ? 'msg' : 'fc'}_${number}_${at}`
  if (item.type === 'function_call')
    return {
      type: 'function_call',
      id,
      call_id: `call_${number}_${at}`,
      name: item.name,
      arguments: item.text,
      status: 'completed',
    }
  const part = item.refusal
    ? { type: 'refusal', refusal: item.text }
    : { type: 'output_text', text: item.text, annotations: [] }
  return { type: 'message', id, role: 'assistant', status: 'completed', content: [part] }
}

function itemEvents(
  item: Item,
  output: Record<string, unknown> & { id: string },
  output_index: number,
) {
  const place = { item_id: output.id, output_index }
  const text = { ...place, content_index: 0 }
  const started =
    item.type === 'message' ? { ...output, content: [] } : { ...output, arguments: '' }
  const kind =
    item.type === 'function_call'
      ? 'function_call_arguments.delta'
      : item.refusal
        ? 'refusal.delta'
        : 'output_text.delta'
  const end =
    item.type === 'function_call'
      ? [{ type: 'response.function_call_arguments.done', ...place, arguments: item.text }]
      : item.refusal
        ? [{ type: 'response.refusal.done', ...text, refusal: item.text }]
        : []
  return [
    { type: 'response.output_item.added', output_index, item: started },
    ...splitText(item.text).map((delta) => ({ type: `response.${kind}`, ...text, delta })),
    ...end,
    { type: 'response.output_item.done', output_index, item: output },
  ]
}

function usageOf({ input, cached, output }: Usage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}

function errorType(status: number): string {
  const types: Record<number, string> = {
    401: 'invalid_api_key',
    404: 'model_not_found',
    429: 'rate_limit_exceeded',
  }
  return types[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
}
