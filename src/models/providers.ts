// The providers: which client speaks which protocol, and what is particular about each.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { EmbedderConfig, ModelConfig } from '../config/config.ts'

/** What a provider's client offers; the names follow from it, so that its package stays the only source. */
export type ProviderModel = ReturnType<ReturnType<typeof createAnthropic>['languageModel']>
export type CallOptions = Parameters<ProviderModel['doStream']>[0]
export type CallResult = Awaited<ReturnType<ProviderModel['doGenerate']>>
export type CallStream = Awaited<ReturnType<ProviderModel['doStream']>>['stream']
export type ProviderEmbedder = ReturnType<ReturnType<typeof createOpenAI>['embeddingModel']>
export type ProviderOptions = NonNullable<CallOptions['providerOptions']>

/** What is particular about a provider. */
export interface ProviderTraits {
  /** Whether the answer's shape may be demanded in a call that also offers tools. */
  readonly schemaWithTools: boolean
  /** Whether a message may have several pieces of text; elsewhere they are joined. */
  readonly textParts: boolean
  /** Sent with every call. */
  readonly options: ProviderOptions
}

/** Marks the end of what is worth caching; providers that cache by themselves ignore it. */
export const cacheBreakpoint: ProviderOptions = {
  anthropic: { cacheControl: { type: 'ephemeral' } },
}

const traits: Readonly<Record<ModelConfig['provider'], ProviderTraits>> = {
  // The mark on the call moves along with the conversation: each step of a tool loop reads what the last one wrote.
  anthropic: { schemaWithTools: true, textParts: true, options: cacheBreakpoint },
  // Code under review is not to be kept at the provider.
  openai: { schemaWithTools: true, textParts: true, options: { openai: { store: false } } },
  google: { schemaWithTools: true, textParts: true, options: {} },
  // Many servers constrain the answer by a grammar, under which no tool can be called; some take plain text only.
  compatible: { schemaWithTools: false, textParts: false, options: {} },
}

export function traitsOf(choice: Pick<ModelConfig, 'provider'>): ProviderTraits {
  return traits[choice.provider]
}

// Addresses and keys are always given: left out, the clients would read them from the environment by themselves.
const defaultAddresses: Readonly<Record<ModelConfig['provider'], string>> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  compatible: 'http://127.0.0.1:11434/v1',
}

/** The client for a model. Nothing is asked over the network yet. */
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

/** The client for a model that turns texts into vectors. Nothing is asked over the network yet. */
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
