// Asks a self-hosted server how many tokens its model accepts. Longer prompts would be refused, or
// be cut without notice.
import { z } from 'zod'
import { abortable } from '../lib/abortable.ts'
import { readBytes } from '../lib/read-bytes.ts'
import { createTtlCache } from '../lib/ttl-cache.ts'
import type { ModelConfig } from './models-config.ts'

const timeoutMs = 5_000
/** A list of thousands of models is shorter. */
const maxBytes = 4 * 1024 ** 2
const knownMs = 10 * 60_000
/** Ollama only names the windows of loaded models, and loads one when it is asked. */
const unknownMs = 15_000

const size = z.int().min(1).optional().catch(undefined)

/** vLLM: `max_model_len`; llama.cpp: `meta.n_ctx`. */
const modelList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      max_model_len: size,
      meta: z.object({ n_ctx: size }).optional().catch(undefined),
    }),
  ),
})

/** https://docs.ollama.com/api/ps */
const loadedModels = z.object({
  models: z.array(z.object({ model: z.string(), context_length: size })),
})

export type ReadContextWindow = (signal: AbortSignal) => Promise<number | null>

/**
 * Makes a function that returns the number of tokens that fit the model, input and output together;
 * null if the server doesn't say. The answer is remembered for ten minutes.
 */
export function createContextWindowReader(choice: ModelConfig): ReadContextWindow {
  const { provider, baseUrl } = choice
  if (provider !== 'compatible' || baseUrl === null) return async () => null
  const cache = createTtlCache<number | null>(1)
  const load = async () => {
    const value = await askServer({ ...choice, baseUrl })
    return { value, ttlMs: value === null ? unknownMs : knownMs }
  }
  // Several reviews share a load, so the end of one of them must not end it.
  return (signal) => abortable(cache('', load), signal)
}

async function askServer({
  baseUrl,
  apiKey,
  id,
}: ModelConfig & { readonly baseUrl: string }): Promise<number | null> {
  const get = async <T>(url: string | URL, schema: z.ZodType<T>): Promise<T | undefined> => {
    const headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(url, { headers, signal, redirect: 'error' })
      const body = await readBytes(response.body, maxBytes)
      return body && schema.safeParse(JSON.parse(body.toString())).data
    } catch {
      return undefined
    }
  }
  const listed = await get(`${baseUrl.replace(/\/$/, '')}/models`, modelList)
  const found = listed?.data.find((model) => model.id === id)
  const window = found?.max_model_len ?? found?.meta?.n_ctx
  if (window !== undefined) return window
  const loaded = await get(new URL('/api/ps', baseUrl), loadedModels)
  return loaded?.models.find(({ model }) => model === id)?.context_length ?? null
}
