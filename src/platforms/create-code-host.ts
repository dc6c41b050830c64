// Creates the adapter of one of the code hosts of a deployment.
import { bindToHost } from './bind-to-host.ts'
import type { CodeHost } from './code-hosts.ts'
import { createPlatform } from './index.ts'
import type { Platform } from './platform.ts'
import type { PlatformMetrics } from './record-platform-calls.ts'
import { noPacing, type WritePacer } from './write-pacer.ts'

export function createCodeHost(
  { id, kind, name, ...config }: CodeHost,
  parts: { metrics?: PlatformMetrics; writePacer?: WritePacer } = {},
): Platform {
  const { writePacer = noPacing } = parts
  const platform = createPlatform(
    { ...config, id: kind },
    { ...parts, writePacer: name === null ? writePacer : paceApart(writePacer, name) },
  )
  return bindToHost(platform, { id, name })
}

/** Hosts limit writes each for itself, also those of Apps and owners with the same names. */
function paceApart(pacer: WritePacer, host: string): WritePacer {
  const accountOf = (account: string) => `${account}@${host}`
  return {
    waitForTurn: (write, signal) =>
      pacer.waitForTurn({ ...write, account: accountOf(write.account) }, signal),
    recordRefusal: (account, milliseconds) => pacer.recordRefusal(accountOf(account), milliseconds),
  }
}
