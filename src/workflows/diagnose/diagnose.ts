// Checks an installation: what works, what doesn't, and what to do about it.
import type { Config } from '../../context.ts'
import type { Platform } from '../../platforms/platform.ts'
import { type Check, type CheckResult, runChecks } from './check.ts'
import { checkApp } from './check-app.ts'
import { checkClock } from './check-clock.ts'
import { checkDataFolder, checkDisk } from './check-data-folder.ts'
import { checkDatabase, checkDeliveries, checkDurability } from './check-database.ts'
import { checkEmbedder } from './check-embedder.ts'
import { checkMcp } from './check-mcp.ts'
import { checkModels } from './check-models.ts'
import {
  checkApplication,
  checkPlatform,
  checkPlatformToken,
  checkSignIn,
} from './check-platform.ts'
import { checkGit, checkNode } from './check-programs.ts'
import { checkPublicAddress } from './check-public-address.ts'
import { checkSecretKey } from './check-secret-key.ts'
import { checkService, checkWebhookSecret } from './check-service.ts'
import { checkSources } from './check-sources.ts'
import { type Evidence, gatherEvidence, type Setup } from './setup.ts'

/** The deadline is longer than the timeout of a model call. */
const modelDeadlineMs = 40_000

/**
 * Runs all checks concurrently. Changes nothing, except for the cost of model calls.
 *
 * @param secrets values to redact in all texts
 * @throws the signal's reason if it was aborted
 */
export async function diagnose(
  setup: Setup,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  const done = new AbortController()
  const evidence = gatherEvidence(setup, AbortSignal.any([signal, done.signal]))
  try {
    return await runChecks(listChecks(setup, evidence), secrets, signal)
  } finally {
    done.abort()
  }
}

function listChecks({ config, platforms }: Setup, evidence: Evidence): Check[] {
  const ofHosts = config.hosts.map((settings, index) =>
    listHostChecks({ ...config, ...settings }, platforms[index] as Platform, {
      ...evidence,
      inspection: evidence.platforms[index] as Evidence['platforms'][number],
    }),
  )
  return [
    { name: 'node', run: async () => checkNode() },
    { name: 'git', run: (signal) => checkGit(config.childEnvironment, signal) },
    { name: 'data folder', run: () => checkDataFolder(config.dataDir) },
    { name: 'disk', run: () => checkDisk(config.dataDir) },
    { name: 'secret key', run: () => checkSecretKey(config, evidence) },
    { name: 'database', run: () => checkDatabase(config, evidence) },
    { name: 'durability', run: () => checkDurability(evidence) },
    { name: 'deliveries', run: () => checkDeliveries(config, evidence) },
    ...ofHosts.flat(),
    { name: 'sign-in', run: async () => checkSignIn(config) },
    { name: 'MCP server', run: async () => checkMcp(config) },
    {
      name: 'model',
      deadlineMs: modelDeadlineMs,
      run: (signal) => checkModels(config, signal),
    },
    {
      name: 'embedder',
      deadlineMs: modelDeadlineMs,
      run: (signal) => checkEmbedder(config, signal),
    },
    {
      name: 'context sources',
      deadlineMs: modelDeadlineMs,
      run: (signal) => checkSources(config, signal),
    },
    { name: 'clock', run: () => checkClock(config.database, evidence) },
  ]
}

/** The checks of a host that isn't the first one are named with its id. */
function listHostChecks(
  config: Config,
  platform: Platform,
  evidence: Evidence & { readonly inspection: Evidence['platforms'][number] },
): Check[] {
  const { name: host } = config.platform
  const checks: Check[] = [
    { name: 'platform', run: () => checkPlatform(config.platform, evidence.inspection) },
    { name: 'platform token', run: (signal) => checkPlatformToken(config, platform, signal) },
    { name: 'App', run: (signal) => checkApp(config, platform, evidence, signal) },
    {
      name: 'sign-in application',
      run: (signal) => checkApplication(config, platform, evidence, signal),
    },
    { name: 'public address', run: () => checkPublicAddress(config) },
    { name: 'service', run: (signal) => checkService(config, evidence, signal) },
    { name: 'webhook secret', run: async () => checkWebhookSecret(config) },
  ]
  if (host === null) return checks
  return checks.map((check) => ({ ...check, name: `${check.name} (${host})` }))
}
