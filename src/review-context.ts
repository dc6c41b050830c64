// The part of the composition root that the command line shares: what a review needs without a
// server.

import { createSyntaxParser } from './code/syntax-parser.ts'
import type { Config, ReviewContext } from './context.ts'
import type { Change } from './domain/change.ts'
import type { Log } from './lib/logger.ts'
import { type Metrics, noMetrics } from './metrics/metrics.ts'
import { createStaticReviewer, type StaticReviewer } from './reviewers/static-reviewer.ts'

type ModelParts = Pick<ReviewContext, 'models' | 'createVerifier'> & {
  /** Creates only the reviewers that use a model. */
  readonly createModelReviewers: ReviewContext['createReviewers']
}

/**
 * Creates the context of reviews. Dispose of it, because it may hold threads.
 *
 * @param parts `staticReviewer`: an existing one, which is disposed of with the context
 */
export async function createReviewContext(
  config: Config,
  log: Log,
  parts: { staticReviewer?: StaticReviewer; metrics?: Metrics } = {},
): Promise<ReviewContext & AsyncDisposable> {
  const { staticReviewer = createStaticReviewer(), metrics = noMetrics } = parts
  const { models, createModelReviewers, createVerifier } = await loadModelParts(config, metrics)
  const syntax = createSyntaxParser()
  const threads = [staticReviewer, syntax]
  return {
    config,
    secrets: listSecrets(config).filter((secret) => secret !== null),
    models,
    createReviewers: (budget, settings) => [
      staticReviewer,
      ...createModelReviewers(budget, settings),
    ],
    createVerifier,
    syntax,
    log,
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map((part) => part[Symbol.asyncDispose]()))
    },
  }
}

/**
 * Creates the static reviewer and starts its first thread, for a process that has to answer soon.
 */
export function startStaticReviewer(): StaticReviewer {
  const reviewer = createStaticReviewer()
  reviewer.warmUp()
  return reviewer
}

/**
 * Loading model clients takes longer than reviewing a small change, so they load only on demand.
 */
async function loadModelParts(config: Config, metrics: Metrics): Promise<ModelParts> {
  if (config.models.main === null) {
    return {
      models: { main: null, fast: null },
      createModelReviewers: () => [],
      createVerifier: () => null,
    }
  }
  const [
    { createModels },
    { createAgenticReviewer },
    { createParallelReviewer },
    { createVerifier },
    { createCodeTools },
  ] = await Promise.all([
    import('./models/index.ts'),
    import('./reviewers/agentic-reviewer.ts'),
    import('./reviewers/parallel-reviewer.ts'),
    import('./reviewers/verifier.ts'),
    import('./tools/code-tools.ts'),
  ])
  const models = createModels(config.models, metrics)
  return {
    models,
    createModelReviewers(budget, { mode, language }) {
      const { main, fast } = models
      if (main === null || fast === null || mode === 'static') return []
      const tools = (change: Change) => [...createCodeTools(change), ...change.remoteTools]
      const common = { tools, budget, language, attentionCheck: config.review.attentionCheck }
      if ((mode ?? config.review.mode) === 'parallel')
        return [createParallelReviewer({ ...common, models: { main, fast } })]
      return [createAgenticReviewer({ ...common, model: main })]
    },
    createVerifier(budget, { mode, language }) {
      if (models.main === null || mode === 'static') return null
      return createVerifier({ model: models.main, tools: createCodeTools, budget, language })
    },
  }
}

/** All values of the configuration that must never be written to a log or a post. */
export function listSecrets({
  secrets,
  platform,
  fallback,
  models,
  database,
  mcp,
  contextSources,
}: Config): (string | null)[] {
  const password =
    database.engine === 'postgresql' ? decodeURIComponent(new URL(database.url).password) : null
  const keys = [
    models.main?.apiKey ?? null,
    models.fast?.apiKey ?? null,
    models.embedder?.apiKey ?? null,
    password,
  ]
  return [
    secrets.current,
    ...secrets.old,
    mcp.token,
    ...contextSources.flatMap((source) => source.secrets),
    platform.oauth?.clientSecret ?? null,
    fallback.token,
    fallback.webhookSecret,
    ...keys,
  ]
}
