// Decides whether a pull request is skipped: by the settings of its base branch, or by a pause.
import type { PullRequest } from '../domain/pull-request.ts'
import type { RepositorySettings } from '../domain/repository-settings.ts'
import { createGlobMatcher } from '../lib/glob.ts'

/** What the platform shows and the service knows when the review starts. */
interface SkipInput {
  readonly pullRequest: Omit<PullRequest, 'body'>
  /** They are those of the base branch. */
  readonly settings: Pick<RepositorySettings, 'gate' | 'reviews'>
  /** Login of the person who paused reviews; null if nobody did. */
  readonly pausedBy: string | null
  /** Lists the changed paths, before and after renames; null if they are not all known. */
  listPaths(): Promise<readonly string[] | null>
}

export interface Skip {
  /** Identifies the reason in the stored decision. */
  readonly reason: string
  /** Follows `Skipped:` and a space, without a period. */
  readonly text: string
  readonly blocks: boolean
}

interface SkipReason {
  readonly reason: string
  /** Who made it apply. */
  readonly madeBy: 'writer' | 'settings' | 'author'
  readonly applies: (input: SkipInput) => boolean | Promise<boolean>
  readonly text: string | ((input: SkipInput) => string)
}

/**
 * The first reason that applies decides, so those that block least come first: what an author
 * chooses in addition changes nothing. Who set a label isn't known here; if somebody with write
 * permission did, the reviews are paused.
 */
const reasons: readonly SkipReason[] = [
  {
    reason: 'paused',
    madeBy: 'writer',
    applies: ({ pausedBy }) => pausedBy !== null,
    text: ({ pausedBy }) => `\`${pausedBy}\` paused its reviews`,
  },
  {
    reason: 'on_request',
    madeBy: 'settings',
    applies: ({ settings: { reviews } }) => reviews.start === 'on_request',
    text: 'this repository is reviewed on request (`reviews.start`)',
  },
  {
    reason: 'author',
    madeBy: 'settings',
    applies: ({ pullRequest: { author }, settings: { reviews } }) =>
      includesName(reviews.skip.authors, author),
    text: 'its author is not reviewed (`reviews.skip.authors`)',
  },
  {
    reason: 'bot',
    madeBy: 'settings',
    applies: ({ pullRequest, settings: { reviews } }) => reviews.skip.bots && pullRequest.isByBot,
    text: 'its author is an application (`reviews.skip.bots`)',
  },
  {
    reason: 'draft',
    madeBy: 'author',
    applies: ({ pullRequest, settings: { reviews } }) =>
      reviews.drafts === 'skip' && pullRequest.draft,
    text: 'it is a draft (`reviews.drafts`)',
  },
  {
    reason: 'label',
    madeBy: 'author',
    applies: ({ pullRequest: { labels }, settings: { reviews } }) =>
      labels.some((label) => includesName(reviews.skip.labels, label)),
    text: 'it has a label that skips reviews (`reviews.skip.labels`)',
  },
  {
    reason: 'title',
    madeBy: 'author',
    applies: ({ pullRequest, settings: { reviews } }) => {
      const title = pullRequest.title.toLowerCase()
      return reviews.skip.titles.some((part) => title.includes(part.toLowerCase()))
    },
    text: 'its title is one that is skipped (`reviews.skip.titles`)',
  },
  {
    reason: 'branch',
    madeBy: 'author',
    applies: ({ pullRequest: { head }, settings: { reviews } }) =>
      createGlobMatcher(reviews.skip.branches)(head.branch) === true,
    text: 'the branch that it comes from is skipped (`reviews.skip.branches`)',
  },
  {
    reason: 'base_branch',
    madeBy: 'author',
    applies: ({ pullRequest: { base }, settings: { reviews } }) =>
      createGlobMatcher(reviews.skip.baseBranches)(base.branch) === true,
    text: 'the branch that it changes is skipped (`reviews.skip.base_branches`)',
  },
  {
    reason: 'size',
    madeBy: 'author',
    applies: ({ pullRequest: { additions, deletions }, settings: { reviews } }) =>
      reviews.skip.lines !== null && additions + deletions > reviews.skip.lines,
    text: 'it changes too many lines (`reviews.skip.lines`)',
  },
  {
    reason: 'paths',
    madeBy: 'author',
    applies: hasOnlySkippedPaths,
    text: 'all files that it changes are skipped (`reviews.skip.paths`)',
  },
]

/** Returns why the pull request isn't reviewed; null if it is. */
export async function decideSkip(input: SkipInput): Promise<Skip | null> {
  for (const { reason, madeBy, applies, text } of reasons) {
    if (!(await applies(input))) continue
    return {
      reason,
      text: typeof text === 'string' ? text : text(input),
      blocks: doesBlock(madeBy, input),
    }
  }
  return null
}

/**
 * A required check is never satisfied by what the author chose. A person with write permission may
 * override the gate, as by dismissing findings.
 */
function doesBlock(madeBy: SkipReason['madeBy'], { settings }: SkipInput): boolean {
  if (madeBy === 'settings') return settings.gate.includes('skipped')
  return madeBy === 'author'
}

/** Names of accounts and labels are compared without case. */
export function includesName(names: readonly string[], name: string): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase())
}

async function hasOnlySkippedPaths({ settings, listPaths }: SkipInput): Promise<boolean> {
  const { paths } = settings.reviews.skip
  if (paths.length === 0) return false
  const changed = await listPaths()
  if (changed === null || changed.length === 0) return false
  const matches = createGlobMatcher(paths)
  return changed.every((path) => matches(path) === true)
}
