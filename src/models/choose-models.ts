// Chooses between the configured models for one change.
import type { Change } from '../domain/change.ts'
import type { Models } from './model.ts'

/**
 * Returns the models that review a change. Where the settings of its repository give it to the fast
 * model, that one takes the place of the main model, in verification and answers too.
 */
export function chooseModels(
  models: Models,
  { settings, files }: Pick<Change, 'settings' | 'files'>,
): Models {
  const lines = files.reduce((sum, { additions, deletions }) => sum + additions + deletions, 0)
  const isFast =
    settings.model === 'fast' || (settings.fastLines !== null && lines <= settings.fastLines)
  return isFast ? { main: models.fast, fast: models.fast } : models
}
