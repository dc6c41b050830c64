// Updates the stored consent of a repository to the use of models.
import { transactionWithRetry } from '../../db/transaction.ts'
import { saveModelConsent } from '../../jobs/model-consent.ts'
import { deleteVectors } from '../../knowledge/memory/save-vectors.ts'
import { loadSettings } from '../gathering/read-settings.ts'
import type { Scan } from './scan-context.ts'

/**
 * Saves the consent from the default branch's settings. Without consent, the vectors of its
 * memories are deleted.
 */
export async function updateModelConsent({ ctx, scan, snapshot }: Scan): Promise<void> {
  const { settings } = await loadSettings(snapshot)
  const asksModels = settings.mode !== 'static'
  await saveModelConsent(ctx.db, scan, asksModels)
  if (!asksModels) await transactionWithRetry(ctx.db, (tx) => deleteVectors(tx, scan.repo))
}
