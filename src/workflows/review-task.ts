// Defines what the steps of a review get.
import type { Budget } from '../models/index.ts'
import type { ClaimedRun } from '../work/runs.ts'
import type { ChosenAccess } from './choose-access.ts'

export interface ReviewTask {
  readonly run: ClaimedRun
  /** The repository, and the token to read and write it. */
  readonly access: ChosenAccess
  /** It limits the model calls of this run. */
  readonly budget: Budget
  /** It is aborted to interrupt the run, with the reason. */
  readonly signal: AbortSignal
}

/** Of a step that calls no model. */
export type ReviewStep = Omit<ReviewTask, 'budget'>
