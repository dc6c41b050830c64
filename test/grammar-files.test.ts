// The grammars in the folders of languages are the files of the packages that they name.
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const grammars = globSync('src/languages/*/*.wasm', { cwd: root })

it.each(grammars)(
  '%s has its license, its origin and the checksum of the published file',
  (path) => {
    const license = readFileSync(`${root}${path.replace(/wasm$/, 'LICENSE')}`, 'utf8')
    const checksum = createHash('sha256')
      .update(readFileSync(`${root}${path}`))
      .digest('hex')
    expect(license).toContain(`SHA-256: ${checksum}\n`)
    expect(license).toMatch(/ the npm package \S+ \d+\.\d+\.\d+\.\n/)
    expect(license).toContain('Permission is hereby granted')
  },
)
