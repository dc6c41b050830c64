// A bare repository of our own over the objects of another: what is done in it leaves that one as it is, and none of that
// one's settings, hooks or attributes count in it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GitError } from '../domain/errors.ts'
import { createGitSnapshot } from './git-snapshot.ts'
import { diffArgs } from './mirror.ts'
import { ObjectReader } from './object-reader.ts'
import { quoteBytes } from './path-encoding.ts'
import { type GitRuntime, runGit } from './run-git.ts'
import type { Snapshot } from './snapshot.ts'

const MEBIBYTE = 1024 * 1024
const COMMAND_MS = 120_000

/** What becomes of one path. `oid` names an object that is there already. */
export type TreeEdit =
  | { readonly path: Uint8Array; readonly mode: string; readonly oid: string }
  | { readonly path: Uint8Array; readonly mode: string; readonly content: Uint8Array }
  | { readonly path: Uint8Array; readonly removed: true }

export interface ScratchRepository extends AsyncDisposable {
  /** Makes a commit: `parent` (none: an empty tree) with these edits. Returns its id. */
  commit(
    parent: string | undefined,
    edits: readonly TreeEdit[],
    signal: AbortSignal,
  ): Promise<string>
  /** See `Mirror.diff`; either side may be a tree too. */
  diff(base: string, head: string, signal: AbortSignal): Promise<Buffer>
  /** The snapshots of one scratch repository share a process; it ends with the repository. */
  snapshot(sha: string): Snapshot
}

/** The object ids of trees without entries: git knows them without their being stored. */
export function emptyTree(oidLength: number): string {
  return oidLength === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
}

/**
 * Makes a scratch repository in a temporary folder; disposing removes it.
 *
 * @param objects folder of the objects that it shows
 * @param oidLength digits of an object id: 40, or 64 for SHA-256
 */
export async function createScratchRepository(
  host: GitRuntime,
  { objects, oidLength }: { objects: string; oidLength: number },
): Promise<ScratchRepository> {
  const gitDirectory = await mkdtemp(join(tmpdir(), 'umpire-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(gitDirectory, { recursive: true, force: true, maxRetries: 3 }))
  await writeLayout(gitDirectory, objects, oidLength)
  const objectReader = stack.use(new ObjectReader(host, gitDirectory))
  const held = stack.move()
  return {
    async commit(parent, edits, signal) {
      const { stdout } = await runGit(host, {
        gitDirectory,
        args: ['fast-import', '--quiet', '--done'],
        // It is gone in a moment: no loose objects by a further process, no waiting for the disk.
        settings: [
          ['fastimport.unpackLimit', '1'],
          ['core.fsync', 'none'],
        ],
        input: writeImport(parent, edits),
        timeoutMs: COMMAND_MS,
        maxBytes: MEBIBYTE,
        signal,
      })
      return checkOid(stdout.toString('latin1').trim())
    },
    async diff(base, head, signal) {
      const { stdout, cut } = await runGit(host, {
        gitDirectory,
        args: [...diffArgs, checkOid(base), checkOid(head)],
        timeoutMs: COMMAND_MS,
        maxBytes: 50 * MEBIBYTE,
        signal,
      })
      // What ends with a line end would count as whole.
      return cut && stdout.at(-1) === 0x0a ? stdout.subarray(0, -1) : stdout
    },
    snapshot: (sha) => createGitSnapshot(host, gitDirectory, checkOid(sha), objectReader),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

/** The least that git takes for a repository (gitrepository-layout(5)). */
async function writeLayout(
  gitDirectory: string,
  objects: string,
  oidLength: number,
): Promise<void> {
  await Promise.all(
    ['objects/info', 'refs'].map((name) => mkdir(join(gitDirectory, name), { recursive: true })),
  )
  const format =
    oidLength === 64
      ? '[core]\nrepositoryFormatVersion = 1\n[extensions]\nobjectFormat = sha256\n'
      : ''
  await Promise.all([
    writeFile(join(gitDirectory, 'HEAD'), 'ref: refs/heads/none\n'),
    writeFile(join(gitDirectory, 'config'), `${format}[core]\nbare = true\n`),
    writeFile(
      join(gitDirectory, 'objects/info/alternates'),
      `${quoteBytes(Buffer.from(objects))}\n`,
    ),
  ])
}

/** A stream for git-fast-import(1). Removals come first: a file may become a folder. */
function writeImport(parent: string | undefined, edits: readonly TreeEdit[]): Buffer {
  const parts: Uint8Array[] = []
  const say = (text: string) => parts.push(Buffer.from(text))
  say('commit refs/scratch\nmark :1\ncommitter Umpire <umpire@localhost> 0 +0000\ndata 0\n\n')
  if (parent !== undefined) say(`from ${checkOid(parent)}\n`)
  for (const edit of edits) if ('removed' in edit) say(`D ${quoteBytes(edit.path)}\n`)
  for (const edit of edits) {
    if ('oid' in edit) say(`M ${edit.mode} ${checkOid(edit.oid)} ${quoteBytes(edit.path)}\n`)
    if ('content' in edit) {
      say(`M ${edit.mode} inline ${quoteBytes(edit.path)}\ndata ${edit.content.length}\n`)
      parts.push(edit.content)
      say('\n')
    }
  }
  say('get-mark :1\ndone\n')
  return Buffer.concat(parts)
}

function checkOid(oid: string): string {
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(oid))
    throw new GitError('git gave something else than an object id.')
  return oid
}
