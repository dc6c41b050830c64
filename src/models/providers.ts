// The providers of models: their keys and addresses, and how their protocols differ. Loads no
// client.
import type { Variable } from '../config/variable.ts'
import { anyText } from '../config/variable-parsers.ts'
import type { ProviderOptions } from './client-types.ts'

interface Provider {
  readonly apiKey: Variable<string>
  /** Null for servers that only MODEL_BASE_URL names; they may work without a key. */
  readonly address: string | null
  /** Whether it has embedding models. */
  readonly embeds: boolean
  readonly traits: ProviderTraits
}

/** How a provider differs from others. */
export interface ProviderTraits {
  /** Whether a call with tools may have a schema for the answer. */
  readonly schemaWithTools: boolean
  /** Whether a message may have several texts; otherwise they are joined. */
  readonly textParts: boolean
  /** Options that are sent with every call. */
  readonly options: ProviderOptions
}

/** Marks the end of the text to cache; providers with automatic caching ignore it. */
export const cacheBreakpoint: ProviderOptions = {
  anthropic: { cacheControl: { type: 'ephemeral' } },
}

const key = { parse: anyText, secret: true, review: 'always' } as const

export const providers = {
  anthropic: {
    apiKey: { ...key, name: 'ANTHROPIC_API_KEY', help: 'required for models of `anthropic`' },
    address: 'https://api.anthropic.com/v1',
    embeds: false,
    // The breakpoint moves with the conversation, so each step reads what the last one cached.
    traits: { schemaWithTools: true, textParts: true, options: cacheBreakpoint },
  },
  openai: {
    apiKey: { ...key, name: 'OPENAI_API_KEY', help: 'required for models of `openai`' },
    address: 'https://api.openai.com/v1',
    embeds: true,
    // The provider must not store code under review.
    traits: { schemaWithTools: true, textParts: true, options: { openai: { store: false } } },
  },
  google: {
    apiKey: {
      ...key,
      name: 'GOOGLE_GENERATIVE_AI_API_KEY',
      help: 'required for models of `google`',
    },
    address: 'https://generativelanguage.googleapis.com/v1beta',
    embeds: true,
    traits: { schemaWithTools: true, textParts: true, options: {} },
  },
  compatible: {
    apiKey: {
      ...key,
      name: 'MODEL_API_KEY',
      help: 'key of a `compatible` server, if it requires one',
    },
    address: null,
    embeds: true,
    // Many servers enforce a schema by a grammar without tool calls, and some accept only text.
    traits: { schemaWithTools: false, textParts: false, options: {} },
  },
} as const satisfies Readonly<Record<string, Provider>>

export type ProviderId = keyof typeof providers
export type EmbeddingProviderId = {
  [Id in ProviderId]: (typeof providers)[Id]['embeds'] extends true ? Id : never
}[ProviderId]

export const providerIds = Object.keys(providers) as ProviderId[]
