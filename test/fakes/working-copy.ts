// A person's clone of a repository of the forge, worked on with real git.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runProgram } from './run-program.ts'

export interface WorkingCopy extends AsyncDisposable {
  /** Runs git in it. Returns what it printed, without the line end. */
  git(...args: string[]): Promise<string>
  /** Writes files (null removes one) and commits all that changed. */
  commit(files: Readonly<Record<string, string | null>>, message?: string): Promise<void>
  /** Pushes the present branch, forced. Returns its commit. */
  push(): Promise<string>
}

/** Clones a repository for someone. */
export async function cloneRepository(
  url: string,
  who: { login: string; token: string },
): Promise<WorkingCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'working-copy-'))
  const email = `${who.login}@users.forge.example`
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: who.login,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: who.login,
    GIT_COMMITTER_EMAIL: email,
    GIT_EDITOR: 'true',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: basic ${Buffer.from(`x-access-token:${who.token}`).toString('base64')}`,
    GIT_CONFIG_KEY_1: 'maintenance.auto',
    GIT_CONFIG_VALUE_1: 'false',
  }
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProgram({ program: 'git', args, cwd: folder, env })
    if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}: ${stderr}`)
    return stdout.toString('utf8').trim()
  }
  await git('clone', '--quiet', url, '.')
  return {
    git,
    async commit(files, message = 'Change') {
      for (const [path, content] of Object.entries(files)) {
        if (content === null) await rm(join(folder, path))
        else {
          await mkdir(dirname(join(folder, path)), { recursive: true })
          await writeFile(join(folder, path), content)
        }
      }
      await git('add', '--all')
      await git('commit', '--quiet', '--message', message)
    },
    async push() {
      await git('push', '--quiet', '--force', 'origin', 'HEAD')
      return git('rev-parse', 'HEAD')
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
