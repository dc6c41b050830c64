// Where the processes that tests start keep what Node compiled, so that only the first one is slow.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** That of the whole run, see run.ts; else one for each test file. */
const given = process.env.NODE_COMPILE_CACHE
export const compileCache = given ?? mkdtempSync(join(tmpdir(), 'umpire-compiled-'))

if (given === undefined) afterAll(() => rmSync(compileCache, { recursive: true, force: true }))
