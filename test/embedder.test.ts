// The embedder over HTTP: batches, order, truncation, retries, budget and invalid responses.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ModelError } from '../src/domain/errors.ts'
import {
  createEmbedder,
  createLocalBudget,
  createUnlimitedBudget,
  type EmbedRequest,
} from '../src/models/index.ts'
import { readConfig } from '../src/read-config.ts'
import {
  type EmbeddingReply,
  type EmbeddingServer,
  startEmbeddingServer,
  vectorOf,
} from './fakes/models/embedding-server.ts'

const key = 'sk-test-0123456789abcdef'
const never = new AbortController().signal
const vectors: EmbeddingReply = { kind: 'vectors' }

let server: EmbeddingServer
beforeAll(async () => {
  server = await startEmbeddingServer()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Embeds texts with the embedder of a configuration. */
async function embed(request: Partial<EmbedRequest>, env: Record<string, string> = {}) {
  const given = {
    EMBEDDING_MODEL: 'compatible:words',
    EMBEDDING_BASE_URL: server.url,
    MODEL_API_KEY: key,
  }
  const { models } = await readConfig({ ...given, ...env })
  const all = {
    texts: ['money'],
    purpose: 'document',
    timeMs: 20_000,
    budget: createUnlimitedBudget(),
    ...request,
  } as const
  return createEmbedder(models.embedder!, { backoffMs: 1 }).embed(all, never)
}

/** Answers with each reply in turn and repeats the last one. Returns the requests since then. */
function answer(...replies: readonly EmbeddingReply[]) {
  const before = server.requests.length
  server.respondWith(() => replies[Math.min(server.requests.length - before, replies.length) - 1]!)
  return () => server.requests.slice(before)
}

describe('an embedder', () => {
  it.each([
    ['compatible', '/v1', {}],
    ['openai', '/v1', { OPENAI_API_KEY: key }],
    ['google', '/v1beta', { GOOGLE_GENERATIVE_AI_API_KEY: key }],
  ])('of %s returns one vector per text, in batches', async (provider, path, env) => {
    const asked = answer(vectors)
    const texts = Array.from({ length: 150 }, (_, at) =>
      at % 2 === 0 ? `price ${at}` : `login ${at}`,
    )
    const address = {
      EMBEDDING_MODEL: `${provider}:words`,
      EMBEDDING_BASE_URL: server.url.replace('/v1', path),
    }
    const made = await embed({ texts }, { ...address, ...env })
    expect(made.vectors).toEqual(texts.map((text) => vectorOf(text, 8)))
    expect(asked().map((request) => request.texts.length)).toEqual([64, 64, 22])
    expect(asked()[0]).toMatchObject({ model: 'words', key: expect.stringContaining(key) })
  })

  it('truncates long texts, more for models with a smaller limit', async () => {
    const asked = answer(
      {
        kind: 'status',
        status: 400,
        message: 'This model has a maximum context length of 300 tokens',
      },
      vectors,
    )
    await embed({ texts: ['price '.repeat(2_000)] })
    expect(asked().map(({ texts }) => texts[0]?.length)).toEqual([2_000, 1_000])
  })

  it('retries only errors where that can help', async () => {
    let asked = answer({ kind: 'status', status: 503 }, { kind: 'status', status: 429 }, vectors)
    await embed({})
    expect(asked()).toHaveLength(3)
    asked = answer({ kind: 'status', status: 401, message: `no such key ${key}` })
    const failure = await embed({}).catch((error: unknown) => error as ModelError)
    expect(failure).toMatchObject({ code: 'model_unauthorized' })
    expect(String(failure)).not.toContain(key)
    expect(asked()).toHaveLength(1)
  })

  it('stops after its timeout', async () => {
    answer({ kind: 'hang' })
    await expect(embed({ timeMs: 50 })).rejects.toMatchObject({ code: 'model_unavailable' })
  })

  it('sends nothing once the budget is spent, and counts its usage', async () => {
    const asked = answer(vectors)
    const budget = createLocalBudget({ perReviewUsd: 0.000_02, perDayUsd: null })
    const env = { EMBEDDING_MODEL: 'openai:text-embedding-3-small', OPENAI_API_KEY: key }
    await embed({ budget }, env)
    expect(budget.uses).toMatchObject([
      { model: 'openai:text-embedding-3-small', usage: { inputTokens: 1000 } },
    ])
    expect(budget.usage.costUsd).toBeCloseTo(0.000_02)
    await expect(embed({ budget }, env)).rejects.toMatchObject({ code: 'model_budget_spent' })
    expect(asked()).toHaveLength(1)
  })

  it.each([
    ['too few', (texts: readonly string[]) => texts.slice(1).map(() => [1, 2])],
    [
      'of different dimensions',
      (texts: readonly string[]) => texts.map((_, at) => (at === 0 ? [1, 2] : [1, 2, 3])),
    ],
    ['empty', (texts: readonly string[]) => texts.map(() => [])],
    ['too long', (texts: readonly string[]) => texts.map(() => new Array(5000).fill(1))],
    ['no numbers', (texts: readonly string[]) => texts.map(() => [null, 'x'])],
    ['no vectors', (texts: readonly string[]) => texts],
  ])('rejects vectors that are %s', async (_what, make) => {
    const body = (texts: readonly string[]) => {
      return {
        data: make(texts).map((embedding, index) => ({ index, embedding })),
        usage: { prompt_tokens: 1 },
      }
    }
    answer({ kind: 'body', body })
    await expect(embed({ texts: ['one', 'two'] })).rejects.toBeInstanceOf(ModelError)
  })
})

describe('configuration of an embedder', () => {
  const chosen = async (env: Record<string, string>) => (await readConfig(env)).models.embedder

  it.each([
    [
      { EMBEDDING_MODEL: 'anthropic:voyage' },
      'EMBEDDING_MODEL must be openai:<id>, google:<id> or compatible:<id>',
    ],
    [{ EMBEDDING_MODEL: 'openai:small' }, 'EMBEDDING_MODEL needs OPENAI_API_KEY'],
    [
      { EMBEDDING_MODEL: 'compatible:words' },
      'EMBEDDING_MODEL is compatible:…, which needs EMBEDDING_BASE_URL',
    ],
    [
      {
        EMBEDDING_MODEL: 'compatible:words',
        MODEL: 'openai:gpt-5.1',
        OPENAI_API_KEY: key,
        MODEL_BASE_URL: 'http://a/v1',
      },
      'EMBEDDING_MODEL is compatible:…, which needs EMBEDDING_BASE_URL',
    ],
    [{ EMBEDDING_BASE_URL: 'http://a/v1' }, 'EMBEDDING_BASE_URL needs EMBEDDING_MODEL'],
    [
      { EMBEDDING_MODEL: 'compatible:words', EMBEDDING_BASE_URL: 'a' },
      'EMBEDDING_BASE_URL must be an http',
    ],
  ])('%o is refused', async (env, problem) => {
    await expect(chosen(env)).rejects.toThrow(problem)
  })

  it("uses the model's address for the same provider unless it has its own", async () => {
    const both = {
      MODEL: 'compatible:big',
      EMBEDDING_MODEL: 'compatible:words',
      MODEL_BASE_URL: 'http://a/v1',
    }
    expect(await chosen(both)).toEqual({
      provider: 'compatible',
      id: 'words',
      apiKey: null,
      baseUrl: 'http://a/v1',
    })
    const own = await chosen({ ...both, EMBEDDING_BASE_URL: 'http://b/v1' })
    expect(own?.baseUrl).toBe('http://b/v1')
    const other = { EMBEDDING_MODEL: 'openai:small', OPENAI_API_KEY: key }
    expect((await chosen({ ...both, ...other }))?.baseUrl).toBe(null)
    expect(await chosen({})).toBe(null)
  })
})
