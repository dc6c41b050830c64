// Records the metrics of one model's calls: outcome, duration, usage, and whether it refuses them.
import type { ModelErrorCode } from '../domain/errors.ts'
import type { Usage } from '../domain/review.ts'
import { type LabelValue, type Metrics, secondsSince } from '../metrics/metrics.ts'

export type ModelMetrics = Pick<
  Metrics,
  'modelCalls' | 'modelCallDuration' | 'modelTokens' | 'modelCost' | 'modelRefusing'
>

export interface ModelCallRecorder {
  recordUsage(usage: Usage): void
  /** @param startedAt is a time of `performance.now()` */
  recordAnswer(startedAt: number): void
  recordFailure(code: ModelErrorCode): void
}

/** @param model its role in the configuration, because labels must not contain free text */
export function createModelCallRecorder(
  metrics: ModelMetrics,
  model: LabelValue<'modelCalls', 'model'>,
): ModelCallRecorder {
  return {
    recordUsage({ inputTokens, outputTokens, cachedInputTokens, costUsd }) {
      metrics.modelTokens.inc({ model, kind: 'input' }, inputTokens)
      metrics.modelTokens.inc({ model, kind: 'cached_input' }, cachedInputTokens)
      metrics.modelTokens.inc({ model, kind: 'output' }, outputTokens)
      metrics.modelCost.inc({ model }, costUsd ?? 0)
    },
    recordAnswer(startedAt) {
      metrics.modelCalls.inc({ model, outcome: 'ok' })
      metrics.modelCallDuration.observe({ model }, secondsSince(startedAt))
      metrics.modelRefusing.set({ model }, 0)
    },
    recordFailure(code) {
      metrics.modelCalls.inc({ model, outcome: nameFailure(code) })
      const refusing = isRefusing[code]
      if (refusing !== undefined) metrics.modelRefusing.set({ model }, refusing ? 1 : 0)
    },
  }
}

/** Whether a failure shows that the key, the account or the model is refused, or accepted. */
const isRefusing: { readonly [Code in ModelErrorCode]?: boolean } = {
  model_unauthorized: true,
  model_misconfigured: true,
  model_refused: false,
  model_invalid_output: false,
}

function nameFailure(code: ModelErrorCode) {
  type Name = ModelErrorCode extends `model_${infer Rest}` ? Rest : never
  return code.slice('model_'.length) as Name
}
