// Real git repositories without a work tree, with any bytes as names and any modes.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quoteBytes } from '../../src/git/path-encoding.ts'
import { runProgram } from './run-program.ts'

/** A file of a commit; `mode` is `100644` by default, and `content` the commit id for `160000`. */
export interface CommitFile {
  readonly content: string | Uint8Array
  readonly mode?: '100644' | '100755' | '120000' | '160000'
}

/** A whole tree: names as text, or as bytes in `latin1`, see `latin1Name`. */
export type CommitTree = ReadonlyMap<string, CommitFile | string>

/** A bare repository in a temporary folder. */
export interface BareRepository extends AsyncDisposable {
  readonly directory: string
  /** Commits exactly these files, with a branch that points at the commit. Returns its id. */
  commit(tree: CommitTree | Record<string, CommitFile | string>, branch?: string): Promise<string>
  git(args: readonly string[], input?: string | Uint8Array): Promise<Buffer>
}

/** Marks a name whose characters are bytes, for names that aren't UTF-8. */
export function latin1Name(bytes: string): string {
  return `latin1:${bytes}`
}

/** The bytes of a name in a `MadeTree`. */
export function nameBytes(name: string): Buffer {
  return name.startsWith('latin1:') ? Buffer.from(name.slice(7), 'latin1') : Buffer.from(name)
}

export async function createBareRepository(): Promise<BareRepository> {
  const root = await mkdtemp(join(tmpdir(), 'made-repository-'))
  const directory = join(root, 'repository.git')
  const git = (args: readonly string[], input: string | Uint8Array = '') =>
    runIsolatedGit(directory, args, input)
  await runIsolatedGit(root, ['init', '--quiet', '--bare', '--initial-branch=main', directory])
  return {
    directory,
    git,
    async commit(tree, branch = 'main') {
      const stream: (string | Uint8Array)[] = ['commit refs/made\nmark :1\n']
      stream.push('committer Made <made@example.org> 1700000000 +0000\ndata 4\nmade\ndeleteall\n')
      for (const [name, file] of tree instanceof Map
        ? tree
        : Object.entries(tree as Record<string, CommitFile>)) {
        const { content, mode = '100644' } = typeof file === 'string' ? { content: file } : file
        const path = quoteBytes(nameBytes(name))
        if (mode === '160000') stream.push(`M 160000 ${content} ${path}\n`)
        else
          stream.push(
            `M ${mode} inline ${path}\ndata ${Buffer.byteLength(content)}\n`,
            content,
            '\n',
          )
      }
      stream.push('get-mark :1\nreset refs/made\nfrom 0000000000000000000000000000000000000000\n')
      const input = Buffer.concat(stream.map((part) => Buffer.from(part as string)))
      const sha = (await git(['fast-import', '--quiet', '--force'], input)).toString().trim()
      await git(['update-ref', `refs/heads/${branch}`, sha])
      return sha
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

async function runIsolatedGit(
  directory: string,
  args: readonly string[],
  input: string | Uint8Array = '',
): Promise<Buffer> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  }
  const { code, stdout, stderr } = await runProgram({
    program: 'git',
    args,
    cwd: directory,
    env,
    input,
  })
  if (code !== 0) throw new Error(`git ${args[0]}: ${stderr}`)
  return stdout
}
