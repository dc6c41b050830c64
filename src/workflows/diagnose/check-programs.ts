// Checks Node.js and git.
import { gitRuntimeFrom, runGit } from '../../git/run-git.ts'
import { type Observation, ok, problem } from './check.ts'

/** The first version with all features that reviews use. */
const minGitVersion = [2, 36] as const

export function checkNode(): Observation {
  return ok(`Node.js ${process.versions.node}.`)
}

/** @param environment the variables that git gets */
export async function checkGit(
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Observation> {
  const run = { args: ['version'], timeoutMs: 10_000, maxBytes: 1000, signal }
  const output = (await runGit(gitRuntimeFrom(environment), run)).stdout.toString('utf8').trim()
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(output) ?? []
  if (major === undefined || minor === undefined)
    return problem(`git reports an unknown version: ${output}`, upgrade)
  const [oldMajor, oldMinor] = minGitVersion
  const isOld = Number(major) < oldMajor || (Number(major) === oldMajor && Number(minor) < oldMinor)
  if (isOld) return problem(`git ${major}.${minor} is too old.`, upgrade)
  return ok(`git ${output.slice('git version '.length)}.`)
}

const upgrade = `Install git ${minGitVersion.join('.')} or later.`
