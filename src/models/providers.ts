// The clients of the providers, and how their protocols differ.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { EmbedderConfig, ModelConfig } from '../config/config.ts'

/** The types are derived from a client, so that its package stays their only source. */
export type ProviderModel = ReturnType<ReturnType<typeof createAnthropic>['languageModel']>
export type CallOptions = Parameters<ProviderModel['doStream']>[0]
export type CallResult = Awaited<ReturnType<ProviderModel['doGenerate']>>
export type CallStream = Awaited<ReturnType<ProviderModel['doStream']>>['stream']
export type ProviderEmbedder = ReturnType<ReturnType<typeof createOpenAI>['embeddingModel']>
export type ProviderOptions = NonNullable<CallOptions['providerOptions']>

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

const traits: Readonly<Record<ModelConfig['provider'], ProviderTraits>> = {
  // The breakpoint moves with the conversation, so each step reads what the last one cached.
  anthropic: { schemaWithTools: true, textParts: true, options: cacheBreakpoint },
  // The provider must not store code under review.
  openai: { schemaWithTools: true, textParts: true, options: { openai: { store: false } } },
  google: { schemaWithTools: true, textParts: true, options: {} },
  // Many servers enforce a schema by a grammar without tool calls, and some accept only text.
  compatible: { schemaWithTools: false, textParts: false, options: {} },
}

export function traitsOf(choice: Pick<ModelConfig, 'provider'>): ProviderTraits {
  return traits[choice.provider]
}

// Without an address or a key, the clients would read them from the environment.
const defaultAddresses: Readonly<Record<ModelConfig['provider'], string>> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  compatible: 'http://127.0.0.1:11434/v1',
}

/** Makes the client for a model, without a request. */
export function createProviderModel(
  choice: ModelConfig,
  fetch: typeof globalThis.fetch,
): ProviderModel {
  const settings = settingsOf(choice, fetch)
  switch (choice.provider) {
    case 'anthropic':
      return createAnthropic(settings)(choice.id)
    case 'openai':
      return createOpenAI(settings).responses(choice.id)
    case 'google':
      return createGoogleGenerativeAI(settings)(choice.id)
    case 'compatible':
      return createCompatible(choice, settings)(choice.id)
  }
}

/** Makes the client for an embedding model, without a request. */
export function createProviderEmbedder(
  choice: EmbedderConfig,
  fetch: typeof globalThis.fetch,
): ProviderEmbedder {
  const settings = settingsOf(choice, fetch)
  switch (choice.provider) {
    case 'openai':
      return createOpenAI(settings).embeddingModel(choice.id)
    case 'google':
      return createGoogleGenerativeAI(settings).embeddingModel(choice.id)
    case 'compatible':
      return createCompatible(choice, settings).embeddingModel(choice.id)
  }
}

function settingsOf(choice: ModelConfig, fetch: typeof globalThis.fetch) {
  return {
    apiKey: choice.apiKey ?? '',
    baseURL: choice.baseUrl ?? defaultAddresses[choice.provider],
    fetch,
  }
}

function createCompatible({ apiKey }: ModelConfig, settings: ReturnType<typeof settingsOf>) {
  return createOpenAICompatible({
    ...settings,
    ...(apiKey === null ? { apiKey: undefined } : {}),
    name: 'compatible',
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
}
