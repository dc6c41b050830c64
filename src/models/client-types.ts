// The types of the clients of providers. They are derived from a client, so that its package stays
// their only source.
import type { createAnthropic } from '@ai-sdk/anthropic'
import type { createOpenAI } from '@ai-sdk/openai'

export type ProviderModel = ReturnType<ReturnType<typeof createAnthropic>['languageModel']>
export type CallOptions = Parameters<ProviderModel['doStream']>[0]
export type CallResult = Awaited<ReturnType<ProviderModel['doGenerate']>>
export type CallStream = Awaited<ReturnType<ProviderModel['doStream']>>['stream']
export type ProviderEmbedder = ReturnType<ReturnType<typeof createOpenAI>['embeddingModel']>
export type ProviderOptions = NonNullable<CallOptions['providerOptions']>
