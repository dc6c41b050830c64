// Reads what package.json says of this program.
import { readFile } from 'node:fs/promises'

export interface PackageInfo {
  readonly name: string
  readonly version: string
  /** The address of the project, once it has one. */
  readonly homepage?: string
}

export async function readPackageInfo(): Promise<PackageInfo> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return JSON.parse(text) as PackageInfo
}
