// Searches the files of a commit with git grep, within limits.
import { extname } from 'node:path'
import { GitError } from '../domain/errors.ts'
import { isSafePath, pathFromBytes, pathToBytes } from './path-encoding.ts'
import { type GitRuntime, runGit } from './run-git.ts'
import type { SearchMatch, SearchOptions } from './snapshot.ts'

const TIMEOUT_MS = 5_000
const MAX_PATTERN_LENGTH = 1_000
const MAX_REPETITIONS = 1_000
/** Bytes of a match that are kept: path, line number and text. Minified files have lines of megabytes. */
const MAX_MATCH_BYTES = 8_192
const MAX_TEXT_LENGTH = 500

/** Where to search. */
export interface SearchTarget {
  readonly runtime: GitRuntime
  readonly gitDirectory: string
  readonly sha: string
}

/** See `Snapshot.search`. */
export async function searchCommit(
  commit: SearchTarget,
  pattern: string,
  options: SearchOptions,
): Promise<readonly SearchMatch[]> {
  checkPattern(pattern, options.fixed ?? false)
  if (!options.fast)
    return grep(commit, pattern, options, options.fixed ? '--fixed-strings' : '--extended-regexp')
  try {
    return await grep(commit, pattern, options, '--perl-regexp')
  } catch (error) {
    if (!(error instanceof GitError) || !error.message.includes('Perl-compatible')) throw error
    return grep(commit, pattern, options, '--extended-regexp')
  }
}

async function grep(
  commit: SearchTarget,
  pattern: string,
  options: SearchOptions,
  kind: '--fixed-strings' | '--extended-regexp' | '--perl-regexp',
): Promise<readonly SearchMatch[]> {
  const folder = options.prefix?.replace(/\/+$/, '') ?? ''
  const prefix = pathToBytes(folder)
  if (prefix.length > 0 && !isSafePath(prefix)) return []
  const limit = options.limit ?? 200
  const found: SearchMatch[] = []
  if (limit <= 0) return found
  const flags = [
    '-z',
    '-n',
    '-I',
    '--full-name',
    '--no-color',
    '--no-textconv',
    '--no-recurse-submodules',
  ]
  // Arguments can only be text: where the prefix isn't, what lies outside is filtered out below.
  const folders = folder !== '' && prefix.equals(Buffer.from(folder)) ? [folder] : []
  const globs = folders.length === 0 ? (options.extensions ?? []).map(extensionToGlob) : []
  const hasExtension = createExtensionTest(options.extensions)
  await runGit(commit.runtime, {
    gitDirectory: commit.gitDirectory,
    args: [
      'grep',
      ...flags,
      `--max-count=${limit}`,
      '--threads=1',
      ...(options.ignoreCase ? ['--ignore-case'] : []),
      kind,
      '-e',
      pattern,
      // An object id that was checked: grep takes no --end-of-options before it.
      commit.sha,
      '--',
      ...folders,
      ...globs,
    ],
    pathGlobs: globs.length > 0,
    timeoutMs: TIMEOUT_MS,
    successCodes: [0, 1],
    signal: options.signal,
    consume: createMatchReader(
      commit.sha,
      prefix,
      (match) => !hasExtension(match.path) || found.push(match) < limit,
    ),
  })
  return found
}

/** Letters in either case, and whatever else stands there as itself. */
function extensionToGlob(extension: string): string {
  const letters = [...extension].map((character) =>
    /[a-z]/.test(character) ? `[${character}${character.toUpperCase()}]` : `[${character}]`,
  )
  return `*${letters.join('')}`
}

function createExtensionTest(extensions: readonly string[] | undefined): (path: string) => boolean {
  return (path) => extensions === undefined || extensions.includes(extname(path).toLowerCase())
}

/** Refuses what git can't take, and expressions that cost the C library seconds and gigabytes. */
function checkPattern(pattern: string, fixed: boolean): void {
  if (pattern === '' || pattern.includes('\0') || pattern.length > MAX_PATTERN_LENGTH)
    throw new GitError(`The pattern must have 1 to ${MAX_PATTERN_LENGTH} characters.`)
  if (fixed) return
  // A digit behind an odd number of backslashes.
  if (/(?<!\\)(?:\\\\)*\\[1-9]/.test(pattern))
    throw new GitError(
      'Back-references such as \\1 are not supported: write the pattern without them.',
    )
  let repetitions = 1
  for (const [, least, most] of pattern.matchAll(/\{(\d*),?(\d*)\}/g))
    repetitions *= Math.max(1, Number(least), Number(most))
  if (repetitions > MAX_REPETITIONS)
    throw new GitError('The pattern repeats too much: use smaller numbers in braces.')
}

/**
 * Takes apart `<sha>:<path>\0<line>\0<text>\n` as it comes. A path can hold a line feed, so that a match ends at
 * the first one behind its second NUL. Of a long line only the beginning is kept.
 */
function createMatchReader(
  sha: string,
  prefix: Buffer,
  report: (match: SearchMatch) => boolean,
): (chunk: Buffer) => 'more' | 'enough' {
  const kept = Buffer.alloc(MAX_MATCH_BYTES)
  let length = 0
  let nuls = 0
  return (chunk) => {
    for (let start = 0; start < chunk.length; ) {
      const found = chunk.indexOf(nuls === 2 ? 0x0a : 0, start)
      const isEnd = found !== -1 && nuls === 2
      // Of what ends a part, a NUL is kept and a line feed isn't.
      const end = found === -1 ? chunk.length : isEnd ? found : found + 1
      length += chunk.copy(kept, length, start, end)
      start = isEnd ? end + 1 : end
      if (found === -1) continue
      if (!isEnd) {
        nuls++
        continue
      }
      const match = readMatch(kept.subarray(0, length), sha, prefix)
      length = nuls = 0
      if (match !== undefined && !report(match)) return 'enough'
    }
    return 'more'
  }
}

function readMatch(bytes: Buffer, sha: string, prefix: Buffer): SearchMatch | undefined {
  const pathEnd = bytes.indexOf(0)
  const lineEnd = bytes.indexOf(0, pathEnd + 1)
  const path = bytes.subarray(sha.length + 1, pathEnd)
  if (!isUnder(path, prefix) || !isSafePath(path)) return undefined
  return {
    path: pathFromBytes(path),
    line: Number(bytes.toString('latin1', pathEnd + 1, lineEnd)),
    text: bytes.toString('utf8', lineEnd + 1).slice(0, MAX_TEXT_LENGTH),
  }
}

function isUnder(path: Buffer, prefix: Buffer): boolean {
  if (prefix.length === 0) return true
  const next = path[prefix.length]
  return path.subarray(0, prefix.length).equals(prefix) && (next === undefined || next === 0x2f)
}
