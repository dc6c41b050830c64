// Tests of models over HTTP: answers, tools, failures, limits and budget, for each protocol.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ModelError, UmpireError } from '../src/domain/errors.ts'
import {
  createLocalBudget,
  createModels,
  createUnlimitedBudget,
  type GenerateRequest,
  generateObject,
  type Model,
  type ModelConfig,
  type ModelsOptions,
  type ModelTool,
} from '../src/models/index.ts'
import { readConfig } from '../src/read-config.ts'
import {
  type ModelServer,
  type ProtocolName,
  type Reply,
  replyInOrder,
  type Script,
  startModelServer,
} from './fakes/models/model-server.ts'

const key = 'sk-test-0123456789abcdef'
const never = new AbortController().signal
const timing = { idleTimeoutMs: 10_000, backoffMs: 1, longestWaitMs: 20_000, retries: 2 }

interface Kind {
  readonly protocol: ProtocolName
  readonly provider: ModelConfig['provider']
  readonly id: string
}

const kinds: readonly Kind[] = [
  { protocol: 'anthropic', provider: 'anthropic', id: 'claude-sonnet-5-5' },
  { protocol: 'openai-responses', provider: 'openai', id: 'gpt-5.1' },
  { protocol: 'google', provider: 'google', id: 'gemini-3-pro-preview' },
  { protocol: 'openai-chat', provider: 'compatible', id: 'qwen3:30b' },
]
/** Models that accept a schema together with tools only as an extra tool. */
const olderKinds: readonly Kind[] = [
  { protocol: 'anthropic', provider: 'anthropic', id: 'claude-3-haiku-20240307' },
  { protocol: 'google', provider: 'google', id: 'gemini-2.5-flash' },
]
const anthropicKind = kinds[0]!

function choiceOf(kind: Kind, server: ModelServer): ModelConfig {
  return { provider: kind.provider, id: kind.id, apiKey: key, baseUrl: server.url }
}

async function start(kind: Kind, script: Script, more: Partial<ModelsOptions> = {}) {
  const server = await startModelServer({ protocol: kind.protocol, script })
  const models = createModels({
    main: choiceOf(kind, server),
    fast: null,
    ...more,
    timing: { ...timing, ...more.timing },
  })
  return { server, model: models.main!, [Symbol.asyncDispose]: server.close }
}

const output = z.object({ verdict: z.string(), notes: z.array(z.string()) })
/** A text so long that byte 2500 of its stream is in the middle. */
const long = { verdict: 'fine', notes: ['x'.repeat(4000)] }
const good = { verdict: 'fine', notes: ['one'] }

function ask(more: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    system: 'You are the system text.',
    prompt: 'This is the prompt.',
    output,
    limits: { steps: 6, outputTokens: 1000, totalTokens: 1_000_000, timeMs: 30_000 },
    budget: createUnlimitedBudget(),
    ...more,
  }
}

const lookUp: ModelTool = {
  name: 'look_up',
  description: 'Looks something up.',
  input: z.object({ word: z.string() }),
  run: async ({ word }) => {
    if (word === 'unknown') throw new UmpireError('not_found', 'There is no such word.')
    if (word === 'broken') throw new TypeError('inner detail')
    return `meaning of ${word}`
  },
}

async function failureOf(promise: Promise<unknown>): Promise<ModelError> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(ModelError)
  return error as ModelError
}

const generate = (model: Model, more: Partial<GenerateRequest> = {}) =>
  model.generate(ask(more), never)

