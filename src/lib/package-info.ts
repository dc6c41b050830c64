// What this program calls itself.
import { readFile } from 'node:fs/promises'

/** Name and version, from the package. */
export async function readPackageInfo(): Promise<{
  readonly name: string
  readonly version: string
}> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return JSON.parse(text) as { name: string; version: string }
}
