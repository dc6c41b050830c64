// What the operator has set up, without secrets, and whether trackers and chats answer.
import type { AppContext } from '../context.ts'
import { readProgram } from '../lib/program.ts'
import { type KeptAnswer, keepAnswers } from '../lib/recent-answers.ts'
import type { Authenticate } from './authenticate.ts'
import * as contract from './contract/settings.ts'
import type { Server } from './server.ts'

/** Whoever looks more often is told the same: others' servers are not asked for each of them. */
const keepHealthMs = 30_000

type Faults = readonly (string | null)[]

/** Adds `GET /api/v1/settings` and `GET /api/v1/settings/sources`. */
export async function addSettingsRoutes(
  server: Server,
  ctx: AppContext,
  { either: onRequest }: Authenticate,
): Promise<void> {
  const settings = describeSettings(ctx, (await readProgram()).version)
  server.get('/api/v1/settings', { schema: contract.showSettings, onRequest }, async () => settings)

  const remember = keepAnswers<Faults>(1)
  server.get('/api/v1/settings/sources', { schema: contract.checkSources, onRequest }, async () => {
    const faults = await remember('all', () => checkSources(ctx))
    return { sources: settings.sources.map((source, index) => ({ ...source, fault: faults[index] ?? null })) }
  })
}

/** Each source has its own deadline. */
async function checkSources({ config, sources }: AppContext): Promise<KeptAnswer<Faults>> {
  const { signal } = new AbortController()
  const value = await Promise.all(config.contextSources.map(({ name }) => sources.check(name, signal)))
  return { value, keepMs: keepHealthMs }
}

function describeSettings({ config, models, embedder }: AppContext, version: string) {
  const { platform, review, mcp, http, contextSources } = config
  const { perReviewUsd, perDayUsd } = config.models.budget
  return {
    service_name: config.serviceName,
    version,
    public_url: http.publicUrl,
    platform: {
      id: platform.id,
      url: platform.url,
      oauth: platform.oauth !== null,
      token: config.fallback.token !== null,
    },
    sign_in_limited: config.signInAllowed !== null,
    models: {
      main: describeModel(models.main),
      fast: describeModel(models.fast),
      embedder: describeModel(embedder),
      budget: { per_review_usd: perReviewUsd, per_day_usd: perDayUsd },
    },
    review: {
      mode: models.main === null ? ('static' as const) : review.mode,
      max_inline_comments: review.maxInlineComments,
      context_tokens: review.contextTokens,
      concurrency: review.concurrency,
    },
    memory: config.memory,
    graph: config.graph.enabled,
    mcp: { access: mcp.access, agent_tools: mcp.agentTools },
    sources: contextSources.map(({ name, kind }) => ({ name, kind })),
  }
}

function describeModel(model: { readonly name: string; readonly priced: boolean } | null) {
  return model === null ? null : { name: model.name, priced: model.priced }
}