describe.each([...kinds, ...olderKinds])('$provider $id', (kind) => {
  it('answers with the requested JSON and counts its usage', async () => {
    await using run = await start(kind, () => ({
      json: good,
      usage: { input: 2000, cached: 500, output: 30 },
    }))
    const answer = await generate(run.model)
    expect(answer).toMatchObject({ json: good, earlyEnd: null, truncated: false, toolCalls: [] })
    expect(answer.usage).toMatchObject({
      calls: 1,
      inputTokens: 2000,
      cachedInputTokens: 500,
      outputTokens: 30,
    })
    const [request] = run.server.requests
    expect(request).toMatchObject({ model: kind.id, stream: true })
    expect(request!.system).toContain('You are the system text.')
    expect(request!.text).toContain('This is the prompt.')
    expect(request!.jsonMode).not.toBeNull()
  })

  it('runs called tools, returns their results, and rejects unlisted tools', async () => {
    await using run = await start(kind, ({ number }) => {
      if (number === 1)
        return { toolCalls: [{ name: 'look_up', input: { word: 'umpire' } }], text: 'Let me see.' }
      if (number === 2)
        return {
          toolCalls: [
            { name: 'look_up', input: { word: 'unknown' } },
            { name: 'look_up', input: { word: 'broken' } },
            { name: 'look_up', input: { wrong: 1 } },
            { name: 'run_shell', input: { command: 'env' } },
          ],
        }
      return { json: good }
    })
    const answer = await generate(run.model, { tools: [lookUp] })
    expect(answer.json).toEqual(good)
    expect(answer.toolCalls).toEqual(['look_up', 'look_up', 'look_up'])
    const [first, second, third] = run.server.requests
    expect(first!.tools).toEqual(['look_up'])
    expect(second!.toolResults).toEqual(['meaning of umpire'])
    expect(third!.toolResults).toHaveLength(5)
    expect(third!.toolResults.slice(1, 3)).toEqual([
      'Error: There is no such word.',
      'Error: the tool failed.',
    ])
    expect(third!.toolResults.join()).not.toContain('inner detail')
    expect(answer.usage.calls).toBe(3)
  })

  it('case 48: forces an endless tool loop to answer in its last step', async () => {
    await using run = await start(kind, ({ toolChoice, jsonMode: demands, toolResults }) =>
      toolChoice === 'none' || (demands === 'json tool' && toolResults.length === 3)
        ? { json: good }
        : { toolCalls: [{ name: 'look_up', input: { word: 'again' } }] },
    )
    const answer = await generate(run.model, {
      tools: [lookUp],
      limits: { ...ask().limits, steps: 4 },
    })
    expect(answer).toMatchObject({ json: good, earlyEnd: 'steps' })
    expect(run.server.requests).toHaveLength(4)
  })
})

