// Reads the sample repository: its main branch and the change to review.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Fake key, joined at run time so that secret scanners do not report this file. */
const providerKey = ['sk', 'live', '51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sQ'].join('_')

/** The files of the main branch or of the change, by path. */
export function readSample(name: 'main' | 'topic'): Record<string, string> {
  const root = fileURLToPath(new URL(`sample/${name}/`, import.meta.url))
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    paths.map((path) => [
      path.slice(root.length),
      readFileSync(path, 'utf8').replace('PROVIDER_KEY', providerKey),
    ]),
  )
}
