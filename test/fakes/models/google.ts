// Google's protocol (POST /v1beta/models/<id>:generateContent and :streamGenerateContent).
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

export const google: Protocol = {
  basePath: '/v1beta',
  matches: (path) => /^\/v1beta\/models\/[^/]+:(stream)?generateContent$/i.test(path),
  read: (path, body) => {
    const contents = asArray(body.contents)
    const tools = asArray(body.tools).flatMap((tool) =>
      asArray(tool.functionDeclarations).map((f) => String(f.name)),
    )
    const mode = asRecord(asRecord(body.toolConfig).functionCallingConfig).mode
    const results = contents
      .flatMap((content) => asArray(content.parts))
      .filter((part) => part.functionResponse)
    return {
      model: /models\/([^/:]+):/.exec(path)?.[1] ?? '',
      system: collectTexts(body.systemInstruction).join('\n'),
      text: collectTexts(contents).join('\n'),
      tools: tools.filter((name) => name !== 'json'),
      toolChoice: mode === 'NONE' ? 'none' : mode === 'ANY' ? 'required' : 'auto',
      toolResults: results.map((part) =>
        resultText(asRecord(asRecord(part.functionResponse).response)),
      ),
      jsonMode: tools.includes('json')
        ? 'json tool'
        : hasSchema(asRecord(body.generationConfig))
          ? 'schema'
          : null,
      stream: path.includes(':stream'),
    }
  },
  write: (request, content, usage) => {
    const { parts, finish } = toParts(content, request.jsonMode === 'json tool')
    const chunk = (some: object[], finishReason?: string) => ({
      candidates: [
        {
          content: { role: 'model', parts: some },
          index: 0,
          ...(finishReason ? { finishReason } : {}),
        },
      ],
      usageMetadata: usageOf(usage),
      modelVersion: request.model,
    })
    if (!request.stream) return JSON.stringify(chunk(parts, finish))
    const chunks = parts.map((part) => ({ data: chunk([part]) }))
    if ('errorAfter200' in content)
      return toServerSentEvents([
        ...chunks,
        {
          data: {
            error: { code: 503, status: 'UNAVAILABLE', message: content.errorAfter200.message },
          },
        },
      ])
    return toServerSentEvents([...chunks, { data: chunk([], finish) }])
  },
  writeError: (status, message) => ({
    error: { code: status, message, status: errorStatus(status) },
  }),
}

function toParts(content: Content, throughTool: boolean): { parts: object[]; finish: string } {
  const textParts = (text: string) => splitText(text).map((piece) => ({ text: piece }))
  if ('json' in content)
    return throughTool
      ? { parts: [{ functionCall: { name: 'json', args: content.json } }], finish: 'STOP' }
      : { parts: textParts(JSON.stringify(content.json)), finish: 'STOP' }
  if ('toolCalls' in content) {
    const calls = content.toolCalls.map(({ name, input }) => ({
      functionCall: { name, args: input },
    }))
    return { parts: [...textParts(content.text ?? ''), ...calls], finish: 'STOP' }
  }
  if ('refusal' in content) return { parts: textParts(content.refusal), finish: 'SAFETY' }
  if ('length' in content) return { parts: textParts(content.length), finish: 'MAX_TOKENS' }
  if ('empty' in content) return { parts: [], finish: 'STOP' }
  return { parts: textParts('text' in content ? content.text : 'I begin'), finish: 'STOP' }
}

function hasSchema(config: Record<string, unknown>): boolean {
  return config.responseMimeType === 'application/json' || config.responseFormat !== undefined
}

function resultText(response: Record<string, unknown>): string {
  return typeof response.content === 'string' ? response.content : collectTexts(response).join('\n')
}

function usageOf({ input, cached, output }: Usage) {
  return {
    promptTokenCount: input,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
  }
}

function errorStatus(status: number): string {
  const names: Record<number, string> = {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    429: 'RESOURCE_EXHAUSTED',
    503: 'UNAVAILABLE',
  }
  return names[status] ?? 'INTERNAL'
}