describe.each(kinds)('failures of $provider', (kind) => {
  const faults: readonly (readonly [string, Reply])[] = [
    ['a stream cut at its beginning', { json: good, cutAfterBytes: 100 }],
    ['a stream cut in the middle', { json: long, cutAfterBytes: 2500 }],
    ['a stream that ends at its beginning', { json: good, endAfterBytes: 100 }],
    ['a stream that ends in the middle', { json: long, endAfterBytes: 2500 }],
    [
      'a tool call cut in the middle',
      { toolCalls: [{ name: 'look_up', input: { word: 'x'.repeat(4000) } }], endAfterBytes: 2500 },
    ],
    [
      'an error event after status 200',
      { errorAfter200: { type: 'overloaded_error', message: 'Overloaded' } },
    ],
    ['an empty answer', { empty: true }],
    ['status 500', { status: 500 }],
    ['status 529', { status: 529 }],
    [
      'HTML instead of an answer',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
    ],
  ]

  it.each(faults)('case 46: retries %s and never treats it as an answer', async (_name, fault) => {
    await using once = await start(kind, replyInOrder(fault, { json: good }))
    expect((await generate(once.model)).json).toEqual(good)
    expect(once.server.requests).toHaveLength(2)

    await using always = await start(kind, () => fault)
    const failure = await failureOf(generate(always.model))
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true })
    expect(always.server.requests).toHaveLength(3)
  })

  it('case 46: treats a refusal as an error, not as an answer', async () => {
    await using run = await start(kind, () => ({ refusal: 'I cannot help with that.' }))
    expect((await failureOf(generate(run.model))).code).toBe('model_refused')
    expect(run.server.requests).toHaveLength(1)
  })

  it('case 46: marks an answer that ends at the output limit and returns its content', async () => {
    const text = '{"verdict": "fine", "notes": ["one", "two'
    await using run = await start(kind, () => ({ length: text }))
    const answer = await generate(run.model)
    expect(answer.truncated).toBe(true)
    expect(answer.json).toMatchObject({ verdict: 'fine' })
  })

  it('case 46: recognizes an input that is too long', async () => {
    await using run = await start(kind, () => ({
      status: 400,
      body: {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 250000 tokens' },
      },
    }))
    expect((await failureOf(generate(run.model))).code).toBe('model_context_overflow')
    expect(run.server.requests).toHaveLength(1)
  })

  it('case 47: waits out a short retry-after and passes a long one to the caller', async () => {
    const limited = (header: string) => ({ status: 429, headers: { 'retry-after': header } })
    await using soon = await start(kind, replyInOrder(limited('0.05'), { json: good }))
    expect((await generate(soon.model)).json).toEqual(good)

    await using later = await start(kind, () => limited('90'))
    const failure = await failureOf(generate(later.model))
    expect(failure).toMatchObject({
      code: 'model_rate_limited',
      retryAfterMs: 90_000,
      retryable: true,
    })
    expect(later.server.requests).toHaveLength(1)
  })

  it('case 47: fails at once for a rejected key and keeps the key out of messages', async () => {
    await using run = await start(kind, ({ body }) => ({
      status: 401,
      body: {
        type: 'error',
        error: {
          type: 'authentication_error',
          code: 401,
          status: 'UNAUTHENTICATED',
          message: `Incorrect API key provided: ${key}. See https://example.com/keys?k=${key} for ${String(body.model)}`,
        },
      },
    }))
    const failure = await failureOf(generate(run.model))
    expect(failure).toMatchObject({ code: 'model_unauthorized', retryable: false })
    expect(
      JSON.stringify([failure.message, failure.stack, failure.cause, { ...failure }]),
    ).not.toContain(key)
    expect(failure.message).not.toContain('https://')
    expect(run.server.requests).toHaveLength(1)
  })

  it('case 47: a 403 without a message fails one call, or all if a probe is refused', async () => {
    let blocked = (text: string) => text.includes('forbidden word')
    await using run = await start(kind, ({ text }) =>
      blocked(text) ? { status: 403, body: 'Forbidden' } : { json: good },
    )
    const failing = { prompt: 'This is a forbidden word.' }
    expect((await failureOf(generate(run.model, failing))).code).toBe('model_unauthorized')
    expect(run.model.isRefusing).toBe(false)
    expect((await generate(run.model)).json).toEqual(good)

    blocked = () => true
    expect((await failureOf(generate(run.model))).code).toBe('model_unauthorized')
    expect(run.model.isRefusing).toBe(true)
    const requestCount = run.server.requests.length
    expect((await failureOf(generate(run.model))).code).toBe('model_unauthorized')
    expect(run.server.requests).toHaveLength(requestCount)

    blocked = () => false
    expect(await run.model.probe(never)).toBe(true)
    expect((await generate(run.model)).json).toEqual(good)
  })

  it('case 47: sends no probe after a 403 that names the key', async () => {
    const error = { type: 'permission_error', message: 'Your key lacks a permission.' }
    await using run = await start(kind, () => ({ status: 403, body: { type: 'error', error } }))
    await failureOf(generate(run.model))
    await failureOf(generate(run.model))
    expect(run.server.requests).toHaveLength(1)
  })

  it('case 47: ends a silent connection before and within the answer', async () => {
    for (const fault of [{ hang: true } as const, { json: good, hangAfterBytes: 100 }]) {
      await using run = await start(kind, () => fault, {
        timing: { idleTimeoutMs: 60, retries: 0 },
      })
      const failure = await failureOf(generate(run.model))
      expect(failure).toMatchObject({ code: 'model_unavailable' })
      expect(failure.message).toContain('sent nothing for 0.06 s')
    }
  })

  it('treats an unknown model as a configuration error', async () => {
    await using run = await start(kind, () => ({ status: 404 }))
    expect((await failureOf(generate(run.model))).code).toBe('model_misconfigured')
    expect(run.server.requests).toHaveLength(1)
  })
})

