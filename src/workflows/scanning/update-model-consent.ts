// Looks whether a repository lets models be asked about it.
import { transactionWithRetry } from '../../db/transaction.ts'
import { saveModelConsent } from '../../jobs/model-consent.ts'
import { deleteVectors } from '../../knowledge/memory/save-vectors.ts'
import { loadSettings } from '../gathering/read-settings.ts'
import type { Scan } from './scan-context.ts'

/** Writes down what its default branch says. Where it wants the fixed rules only, what an embedder made of its memories goes. */
export async function updateModelConsent({ ctx, scan, snapshot }: Scan): Promise<void> {
  const { settings } = await loadSettings(snapshot)
  const asksModels = settings.mode !== 'static'
  await saveModelConsent(ctx.db, scan, asksModels)
  if (!asksModels) await transactionWithRetry(ctx.db, (tx) => deleteVectors(tx, scan.repo))
}
