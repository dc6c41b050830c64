// Finds the application with which people sign in at a code host, and which renews their tokens.
import { readApp } from '../../accounts/platform-apps.ts'
import type { Db } from '../../db/database.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import type { HostSettings } from '../../platforms/code-hosts.ts'
import type { OAuthApplication, Platform } from '../../platforms/platform.ts'

interface ApplicationContext {
  readonly config: Pick<HostSettings, 'platform'>
  readonly db: Db
  readonly keys: KeyRing
  readonly platform: Platform
}

/** The configured application, else the App of this deployment; undefined if there is neither. */
export async function findApplication({
  config,
  db,
  keys,
  platform,
}: ApplicationContext): Promise<OAuthApplication | undefined> {
  return config.platform.oauth ?? (await readApp(db, keys, platform.id))
}