describe('fallback', () => {
  it.each(kinds)(
    'case 47: uses the fallback model when $provider stays unavailable',
    async (kind) => {
      await using fast = await startModelServer({
        protocol: 'openai-chat',
        script: () => ({ json: good }),
      })
      await using run = await start(kind, () => ({ status: 529 }), {
        fast: { provider: 'compatible', id: 'small', apiKey: null, baseUrl: fast.url },
      })
      expect((await generate(run.model)).json).toEqual(good)
      expect(run.server.requests).toHaveLength(3)
      expect(fast.requests).toHaveLength(1)
      expect(fast.requests[0]!.headers.authorization).toBeUndefined()
    },
  )

  it('case 47: switches models in the middle of a tool loop without losing results', async () => {
    await using fast = await startModelServer({
      protocol: 'openai-responses',
      script: () => ({ json: good }),
    })
    const script: Script = ({ number }) =>
      number === 1
        ? { toolCalls: [{ name: 'look_up', input: { word: 'umpire' } }] }
        : { status: 503 }
    await using run = await start(anthropicKind, script, { fast: choiceOf(kinds[1]!, fast) })
    const answer = await generate(run.model, { tools: [lookUp] })
    expect(answer.json).toEqual(good)
    expect(fast.requests[0]!.toolResults).toEqual(['meaning of umpire'])
  })

  it('names the model that answered, stays with it, and prices each model separately', async () => {
    const look: Reply = { toolCalls: [{ name: 'look_up', input: { word: 'umpire' } }] }
    await using fast = await startModelServer({
      protocol: 'google',
      script: replyInOrder(look, { json: good }),
    })
    const script: Script = ({ number }) => (number === 1 ? look : { status: 503 })
    await using run = await start(anthropicKind, script, { fast: choiceOf(kinds[2]!, fast) })
    const budget = createUnlimitedBudget()
    const answer = await generate(run.model, { tools: [lookUp], budget })
    expect(answer).toMatchObject({
      json: good,
      answeredBy: ['anthropic:claude-sonnet-5-5', 'google:gemini-3-pro-preview'],
    })
    // The expected requests are one answer and three attempts of the second step by the main model.
    expect(run.server.requests).toHaveLength(4)
    expect(fast.requests).toHaveLength(2)
    expect(budget.uses).toMatchObject([
      { model: 'anthropic:claude-sonnet-5-5', usage: { calls: 1, costUsd: 0.003 } },
      { model: 'google:gemini-3-pro-preview', usage: { calls: 2, costUsd: 0.0064 } },
    ])
    expect(budget.usage).toMatchObject({ calls: 3 })
  })

  it('does not fall back for a rejected key', async () => {
    await using fast = await startModelServer({
      protocol: 'openai-chat',
      script: () => ({ json: good }),
    })
    await using run = await start(anthropicKind, () => ({ status: 401 }), {
      fast: { provider: 'compatible', id: 'small', apiKey: null, baseUrl: fast.url },
    })
    expect((await failureOf(generate(run.model))).code).toBe('model_unauthorized')
    expect(fast.requests).toHaveLength(0)
  })

  it('case 47: skips a fallback with a rejected key until the key is accepted again', async () => {
    let reply: Reply = { status: 401 }
    await using fast = await startModelServer({ protocol: 'openai-chat', script: () => reply })
    await using server = await startModelServer({
      protocol: 'anthropic',
      script: () => ({ status: 529 }),
    })
    const models = createModels({
      main: choiceOf(anthropicKind, server),
      fast: { provider: 'compatible', id: 'small', apiKey: null, baseUrl: fast.url },
      timing,
    })
    expect((await failureOf(generate(models.main!))).code).toBe('model_unavailable')
    expect(models.fast!.isRefusing).toBe(true)
    await failureOf(generate(models.main!))
    await failureOf(generate(models.fast!))
    expect(fast.requests).toHaveLength(1)

    reply = { json: good }
    expect(await models.fast!.probe(never)).toBe(true)
    expect((await generate(models.main!)).json).toEqual(good)
  })

  it('case 47: shares the state of a key between roles that use the same model', async () => {
    await using server = await startModelServer({
      protocol: 'anthropic',
      script: replyInOrder({ status: 401 }, { json: good }),
    })
    const same = choiceOf(anthropicKind, server)
    const models = createModels({ main: same, fast: { ...same } })
    await failureOf(generate(models.fast!))
    await failureOf(generate(models.main!))
    expect(server.requests).toHaveLength(1)
    expect(await models.main!.probe(never)).toBe(true)
    expect((await generate(models.fast!)).json).toEqual(good)
  })

  it('uses the main model when no other model is configured', async () => {
    await using server = await startModelServer({
      protocol: 'anthropic',
      script: () => ({ json: good }),
    })
    const models = createModels({ main: choiceOf(anthropicKind, server), fast: null })
    expect(models.fast!.name).toBe('anthropic:claude-sonnet-5-5')
    expect(createModels({ main: null, fast: null })).toEqual({ main: null, fast: null })
  })
})

