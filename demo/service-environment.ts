// Environment variables for a service that uses a local code host.
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Forge } from '../test/fakes/forge/forge.ts'

/**
 * Returns the environment for `umpire serve`, based on the environment of this process.
 *
 * @param options.platform value of `PLATFORM`
 * @param options.folder for its data
 * @param options.model value of `MODEL`; null for none
 * @param options.port preferred port; another one is used if it is taken, and 0 means any
 */
export async function createServiceEnvironment(
  forge: Forge,
  {
    platform,
    folder,
    model,
    port: preferred,
  }: { platform: string; folder: string; model: string | null; port: number },
): Promise<Record<string, string>> {
  const port = await findFreePort(preferred)
  const publicUrl = `http://127.0.0.1:${port}`
  const { clientId, clientSecret } = forge.createOAuthApp({
    callbackUrl: `${publicUrl}/auth/callback`,
  })
  return {
    ...(process.env as Record<string, string>),
    APP_ENV: 'development',
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    DATA_DIR: join(folder, 'umpire'),
    DATABASE_URL: '',
    PLATFORM: platform,
    PLATFORM_URL: forge.url,
    PLATFORM_API_URL: forge.apiUrl,
    PLATFORM_WRITES_PER_MINUTE: '0',
    PLATFORM_NOTICES_PER_HOUR: '0',
    PLATFORM_TOKEN: '',
    WEBHOOK_SECRET: '',
    OAUTH_CLIENT_ID: clientId,
    OAUTH_CLIENT_SECRET: clientSecret,
    SIGN_IN_ALLOWED: '',
    MODEL: model ?? '',
    MODEL_FAST: model === null ? '' : (process.env.MODEL_FAST ?? ''),
  }
}

/** The preferred port, or a free port if it is taken. */
export async function findFreePort(preferred: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(findFreePort(0)))
    probe.listen(preferred, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
