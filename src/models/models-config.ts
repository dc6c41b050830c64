// Defines and reads the configuration of models. Loads no client.
import {
  groupVariables,
  type Parse,
  type ValuesOf,
  type Variable,
  type Variables,
} from '../config/variable.ts'
import { dollars, httpUrl, mustBe } from '../config/variable-parsers.ts'
import type { VariableReader } from '../config/variable-reader.ts'
import { type EmbeddingProviderId, type ProviderId, providerIds, providers } from './providers.ts'

/** Identifies a model and how to reach it. */
export interface ModelConfig {
  readonly provider: ProviderId
  readonly id: string
  readonly apiKey: string | null
  /** Null if the model is at the provider's own address. */
  readonly baseUrl: string | null
}

/** Describes a model that turns texts into vectors. */
export type EmbedderConfig = ModelConfig & { readonly provider: EmbeddingProviderId }

export interface ModelsConfig {
  readonly main: ModelConfig | null
  /** Is used as the fallback of `main` too. */
  readonly fast: ModelConfig | null
  /** Creates vectors for the search in memories; null for a search by words only. */
  readonly embedder: EmbedderConfig | null
  /** Amounts are in US dollars, and null means no limit. */
  readonly budget: ValuesOf<typeof budgetVariables>
}

type ModelName<Id extends ProviderId = ProviderId> = { readonly provider: Id; readonly id: string }

/** Parses `provider:id`. The id may contain colons too (`compatible:llama3:8b`). */
function modelName<Id extends ProviderId>(allowed: readonly Id[]): Parse<ModelName<Id>> {
  return (text, report) => {
    const colon = text.indexOf(':')
    const provider = allowed.find((known) => known === text.slice(0, colon))
    const id = text.slice(colon + 1)
    if (provider !== undefined && /^\S+$/.test(id)) return { provider, id }
    return report(mustBe(allowed.map((known) => `${known}:<id>`)))
  }
}

const embeddingProviderIds = providerIds.filter(
  (id): id is EmbeddingProviderId => providers[id].embeds,
)

function formatNames(ids: readonly ProviderId[]): string {
  return ids.map((id) => `\`${id}:<id>\``).join(', ')
}

const modelVariables = {
  main: {
    name: 'MODEL',
    parse: modelName(providerIds),
    review: 'always',
    help:
      `${formatNames(providerIds)}; \`compatible\` is any server that speaks the ` +
      'chat-completions protocol. If not set, only the static reviewer runs',
  },
  fast: {
    name: 'MODEL_FAST',
    parse: modelName(providerIds),
    review: 'always',
    help:
      'a second, cheaper model: it is used while the first is unavailable, for the easier part ' +
      'of a review in parallel mode, and where [settings](models.md#two-models) choose it',
  },
  baseUrl: {
    name: 'MODEL_BASE_URL',
    parse: httpUrl,
    review: 'always',
    defaultDescription: "the provider's",
    help: "another URL that speaks the provider's protocol; required for `compatible`",
  },
  embedder: {
    name: 'EMBEDDING_MODEL',
    parse: modelName(embeddingProviderIds),
    help:
      `${formatNames(embeddingProviderIds)}; \`compatible\` is any server that speaks the ` +
      'embeddings protocol. Memories are then ' +
      '[also found by meaning](knowledge.md#search-by-vectors), and their texts and the search ' +
      "queries are sent to that provider. Doesn't require `MODEL`. After a change, all vectors " +
      'are computed again from the next start on',
  },
  embedderUrl: {
    name: 'EMBEDDING_BASE_URL',
    parse: httpUrl,
    defaultDescription:
      "`MODEL_BASE_URL` if `MODEL` has the same provider, otherwise the provider's",
    help: "another URL that speaks the provider's protocol; the key of that provider is sent to it",
  },
} satisfies Variables

const budgetVariables = {
  perReviewUsd: {
    name: 'REVIEW_BUDGET_USD',
    parse: dollars,
    review: 'always',
    help: 'maximum cost of one review',
  },
  perDayUsd: {
    name: 'REVIEW_BUDGET_DAILY_USD',
    parse: dollars,
    help: 'maximum cost of one day (UTC)',
  },
  perOwnerDayUsd: {
    name: 'REVIEW_BUDGET_OWNER_DAILY_USD',
    parse: dollars,
    help:
      'maximum cost of one day (UTC) for the repositories of one account or organization, so ' +
      'that none uses up the daily budget of all',
  },
} satisfies Variables

const apiKeyVariables = Object.fromEntries(
  Object.entries(providers).map(([id, { apiKey }]) => [id, apiKey]),
) as Readonly<Record<ProviderId, Variable<string>>>

export const modelGroup = groupVariables('Models', [
  modelVariables,
  apiKeyVariables,
  budgetVariables,
])

type ModelValues = ValuesOf<typeof modelVariables>
type ApiKeys = ValuesOf<typeof apiKeyVariables>

export function readModelsConfig(reader: VariableReader): ModelsConfig {
  const values = reader.read(modelVariables)
  const keys = reader.read(apiKeyVariables)
  for (const problem of [...findModelProblems(values, keys), ...findEmbedderProblems(values, keys)])
    reader.reportContradiction(problem)
  const complete = <Id extends ProviderId>(name: ModelName<Id> | null, baseUrl: string | null) =>
    name && { ...name, apiKey: keys[name.provider], baseUrl }
  return {
    main: complete(values.main, values.baseUrl),
    fast: complete(values.fast, values.baseUrl),
    embedder: complete(values.embedder, getEmbedderUrl(values)),
    budget: reader.read(budgetVariables),
  }
}

/**
 * Returns the embedder's address; null for its provider's own. Models of one provider share one.
 */
function getEmbedderUrl({ embedderUrl, embedder, main, baseUrl }: ModelValues): string | null {
  if (embedderUrl !== null) return embedderUrl
  return main !== null && main.provider === embedder?.provider ? baseUrl : null
}

function findModelProblems(values: ModelValues, keys: ApiKeys): string[] {
  const { main, fast, baseUrl } = values
  const problems = [main && { name: 'MODEL', ...main }, fast && { name: 'MODEL_FAST', ...fast }]
    .filter((model) => model !== null)
    .flatMap(({ name, provider }) =>
      findProviderProblems(name, provider, { keys, baseUrl, remedy: 'MODEL_BASE_URL' }),
    )
  if (fast !== null && main === null) problems.push('MODEL_FAST needs MODEL')
  if (baseUrl !== null && main && fast && main.provider !== fast.provider) {
    problems.push(
      'MODEL_BASE_URL is one address: MODEL and MODEL_FAST must then be of the same provider',
    )
  }
  return problems
}

function findEmbedderProblems(values: ModelValues, keys: ApiKeys): string[] {
  const { embedder, embedderUrl } = values
  if (embedder === null)
    return embedderUrl === null ? [] : ['EMBEDDING_BASE_URL needs EMBEDDING_MODEL']
  return findProviderProblems('EMBEDDING_MODEL', embedder.provider, {
    keys,
    baseUrl: getEmbedderUrl(values),
    remedy: 'EMBEDDING_BASE_URL, or MODEL of the same provider with MODEL_BASE_URL',
  })
}

/** @param remedy the variables that give the model an address */
function findProviderProblems(
  name: string,
  provider: ProviderId,
  given: { keys: ApiKeys; baseUrl: string | null; remedy: string },
): string[] {
  if (providers[provider].address === null)
    return given.baseUrl === null ? [`${name} is ${provider}:…, which needs ${given.remedy}`] : []
  return given.keys[provider] ? [] : [`${name} needs ${providers[provider].apiKey.name}`]
}
