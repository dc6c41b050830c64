// Gathers what is to be reviewed: the two commits, their diff, and which of its files people wrote.
import { join } from 'node:path'
import { defaultSettings } from '../config/repository-config.ts'
import type { AppContext } from '../context.ts'
import type { FileDiff } from '../domain/diff.ts'
import { GitError } from '../domain/errors.ts'
import type { PullRequest } from '../domain/pull-request.ts'
import type { SkippedFile } from '../domain/review.ts'
import type { Access } from '../platforms/platform.ts'
import type { Change, EarlierReviews } from '../reviewers/reviewer.ts'
import { classifyFile } from '../workspace/classify-file.ts'
import { parseDiff } from '../workspace/diff.ts'
import { openMirror } from '../workspace/git.ts'
import { languageOfPath } from '../workspace/languages.ts'
import { gitHostFrom } from '../workspace/run-git.ts'
import type { Snapshot } from '../workspace/snapshot.ts'
import { createPlatformSnapshot } from './platform-snapshot.ts'

/** Both commits at hand, and the raw diff between them. */
interface Sources {
  readonly head: Snapshot
  readonly base: Snapshot
  readonly rawDiff: Uint8Array | string
  readonly notes: readonly string[]
}

/** Where the git mirrors are. */
export function mirrorDirectory(config: { dataDir: string }): string {
  return join(config.dataDir, 'mirrors')
}

type GatherContext = Pick<AppContext, 'platform' | 'config' | 'log'>

/**
 * Gathers a change at the head that `pullRequest` shows. The diff is git's own between the merge base and that very
 * head, so it can't be of another one, however large it is; where the repository can't be fetched, the platform's
 * API stands in. Dispose of it: it holds git processes.
 */
export async function gatherChange(
  ctx: GatherContext,
  access: Access,
  { pullRequest, earlier }: { pullRequest: PullRequest; earlier: EarlierReviews },
  signal: AbortSignal,
): Promise<Change & AsyncDisposable> {
  const headSha = pullRequest.head.sha
  const mergeBaseSha = await ctx.platform.mergeBase(access, pullRequest.base.sha, headSha, signal)
  const commits = { headSha, mergeBaseSha }
  const sources = await fetchSources(ctx, access, pullRequest.number, commits, signal)
  await using stack = new AsyncDisposableStack()
  stack.use(sources.head)
  stack.use(sources.base)
  const diff = parseDiff(sources.rawDiff)
  const { files, skipped } = await sortFiles(diff.files, sources)
  const { head, base, notes } = sources
  const held = stack.move()
  return {
    pullRequest,
    ...commits,
    diff,
    files,
    skipped,
    notes,
    head,
    base,
    settings: defaultSettings,
    commits: [],
    issues: [],
    earlier,
    history: async () => [],
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

async function fetchSources(
  ctx: GatherContext,
  access: Access,
  number: number,
  commits: { headSha: string; mergeBaseSha: string },
  signal: AbortSignal,
): Promise<Sources> {
  const { headSha, mergeBaseSha } = commits
  try {
    const mirror = openMirror({
      directory: mirrorDirectory(ctx.config),
      address: ctx.platform.cloneAddress(access),
      trustedHosts: [new URL(ctx.config.platform.url).host],
      host: gitHostFrom(ctx.config.childEnvironment),
    })
    await mirror.fetchCommits([headSha, mergeBaseSha], { signal })
    const rawDiff = await mirror.diff(mergeBaseSha, headSha, { signal })
    return { head: mirror.snapshot(headSha), base: mirror.snapshot(mergeBaseSha), rawDiff, notes: [] }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof GitError)) throw error
    ctx.log.warn({ err: error }, 'The repository could not be fetched with git; the API stands in')
    return {
      head: createPlatformSnapshot(ctx.platform, access, headSha, signal),
      base: createPlatformSnapshot(ctx.platform, access, mergeBaseSha, signal),
      rawDiff: await ctx.platform.getDiff(access, number, signal),
      notes: ['The repository could not be fetched with git, so nothing was searched for in it.'],
    }
  }
}

/** Tells the files that are to be reviewed from those that nobody reviews. */
export async function sortFiles(
  all: readonly FileDiff[],
  sources: Pick<Sources, 'head' | 'base'>,
): Promise<{ files: FileDiff[]; skipped: SkippedFile[] }> {
  const files: FileDiff[] = []
  const skipped: SkippedFile[] = []
  for (const file of all) {
    const reason = await findSkipReason(file, sources)
    if (reason === null) files.push(file)
    else skipped.push({ path: file.path, ...reason })
  }
  return { files, skipped }
}

async function findSkipReason(
  file: FileDiff,
  sources: Pick<Sources, 'head' | 'base'>,
): Promise<Pick<SkippedFile, 'reason' | 'matters'> | null> {
  if (file.submodule) return { reason: 'submodule', matters: false }
  const byPath = classifyFile(file.path)
  // A program can't hide itself behind its size or a stray byte.
  const isProgram = byPath.kind === 'source' && languageOfPath(file.path)?.type === 'programming'
  if (file.binary) return { reason: 'binary, or larger than 8 MB', matters: isProgram }
  if (byPath.kind !== 'source') return { reason: byPath.reason, matters: false }
  const content = await readForClass(file, sources)
  if (content === null) return { reason: 'larger than 1 MB, or not readable', matters: true }
  const byContent = classifyFile(file.path, content)
  // A file's own word that it was generated counts only where it stood before this change: a new file can't hide
  // itself behind it.
  const hides = byContent.kind === 'generated' && isNew(file)
  return byContent.kind === 'source' || hides ? null : { reason: byContent.reason, matters: false }
}

function isNew(file: FileDiff): boolean {
  return file.status === 'added' || file.status === 'copied'
}

/**
 * The content by which a file is classified: what it was before, or what it is when it is new. Undefined where there is
 * no regular file, null where it can't be read.
 */
async function readForClass(
  file: FileDiff,
  { head, base }: Pick<Sources, 'head' | 'base'>,
): Promise<Uint8Array | undefined | null> {
  try {
    return await (isNew(file) ? head.readFile(file.path) : base.readFile(file.oldPath))
  } catch (error) {
    if (error instanceof GitError) return null
    throw error
  }
}
