// List prices of well-known models in US dollars per million tokens, as of November 2026.
import type { ModelConfig } from './models-config.ts'

interface Rates {
  /** Applies to input that was neither read from nor written to a cache. */
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

export interface Price extends Rates {
  /** Applies to calls whose input is longer than `over` tokens. */
  readonly long?: Rates & { readonly over: number }
}

/** Prices by prefix of the model id; the longest matching prefix applies. */
type PriceTable = Readonly<Record<string, Price>>

/** Anthropic charges 1.25 times the input price for a cache write, mostly a tenth for a read. */
function claude(input: number, output: number, cacheRead = input / 10): Price {
  return { input, output, cacheRead, cacheWrite: input * 1.25 }
}

/** Above 272,000 input tokens, the rates of the whole call rise by 2 (input) and 1.5 (output). */
function gpt6(input: number, output: number, cacheRead: number): Price {
  const cacheWrite = input * 1.25
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    long: {
      over: 272_000,
      input: input * 2,
      output: output * 1.5,
      cacheRead: cacheRead * 2,
      cacheWrite: cacheWrite * 2,
    },
  }
}

function flat(input: number, output: number, cacheRead = input / 10): Price {
  return { input, output, cacheRead, cacheWrite: input }
}

function gemini(short: Price, long: Price): Price {
  return { ...short, long: { over: 200_000, ...long } }
}

const anthropic: PriceTable = {
  'claude-fable-5-1': claude(10, 50, 0.25),
  'claude-fable-5': claude(10, 50),
  'claude-opus-5-5': claude(4, 20, 0.2),
  'claude-opus-5': claude(5, 25),
  'claude-opus-4-8': claude(5, 25),
  'claude-opus-4-7': claude(5, 25),
  'claude-opus-4-6': claude(5, 25),
  'claude-opus-4-5': claude(5, 25),
  'claude-opus-4': claude(15, 75),
  'claude-sonnet-5': claude(2, 10),
  'claude-sonnet-4': claude(3, 15),
  'claude-haiku-5-5': { ...claude(0.1, 0.5), long: { over: 100_000, ...claude(0.5, 2.5) } },
  'claude-haiku-4-5': claude(1, 5),
  'claude-3-5-haiku': claude(0.8, 4),
  'claude-3-haiku': claude(0.25, 1.25),
}

const openai: PriceTable = {
  'gpt-6.1-sol': gpt6(2, 10, 0.1),
  'gpt-6-sol': gpt6(2, 10, 0.2),
  'gpt-6-luna': gpt6(0.1, 0.5, 0.01),
  'gpt-5.4-mini': flat(0.75, 4.5),
  'gpt-5-mini': flat(0.25, 2),
  'gpt-5-nano': flat(0.05, 0.4),
  'gpt-5.1': flat(1.25, 10),
  'gpt-5-codex': flat(1.25, 10),
  'gpt-5-2025': flat(1.25, 10),
  'gpt-4.1-nano': flat(0.1, 0.4, 0.025),
  'gpt-4.1-mini': flat(0.4, 1.6, 0.1),
  'gpt-4.1': flat(2, 8, 0.5),
  'gpt-4o-mini': flat(0.15, 0.6, 0.075),
  'gpt-4o': flat(2.5, 10, 1.25),
  'o4-mini': flat(1.1, 4.4, 0.275),
  o3: flat(2, 8, 0.5),
  'text-embedding-3-small': flat(0.02, 0),
  'text-embedding-3-large': flat(0.13, 0),
  'text-embedding-ada-002': flat(0.1, 0),
}

const google: PriceTable = {
  'gemini-3-pro': gemini(flat(2, 12), flat(4, 18)),
  'gemini-3-flash': flat(0.5, 3),
  'gemini-2.5-pro': gemini(flat(1.25, 10), flat(2.5, 15)),
  'gemini-2.5-flash-lite': flat(0.1, 0.4),
  'gemini-2.5-flash': flat(0.3, 2.5),
  'gemini-embedding-001': flat(0.15, 0),
}

const priceTables: Readonly<Record<ModelConfig['provider'], PriceTable>> = {
  anthropic,
  openai,
  google,
  compatible: {},
}

/** Whether the id is the prefix, or continues with a hyphen: `gpt-5` doesn't match `gpt-5.9`. */
function matchesPrefix(id: string, prefix: string): boolean {
  return id === prefix || id.startsWith(`${prefix}-`)
}

/** Looks up a model's price; null for unknown models and self-hosted servers. */
export function priceOf(choice: Pick<ModelConfig, 'provider' | 'id'>): Price | null {
  const table = priceTables[choice.provider]
  // Amazon Bedrock has the vendor before the name.
  const id = choice.id.replace(/^(?:anthropic|openai|google)\./, '')
  const prefixes = Object.keys(table).filter((prefix) => matchesPrefix(id, prefix))
  const longest = prefixes.sort((a, b) => b.length - a.length)[0]
  return longest === undefined ? null : table[longest]!
}
