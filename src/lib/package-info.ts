// Reads the name and the version of this program.
import { readFile } from 'node:fs/promises'

export async function readPackageInfo(): Promise<{
  readonly name: string
  readonly version: string
}> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return JSON.parse(text) as { name: string; version: string }
}
