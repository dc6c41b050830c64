// Searches the files of a commit with git grep, with limits on time, pattern and matches.
import { extname } from 'node:path'
import { GitError } from '../domain/errors.ts'
import type { SearchMatch, SearchOptions } from '../domain/snapshot.ts'
import { isSafePath, pathFromBytes, pathToBytes } from './path-encoding.ts'
import { type GitRuntime, runGit } from './run-git.ts'

const TIMEOUT_MS = 5_000
const MAX_PATTERN_LENGTH = 1_000
const MAX_REPETITIONS = 1_000
/** The limit for path, line number and text together: minified files have lines of megabytes. */
const MAX_MATCH_BYTES = 8_192
const MAX_TEXT_LENGTH = 500

interface SearchTarget {
  readonly runtime: GitRuntime
  readonly gitDirectory: string
  readonly sha: string
}

type PatternKind = '--fixed-strings' | '--extended-regexp' | '--perl-regexp'

/** Implements `Snapshot.search`. */
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
    const isUnsupported = error instanceof GitError && error.message.includes('Perl-compatible')
    if (!isUnsupported) throw error
    return grep(commit, pattern, options, '--extended-regexp')
  }
}

const grepFlags = [
  '-z',
  '-n',
  '-I',
  '--full-name',
  '--no-color',
  '--no-textconv',
  '--no-recurse-submodules',
]

async function grep(
  commit: SearchTarget,
  pattern: string,
  options: SearchOptions,
  kind: PatternKind,
): Promise<readonly SearchMatch[]> {
  const folder = options.prefix?.replace(/\/+$/, '') ?? ''
  const prefix = pathToBytes(folder)
  if (prefix.length > 0 && !isSafePath(prefix)) return []
  const limit = options.limit ?? 200
  const matches: SearchMatch[] = []
  if (limit <= 0) return matches
  // Arguments must be text. If the prefix isn't UTF-8, `readMatch` drops the files outside of it.
  const isTextPrefix = folder !== '' && prefix.equals(Buffer.from(folder))
  const folders = isTextPrefix ? [folder] : []
  const globs = folders.length === 0 ? (options.extensions ?? []).map(extensionToGlob) : []
  const hasExtension = createExtensionTest(options.extensions)
  await runGit(commit.runtime, {
    gitDirectory: commit.gitDirectory,
    args: [
      'grep',
      ...grepFlags,
      `--max-count=${limit}`,
      '--threads=1',
      ...(options.ignoreCase ? ['--ignore-case'] : []),
      kind,
      '-e',
      pattern,
      // grep accepts no --end-of-options here, but the object id was checked.
      commit.sha,
      '--',
      ...folders,
      ...globs,
    ],
    pathGlobs: globs.length > 0,
    timeoutMs: TIMEOUT_MS,
    successCodes: [0, 1],
    signal: options.signal,
    consume: createMatchReader(commit.sha, prefix, (match) => {
      if (hasExtension(match.path)) matches.push(match)
      return matches.length < limit
    }),
  })
  return matches
}

/** A glob that matches letters in either case and every other character literally. */
function extensionToGlob(extension: string): string {
  const letters = [...extension].map((character) =>
    /[a-z]/.test(character) ? `[${character}${character.toUpperCase()}]` : `[${character}]`,
  )
  return `*${letters.join('')}`
}

function createExtensionTest(extensions: readonly string[] | undefined): (path: string) => boolean {
  return (path) => extensions === undefined || extensions.includes(extname(path).toLowerCase())
}

/** Rejects invalid patterns, and expressions that take the C library seconds and gigabytes. */
function checkPattern(pattern: string, isLiteral: boolean): void {
  if (pattern === '' || pattern.includes('\0') || pattern.length > MAX_PATTERN_LENGTH)
    throw new GitError(`The pattern must have 1 to ${MAX_PATTERN_LENGTH} characters.`)
  if (isLiteral) return
  // A back-reference is a digit after an odd number of backslashes.
  if (/(?<!\\)(?:\\\\)*\\[1-9]/.test(pattern))
    throw new GitError(
      'Back-references such as \\1 are not supported: write the pattern without them.',
    )
  let repetitions = 1
  for (const [, min, max] of pattern.matchAll(/\{(\d*),?(\d*)\}/g))
    repetitions *= Math.max(1, Number(min), Number(max))
  if (repetitions > MAX_REPETITIONS)
    throw new GitError('The pattern repeats too much: use smaller numbers in braces.')
}

/**
 * Creates a parser of grep's output, a stream of `<sha>:<path>\0<line>\0<text>\n`. A path can
 * contain a line feed, so a match ends at the first line feed after its second NUL. Only the first
 * `MAX_MATCH_BYTES` of a match are stored. `report` returns whether to continue.
 */
function createMatchReader(
  sha: string,
  prefix: Buffer,
  report: (match: SearchMatch) => boolean,
): (chunk: Buffer) => 'more' | 'enough' {
  const buffer = Buffer.alloc(MAX_MATCH_BYTES)
  let length = 0
  let nulCount = 0
  return (chunk) => {
    let position = 0
    while (position < chunk.length) {
      const isInText = nulCount === 2
      const found = chunk.indexOf(isInText ? 0x0a : 0, position)
      if (found === -1) {
        length += chunk.copy(buffer, length, position)
        return 'more'
      }
      if (!isInText) {
        // The NUL is stored too, because `readMatch` splits at it.
        length += chunk.copy(buffer, length, position, found + 1)
        position = found + 1
        nulCount++
        continue
      }
      length += chunk.copy(buffer, length, position, found)
      position = found + 1
      const match = readMatch(buffer.subarray(0, length), sha, prefix)
      length = 0
      nulCount = 0
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
