// Runs the command `umpire` as people do, to its end.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { finish, type ReviewResult } from './local-repository.ts'

/** The command of this checkout. */
export const umpireCommand = fileURLToPath(new URL('../bin/umpire', import.meta.url))

/** What all runs of a test file compile is kept, so that only the first one is slow. */
const compiled = mkdtempSync(join(tmpdir(), 'umpire-compiled-'))
afterAll(() => rmSync(compiled, { recursive: true, force: true }))

/** @param options the folder has no stray `.env` file; nothing of our own environment is passed on but the PATH */
export function runUmpire(
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>>; program?: readonly string[] },
): Promise<ReviewResult> {
  const [program, ...rest] = [...(options.program ?? [umpireCommand]), ...args] as [string, ...string[]]
  return finish(
    spawn(program, rest, {
      cwd: options.cwd,
      env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: compiled, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}