describe('limits', () => {
  const endless: Script = ({ toolChoice }) =>
    toolChoice === 'none'
      ? { json: good }
      : { toolCalls: [{ name: 'look_up', input: { word: 'again' } }] }

  it('case 48: ends the loop before it exceeds the token limit', async () => {
    await using run = await start(anthropicKind, endless)
    const limits = { ...ask().limits, steps: 50, totalTokens: 6000 }
    const answer = await generate(run.model, { tools: [lookUp], limits })
    expect(answer).toMatchObject({ json: good, earlyEnd: 'tokens' })
    expect(answer.usage.inputTokens + answer.usage.outputTokens).toBeLessThanOrEqual(6000)
  })

  it('case 48: ends the loop before it exceeds the cost limit', async () => {
    await using run = await start(anthropicKind, endless)
    const budget = createLocalBudget({ perReviewUsd: 0.1, perDayUsd: null })
    const limits = { ...ask().limits, steps: 50 }
    const answer = await generate(run.model, { tools: [lookUp], budget, limits })
    expect(answer).toMatchObject({ json: good, earlyEnd: 'cost' })
    expect(budget.usage.costUsd).toBeLessThanOrEqual(0.1)
  })

  it('case 48: fails a call that exceeds its time limit', async () => {
    await using run = await start(anthropicKind, () => ({ hang: true }))
    const failure = await failureOf(
      generate(run.model, { limits: { ...ask().limits, timeMs: 80 } }),
    )
    expect(failure).toMatchObject({ code: 'model_unavailable' })
    expect(failure.message).toContain('no answer within')
  })

  it('case 48: stops at the step limit even if the server ignores disabled tools', async () => {
    await using run = await start(kinds[3]!, () => ({
      toolCalls: [{ name: 'look_up', input: { word: 'x' } }],
    }))
    const answer = await generate(run.model, {
      tools: [lookUp],
      limits: { ...ask().limits, steps: 3 },
    })
    expect(answer).toMatchObject({ json: undefined, text: '', earlyEnd: 'steps' })
    expect(run.server.requests).toHaveLength(3)
    expect(answer.toolCalls).toHaveLength(2)
  })

  it('rejects with the abort reason of the signal', async () => {
    await using run = await start(anthropicKind, () => ({ hang: true }))
    const controller = new AbortController()
    const running = run.model.generate(ask(), controller.signal)
    await run.server.arrived(1)
    const reason = new Error('shutting down')
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
  })
})

