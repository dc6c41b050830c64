// The clients of the providers.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { ProviderEmbedder, ProviderModel } from './client-types.ts'
import type { EmbedderConfig, ModelConfig } from './models-config.ts'
import { providers } from './providers.ts'

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
  // Without an address or a key, the clients would read them from the environment.
  return {
    apiKey: choice.apiKey ?? '',
    baseURL: choice.baseUrl ?? providers[choice.provider].address ?? '',
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
