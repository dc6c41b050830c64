// A temporary bare repository that uses another one's objects without changing that repository.
//
// The settings, hooks and attributes of the other repository have no effect in it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GitError } from '../domain/errors.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { createGitSnapshot } from './git-snapshot.ts'
import { readDiff } from './mirror.ts'
import { ObjectReader } from './object-reader.ts'
import { quoteBytes } from './path-encoding.ts'
import { type GitRuntime, runGit } from './run-git.ts'

const MEBIBYTE = 1024 * 1024
const COMMAND_MS = 120_000

/** A change of one path. `oid` is the id of an object that exists already. */
export type TreeEdit =
  | { readonly path: Uint8Array; readonly mode: string; readonly oid: string }
  | { readonly path: Uint8Array; readonly mode: string; readonly content: Uint8Array }
  | { readonly path: Uint8Array; readonly removed: true }

export interface ScratchRepository extends AsyncDisposable {
  /** Commits `parent` (if undefined: an empty tree) with these edits. Returns the commit's id. */
  commit(
    parent: string | undefined,
    edits: readonly TreeEdit[],
    signal: AbortSignal,
  ): Promise<string>
  /** See `Mirror.diff`; both sides may also be trees. */
  diff(base: string, head: string, signal: AbortSignal): Promise<Buffer>
  /** All snapshots of a scratch repository share a process, which ends with the repository. */
  snapshot(sha: string): Snapshot
}

/** The id of the empty tree, an object that git has without storing it. */
export function emptyTree(oidLength: number): string {
  return oidLength === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
}

/**
 * Creates a scratch repository in a temporary folder; disposing removes it.
 *
 * @param objects directory of the other repository's objects
 * @param oidLength hex digits of an object id: 40, or 64 for SHA-256
 */
export async function createScratchRepository(
  runtime: GitRuntime,
  { objects, oidLength }: { objects: string; oidLength: number },
): Promise<ScratchRepository> {
  const gitDirectory = await mkdtemp(join(tmpdir(), 'umpire-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(gitDirectory, { recursive: true, force: true, maxRetries: 3 }))
  await writeLayout(gitDirectory, objects, oidLength)
  const objectReader = stack.use(new ObjectReader(runtime, gitDirectory))
  const resources = stack.move()
  return {
    async commit(parent, edits, signal) {
      const { stdout } = await runGit(runtime, {
        gitDirectory,
        args: ['fast-import', '--quiet', '--done'],
        // The repository is short-lived, so it avoids a process for loose objects, and syncing.
        settings: [
          ['fastimport.unpackLimit', '1'],
          ['core.fsync', 'none'],
        ],
        input: formatImport(parent, edits),
        timeoutMs: COMMAND_MS,
        maxBytes: MEBIBYTE,
        signal,
      })
      return checkOid(stdout.toString('latin1').trim())
    },
    async diff(base, head, signal) {
      const limits = { timeoutMs: COMMAND_MS, signal }
      return readDiff(runtime, gitDirectory, [checkOid(base), checkOid(head)], limits)
    },
    snapshot: (sha) => createGitSnapshot(runtime, gitDirectory, checkOid(sha), objectReader),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Writes the minimal files that make a folder a repository (gitrepository-layout(5)). */
async function writeLayout(
  gitDirectory: string,
  objects: string,
  oidLength: number,
): Promise<void> {
  await Promise.all(
    ['objects/info', 'refs'].map((name) => mkdir(join(gitDirectory, name), { recursive: true })),
  )
  const sha256Settings =
    '[core]\nrepositoryFormatVersion = 1\n[extensions]\nobjectFormat = sha256\n'
  const format = oidLength === 64 ? sha256Settings : ''
  await Promise.all([
    writeFile(join(gitDirectory, 'HEAD'), 'ref: refs/heads/none\n'),
    writeFile(join(gitDirectory, 'config'), `${format}[core]\nbare = true\n`),
    writeFile(
      join(gitDirectory, 'objects/info/alternates'),
      `${quoteBytes(Buffer.from(objects))}\n`,
    ),
  ])
}

/** The input of git-fast-import(1). Removals come first, because a file may become a folder. */
function formatImport(parent: string | undefined, edits: readonly TreeEdit[]): Buffer {
  const parts: Uint8Array[] = []
  const write = (text: string) => parts.push(Buffer.from(text))
  write('commit refs/scratch\nmark :1\ncommitter Umpire <umpire@localhost> 0 +0000\ndata 0\n\n')
  if (parent !== undefined) write(`from ${checkOid(parent)}\n`)
  for (const edit of edits) if ('removed' in edit) write(`D ${quoteBytes(edit.path)}\n`)
  for (const edit of edits) {
    if ('oid' in edit) write(`M ${edit.mode} ${checkOid(edit.oid)} ${quoteBytes(edit.path)}\n`)
    if ('content' in edit) {
      write(`M ${edit.mode} inline ${quoteBytes(edit.path)}\ndata ${edit.content.length}\n`)
      parts.push(edit.content)
      write('\n')
    }
  }
  write('get-mark :1\ndone\n')
  return Buffer.concat(parts)
}

function checkOid(oid: string): string {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(oid))
    throw new GitError('git returned an invalid object id.')
  return oid
}
