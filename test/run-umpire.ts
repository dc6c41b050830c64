// Runs the `umpire` command of this checkout to its end.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'
import { type ReviewResult, waitForExit } from './local-test-repository.ts'

export const umpireCommand = fileURLToPath(new URL('../bin/umpire', import.meta.url))

/** @param options the folder has no `.env` file; only the PATH of our environment is passed on */
export function runUmpire(
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>>; program?: readonly string[] },
): Promise<ReviewResult> {
  const [program, ...rest] = [...(options.program ?? [umpireCommand]), ...args] as [
    string,
    ...string[],
  ]
  return waitForExit(
    spawn(program, rest, {
      cwd: options.cwd,
      env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: compileCache, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}
