// The compile cache of processes that tests start, so that only the first one is slow.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** The run shares one cache, see run-tests.ts. Without it, each test file has its own. */
const given = process.env.NODE_COMPILE_CACHE
export const compileCache = given ?? mkdtempSync(join(tmpdir(), 'umpire-compiled-'))

if (given === undefined) afterAll(() => rmSync(compileCache, { recursive: true, force: true }))
