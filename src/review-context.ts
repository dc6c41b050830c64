// The part of the composition root that the command line shares: what a review needs without a
// server.

import type { SyntaxParser } from './code/syntax-parser.ts'
import type { Config, ReviewContext } from './context.ts'
import type { Change } from './domain/change.ts'
import type { Log } from './lib/logger.ts'
import { type Metrics, noMetrics } from './metrics/metrics.ts'
import { chooseModels } from './models/choose-models.ts'
import { listSecrets } from './read-config.ts'
import { createRuleParser } from './reviewers/create-rule-parser.ts'
import { createStaticReviewer } from './reviewers/static-reviewer.ts'

type ModelParts = Pick<ReviewContext, 'models' | 'createVerifier' | 'createAnswerer'> & {
  /** Creates only the reviewers that use a model. */
  readonly createModelReviewers: (
    ...args: Parameters<ReviewContext['createVerifier']>
  ) => ReturnType<ReviewContext['createReviewers']>
}

/**
 * Creates the context of reviews. Dispose of it, because it may hold threads.
 *
 * @param parts `syntax`: an existing parser, which is disposed of with the context; `secrets`: a
 *   list that may become longer
 */
export async function createReviewContext(
  config: Config,
  log: Log,
  parts: {
    syntax?: SyntaxParser & AsyncDisposable
    metrics?: Metrics
    secrets?: readonly string[]
  } = {},
): Promise<ReviewContext & AsyncDisposable> {
  const { syntax = createRuleParser(), metrics = noMetrics, secrets = listSecrets(config) } = parts
  const { createModelReviewers, ...modelParts } = await loadModelParts(config, metrics)
  return {
    config,
    secrets,
    ...modelParts,
    createReviewers: (budget, change, syntax) => [
      createStaticReviewer(syntax),
      ...createModelReviewers(budget, change, syntax),
    ],
    syntax,
    log,
    [Symbol.asyncDispose]: () => syntax[Symbol.asyncDispose](),
  }
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
      createAnswerer: () => null,
    }
  }
  const [
    { createModels },
    { createAgenticReviewer },
    { createParallelReviewer },
    { createVerifier },
    { createAnswerer },
    { createCodeTools },
  ] = await Promise.all([
    import('./models/index.ts'),
    import('./reviewers/agentic-reviewer.ts'),
    import('./reviewers/parallel-reviewer.ts'),
    import('./reviewers/verifier.ts'),
    import('./reviewers/answerer.ts'),
    import('./tools/code-tools.ts'),
  ])
  const models = createModels(config.models, metrics)
  return {
    models,
    createModelReviewers(budget, change, syntax) {
      const { main, fast } = chooseModels(models, change)
      const { mode, language } = change.settings
      if (main === null || fast === null || mode === 'static') return []
      const tools = (change: Change) => [...createCodeTools(change, syntax), ...change.remoteTools]
      const common = { tools, budget, language, attentionCheck: config.review.attentionCheck }
      if ((mode ?? config.review.mode) === 'parallel')
        return [createParallelReviewer({ ...common, models: { main, fast } })]
      return [createAgenticReviewer({ ...common, model: main })]
    },
    createVerifier(budget, change, syntax) {
      const { main: model } = chooseModels(models, change)
      const { mode, language } = change.settings
      if (model === null || mode === 'static') return null
      const tools = (change: Change) => createCodeTools(change, syntax)
      return createVerifier({ model, tools, budget, language })
    },
    createAnswerer(budget, change, syntax) {
      const { main: model } = chooseModels(models, change)
      const { mode, language } = change.settings
      if (model === null || mode === 'static') return null
      const tools = (change: Change) => createCodeTools(change, syntax)
      return createAnswerer({ model, tools, budget, language })
    },
  }
}
