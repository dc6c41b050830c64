// The context window of self-hosted models, and models at the addresses of cloud providers.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createModels, createUnlimitedBudget } from '../src/models/index.ts'
import { type ModelServer, startModelServer } from './fakes/models/model-server.ts'
import { type LocalTestRepository, makeLocalRepository } from './local-test-repository.ts'

const model = 'qwen3-coder:30b'
const never = new AbortController().signal

let repository: LocalTestRepository
beforeEach(async () => {
  repository = await makeLocalRepository()
})
afterEach(() => repository[Symbol.asyncDispose]())

function startServer(
  program: 'vllm' | 'llama.cpp' | 'ollama',
  tokens: number,
): Promise<ModelServer> {
  return startModelServer({
    protocol: 'openai-chat',
    script: () => ({ json: { summary: '', findings: [] } }),
    window: { program, model, tokens },
  })
}

async function reviewLargeChange(server: ModelServer) {
  await repository.commit()
  const line = (index: number) => `export const value${index} = compute('some text', ${index})\n`
  await repository.write({ 'a.ts': Array.from({ length: 600 }, (_, at) => line(at)).join('') })
  return repository.review(['--format', 'json'], {
    env: { MODEL: `compatible:${model}`, MODEL_BASE_URL: server.url },
  })
}

describe.each(['vllm', 'llama.cpp', 'ollama'] as const)('a server of %s', (program) => {
  it('gets no longer rounds than fit its model, and room for the answer', async () => {
    await using server = await startServer(program, 16_000)
    expect((await reviewLargeChange(server)).code).toBe(0)
    const lengths = server.requests.map(({ text }) => text.length)
    expect(lengths.length).toBeGreaterThan(1)
    // A token has about four characters.
    expect(Math.max(...lengths) / 4).toBeLessThan(12_000)
    const outputs = server.requests.map(({ body }) => body.max_tokens ?? body.max_completion_tokens)
    expect(new Set(outputs)).toEqual(new Set([4_000]))
  })
})

it('sends whole rounds to a server that says nothing of its window', async () => {
  await using server = await startModelServer({
    protocol: 'openai-chat',
    script: () => ({ json: { summary: '', findings: [] } }),
  })
  expect((await reviewLargeChange(server)).code).toBe(0)
  expect(server.requests).toHaveLength(1)
})

it('does not end the question of one review when another one is aborted', async () => {
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<() => void>()
  const server = createServer((_request, response) => {
    onAsked(() => response.end(JSON.stringify({ data: [{ id: model, max_model_len: 8_000 }] })))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}/v1`
  const { main } = createModels({
    main: { provider: 'compatible', id: model, apiKey: null, baseUrl },
    fast: null,
  })
  const first = new AbortController()
  const aborted = main!.readContextWindow(first.signal).catch((error: Error) => error.message)
  const other = main!.readContextWindow(never)
  const answer = await asked
  first.abort(new Error('The first review ended'))
  expect(await aborted).toBe('The first review ended')
  answer()
  expect(await other).toBe(8_000)
  server.close()
})

it('case 48: reads no endless answer of a server about its window', async () => {
  const piece = 'x'.repeat(60_000)
  let sent = 0
  const server = createServer((_request, response) => {
    const pour = () => {
      do sent += piece.length
      while (response.write(piece))
      response.once('drain', pour)
    }
    pour()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}/v1`
  const { main } = createModels({
    main: { provider: 'compatible', id: model, apiKey: null, baseUrl },
    fast: null,
  })
  expect(await main!.readContextWindow(never)).toBe(null)
  // It is asked twice. What was sent and not read is in the buffers of the connection.
  expect(sent).toBeLessThan(64 * 1024 ** 2)
  server.closeAllConnections()
  server.close()
})

describe('models of cloud providers', () => {
  it.each([
    ['Azure OpenAI', 'openai', 'openai-responses', 'gpt-5.1', 'authorization', 'Bearer the-key'],
    [
      'Amazon Bedrock',
      'anthropic',
      'anthropic',
      'anthropic.claude-sonnet-4-5',
      'x-api-key',
      'the-key',
    ],
    ['Vertex AI', 'google', 'google', 'gemini-3-pro', 'x-goog-api-key', 'the-key'],
  ] as const)('%s gets its key, and its price is known', async (...row) => {
    const [, provider, protocol, id, header, value] = row
    await using server = await startModelServer({ protocol, script: () => ({ text: 'ready' }) })
    const { main } = createModels({
      main: { provider, id, apiKey: 'the-key', baseUrl: server.url },
      fast: null,
    })
    const limits = { steps: 1, outputTokens: 100, totalTokens: 1_000, timeMs: 10_000 }
    const budget = createUnlimitedBudget()
    const answer = await main!.generate({ system: 's', prompt: 'p', limits, budget }, never)
    expect(answer.text).toBe('ready')
    expect(server.requests[0]!.headers[header]).toBe(value)
    expect(main!.priced).toBe(true)
  })
})