/** Starts a server that sends the status, then repeats the chunk until the client disconnects. */
async function startFlood(status: number, piece: string) {
  let sent = 0
  const gone = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.resume()
    response.on('close', gone.resolve)
    response.writeHead(status, {
      'content-type': status === 200 ? 'text/event-stream' : 'text/plain',
    })
    const pour = () => {
      do sent += piece.length
      while (response.write(piece))
      response.once('drain', pour)
    }
    pour()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { main } = createModels({
    main: {
      provider: 'compatible',
      id: 'endless',
      apiKey: null,
      baseUrl: `http://127.0.0.1:${port}/v1`,
    },
    fast: null,
    timing: { ...timing, retries: 0 },
  })
  return {
    model: main!,
    gone: gone.promise,
    sent: () => sent,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const chunkOf = (delta: object) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] })}\n\n`

describe('endless answers', () => {
  it.each([
    ['text', chunkOf({ content: 'abcdefgh '.repeat(1000) })],
    ['reasoning', chunkOf({ reasoning_content: 'abcdefgh '.repeat(1000) })],
    [
      'the input of a tool',
      chunkOf({
        tool_calls: [
          { index: 0, id: 'c', function: { name: 'look_up', arguments: 'x'.repeat(9000) } },
        ],
      }),
    ],
  ])('case 48: aborts a stream of %s longer than any valid answer', async (_name, piece) => {
    await using flood = await startFlood(200, piece)
    const failure = await failureOf(generate(flood.model, { tools: [lookUp] }))
    expect(failure).toMatchObject({ code: 'model_invalid_output', retryable: false })
    await flood.gone
  })

  it.each([
    ['comments', ': nothing\n'.repeat(6000)],
    ['one line', 'x'.repeat(60_000)],
  ])('case 48: aborts a body of %s at 64 MB', async (_name, piece) => {
    await using flood = await startFlood(200, piece)
    const failure = await failureOf(generate(flood.model))
    expect(failure).toMatchObject({ code: 'model_unavailable', retryable: true })
    expect(failure.message).toContain('more than 64 MB')
    await flood.gone
  })

  it('case 48: truncates the body of an error and uses its status', async () => {
    await using flood = await startFlood(401, 'x'.repeat(60_000))
    expect((await failureOf(generate(flood.model))).code).toBe('model_unauthorized')
    await flood.gone
  })
})

describe('budget', () => {
  /** A call costs 0.0173 dollars at most, and 0.011 dollars with this usage. */
  const costly = { input: 3000, output: 500 }

  it('case 49: sends no request when the budget of the review is spent', async () => {
    await using run = await start(anthropicKind, () => ({ json: good, usage: costly }))
    const budget = createLocalBudget({ perReviewUsd: 0.02, perDayUsd: null })
    await generate(run.model, { budget })
    const failure = await failureOf(generate(run.model, { budget }))
    expect(failure).toMatchObject({ code: 'model_budget_spent', retryable: false })
    expect(failure.message).toContain('one review ($0.02)')
    expect(run.server.requests).toHaveLength(1)
  })

  it('case 49: sends no request when other reviews have spent the daily budget', async () => {
    await using run = await start(anthropicKind, () => ({ json: good }))
    const budget = createLocalBudget({
      perReviewUsd: null,
      perDayUsd: 5,
      spentTodayUsd: () => 5.01,
    })
    const failure = await failureOf(generate(run.model, { budget }))
    expect(failure).toMatchObject({ code: 'model_budget_spent' })
    expect(failure.message).toContain('one day ($5.00)')
    expect(run.server.requests).toHaveLength(0)
  })

  it('case 49: parallel calls do not spend the same money twice', async () => {
    const held = Promise.withResolvers<void>()
    await using run = await start(anthropicKind, async ({ number }) => {
      if (number === 1) await held.promise
      return { json: good, usage: costly }
    })
    const budget = createLocalBudget({ perReviewUsd: 0.02, perDayUsd: null })
    const calls = [1, 2, 3, 4].map(() => generate(run.model, { budget: budget.createShare() }))
    await run.server.arrived(1)
    held.resolve()
    const settled = await Promise.allSettled(calls)
    expect(settled.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ])
    expect(run.server.requests).toHaveLength(1)
  })

  it.each([
    ['an answer that broke off with its maximum', { json: long, cutAfterBytes: 2500 }, 1],
    ['a refused call as free', { status: 400 }, 2],
  ] as const)('counts %s', async (_, reply, calls) => {
    await using run = await start(
      { ...anthropicKind },
      replyInOrder(reply, { json: good, usage: costly }),
      { timing: { retries: 0 } },
    )
    const budget = createLocalBudget({ perReviewUsd: 0.02, perDayUsd: null })
    await failureOf(generate(run.model, { budget }))
    await Promise.allSettled([generate(run.model, { budget })])
    expect(run.server.requests).toHaveLength(calls)
  })

  it('runs calls in parallel while the budget covers all of them', async () => {
    const arrived = Promise.withResolvers<void>()
    await using run = await start(anthropicKind, async ({ number }) => {
      if (number === 3) arrived.resolve()
      await arrived.promise
      return { json: good }
    })
    const budget = createLocalBudget({ perReviewUsd: 1, perDayUsd: null })
    const answers = await Promise.all([1, 2, 3].map(() => generate(run.model, { budget })))
    expect(answers.map(({ json }) => json)).toEqual([good, good, good])
  })

  it('stops waiting for budget when it is aborted', async () => {
    await using run = await start(anthropicKind, () => ({ hang: true }))
    const budget = createLocalBudget({ perReviewUsd: 0.02, perDayUsd: null })
    const spending = new AbortController()
    const waiting = new AbortController()
    const first = run.model.generate(ask({ budget }), spending.signal)
    const settled = Promise.allSettled([first])
    await run.server.arrived(1)
    const second = run.model.generate(ask({ budget }), waiting.signal)
    waiting.abort(new Error('shutting down'))
    await expect(second).rejects.toThrow('shutting down')
    spending.abort()
    await settled
    expect(run.server.requests).toHaveLength(1)
  })

  it('case 48: a loop with a shared budget ends at its share', async () => {
    const endless: Script = ({ toolChoice }) =>
      toolChoice === 'none'
        ? { json: good }
        : { toolCalls: [{ name: 'look_up', input: { word: 'again' } }] }
    await using run = await start(anthropicKind, endless)
    const budget = createLocalBudget({ perReviewUsd: 0.2, perDayUsd: null })
    const limits = { ...ask().limits, steps: 50 }
    const answer = await generate(run.model, {
      tools: [lookUp],
      budget: budget.createShare(5),
      limits,
    })
    expect(answer).toMatchObject({ json: good, earlyEnd: 'cost' })
    // Four others can still answer, each for 0.017 dollars at most.
    expect(budget.usage.costUsd).toBeLessThan(0.2 - 4 * 0.017)
  })

  it("calculates the cost with the model's prices for cached and long input", async () => {
    const costs: Record<string, number | null> = {}
    for (const [id, usage] of [
      ['claude-opus-5-5', { input: 1_000_000, cached: 500_000, output: 10_000 }],
      ['claude-haiku-5-5', { input: 200_000, cached: 0, output: 1000 }],
      ['claude-unheard-of', { input: 1000, output: 1000 }],
    ] as const) {
      await using run = await start({ ...anthropicKind, id }, () => ({ json: good, usage }))
      costs[id] = (await generate(run.model)).usage.costUsd
      expect(run.model.priced).toBe(costs[id] !== null)
    }
    expect(costs['claude-opus-5-5']).toBeCloseTo(0.5 * 4 + 0.5 * 0.2 + 0.2, 10)
    expect(costs['claude-haiku-5-5']).toBeCloseTo(0.1 + 0.0025, 10)
    expect(costs['claude-unheard-of']).toBeNull()
  })

  it('counts the usage of interrupted answers', async () => {
    await using run = await start(
      anthropicKind,
      replyInOrder({ json: long, cutAfterBytes: 2500 }, { json: good }),
    )
    const { usage } = await generate(run.model)
    expect(usage.calls).toBe(2)
    expect(usage.inputTokens).toBeGreaterThan(1000)
  })
})

describe('shapes', () => {
  it.each([
    ['bare', JSON.stringify(good)],
    ['fenced', `Here it is:\n\`\`\`json\n${JSON.stringify(good, null, 2)}\n\`\`\`\nDone.`],
    ['between sentences with brackets', `In {braces} [sic]: ${JSON.stringify(good)} (see {x}).`],
  ])('finds JSON that is %s in the text', async (_name, text) => {
    await using run = await start(kinds[3]!, () => ({ text }))
    expect((await generate(run.model)).json).toEqual(good)
  })

  it('omits the schema on a server that rejects it, and caches that', async () => {
    await using run = await start(kinds[3]!, ({ jsonMode: demands }) =>
      demands === null
        ? { text: JSON.stringify(good) }
        : { status: 400, body: { error: { message: "'response_format.type' must be 'text'" } } },
    )
    expect((await generate(run.model)).json).toEqual(good)
    expect((await generate(run.model)).json).toEqual(good)
    expect(run.server.requests.map(({ jsonMode: demands }) => demands)).toEqual([
      'schema',
      null,
      null,
    ])
  })

  it('case 45: fixes a wrong shape in one repair round without the context', async () => {
    await using run = await start(
      anthropicKind,
      replyInOrder({ text: '{"verdict": 3, "notes": "x"}' }, { json: good }),
    )
    const { value } = await generateObject(run.model, { ...ask(), output }, never)
    expect(value).toEqual(good)
    const [, repair] = run.server.requests
    expect(repair!.text).toContain('verdict')
    expect(repair!.text).not.toContain('This is the prompt.')
  })

  it('case 45: gives up after one repair round', async () => {
    await using run = await start(anthropicKind, () => ({ text: 'no JSON at all' }))
    const failure = await failureOf(generateObject(run.model, { ...ask(), output }, never))
    expect(failure.code).toBe('model_invalid_output')
    expect(run.server.requests).toHaveLength(2)
  })

  it('marks the instructions for the cache of the provider', async () => {
    await using run = await start(anthropicKind, () => ({ json: good }))
    await generate(run.model)
    expect(run.server.requests[0]!.body.system).toMatchObject([
      { cache_control: { type: 'ephemeral' } },
    ])
  })

  it.each(kinds)(
    'puts the shared prefix first for $provider, with a cache marker where supported',
    async (kind) => {
      await using run = await start(kind, () => ({ json: good }))
      await generate(run.model, { shared: 'The shared part.', prompt: 'First task.' })
      await generate(run.model, { shared: 'The shared part.', prompt: 'Second task.' })
      const [first, second] = run.server.requests.map(({ body }) => JSON.stringify(body))
      const end = first!.indexOf('First task.')
      expect(end).toBeGreaterThan(first!.indexOf('The shared part.'))
      expect(second!.slice(0, end)).toBe(first!.slice(0, end))
      const messages = run.server.requests[0]!.body.messages
      if (kind.provider === 'anthropic')
        expect(messages).toMatchObject([
          {
            content: [
              { text: 'The shared part.', cache_control: { type: 'ephemeral' } },
              { text: 'First task.' },
            ],
          },
        ])
      // Some servers accept no list of text parts as content.
      if (kind.provider === 'compatible')
        expect(messages).toMatchObject([{}, { content: 'The shared part.\n\nFirst task.' }])
    },
  )

  it('reports when the first answer begins', async () => {
    await using run = await start(anthropicKind, () => ({ json: long, hangAfterBytes: 500 }))
    const controller = new AbortController()
    const reason = new Error('it began')
    const running = run.model.generate(
      ask({ onAnswerBegins: () => controller.abort(reason) }),
      controller.signal,
    )
    await expect(running).rejects.toBe(reason)
  })

  it('disables storage at providers that support it', async () => {
    await using run = await start(kinds[1]!, () => ({ json: good }))
    await generate(run.model)
    expect(run.server.requests[0]!.body.store).toBe(false)
  })
})

describe('the name of a model', () => {
  it('is split at the first colon', async () => {
    const MODEL_BASE_URL = 'http://127.0.0.1:1/v1'
    const { models } = await readConfig({ MODEL: 'compatible:llama3:8b', MODEL_BASE_URL })
    expect(models.main).toMatchObject({ provider: 'compatible', id: 'llama3:8b' })
  })

  it.each(['rejects', 'somebody:model', 'openai:', 'openai: gpt', ':gpt'])(
    'is refused as %j',
    async (MODEL) => {
      const names = 'anthropic:<id>, openai:<id>, google:<id> or compatible:<id>'
      const problems = [`MODEL must be ${names}`]
      await expect(readConfig({ MODEL })).rejects.toMatchObject({
        code: 'config_invalid',
        problems,
      })
    },
  )
})
