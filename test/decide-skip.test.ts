// Which pull requests are skipped, and which skips block a required check.
import { describe, expect, it } from 'vitest'
import type { PullRequest } from '../src/domain/pull-request.ts'
import { defaultSettings, type StartSettings } from '../src/domain/repository-settings.ts'
import { reviewEnds } from '../src/domain/review.ts'
import { decideSkip, type Skip } from '../src/workflows/decide-skip.ts'
import { samplePullRequest } from './samples/change-of-files.ts'

interface Case {
  readonly pullRequest?: Partial<PullRequest>
  readonly reviews?: Partial<StartSettings>
  readonly skip?: Partial<StartSettings['skip']>
  readonly gate?: typeof defaultSettings.gate
  readonly pausedBy?: string
  readonly paths?: readonly string[] | null
}

const decide = ({ pullRequest, reviews, skip, gate, pausedBy, paths = [] }: Case) =>
  decideSkip({
    pullRequest: { ...samplePullRequest, ...pullRequest },
    settings: {
      gate: gate ?? defaultSettings.gate,
      reviews: {
        ...defaultSettings.reviews,
        ...reviews,
        skip: { ...defaultSettings.reviews.skip, ...skip },
      },
    },
    pausedBy: pausedBy ?? null,
    listPaths: async () => paths,
  })

/** What an author chooses, and what comes close to it without being skipped. */
const chosenByAuthor: readonly [reason: string, skipped: Case, close: Case][] = [
  [
    'draft',
    { pullRequest: { draft: true }, reviews: { drafts: 'skip' } },
    { pullRequest: { draft: true }, reviews: { drafts: 'static' } },
  ],
  [
    'label',
    { pullRequest: { labels: ['a', 'No-Review'] }, skip: { labels: ['no-review'] } },
    { pullRequest: { labels: ['review'] }, skip: { labels: ['no-review'] } },
  ],
  [
    'title',
    { pullRequest: { title: '[wip] Add carts' }, skip: { titles: ['[WIP]'] } },
    { pullRequest: { title: 'Wipe carts' }, skip: { titles: ['[WIP]'] } },
  ],
  [
    'branch',
    {
      pullRequest: { head: { ...samplePullRequest.head, branch: 'try/carts' } },
      skip: { branches: ['try/*'] },
    },
    {
      pullRequest: { head: { ...samplePullRequest.head, branch: 'retry/carts' } },
      skip: { branches: ['try/*'] },
    },
  ],
  ['base_branch', { skip: { baseBranches: ['main'] } }, { skip: { baseBranches: ['release/**'] } }],
  [
    'size',
    { pullRequest: { additions: 3, deletions: 3 }, skip: { lines: 5 } },
    { pullRequest: { additions: 3, deletions: 2 }, skip: { lines: 5 } },
  ],
  [
    'paths',
    { paths: ['docs/a.md', 'docs/b.md'], skip: { paths: ['docs/**'] } },
    { paths: ['docs/a.md', 'src/b.ts'], skip: { paths: ['docs/**'] } },
  ],
]

/** What the settings decide without the author. */
const chosenBySettings: readonly [reason: string, skipped: Case, close: Case][] = [
  ['on_request', { reviews: { start: 'on_request' } }, { reviews: { start: 'automatic' } }],
  ['author', { skip: { authors: ['Ann'] } }, { skip: { authors: ['Anna'] } }],
  [
    'bot',
    { pullRequest: { isByBot: true }, skip: { bots: true } },
    { pullRequest: { isByBot: true }, skip: { bots: false } },
  ],
]

const withoutSkipped = reviewEnds.filter((end) => end !== 'passed' && end !== 'skipped')
const expectedSkip = (reason: string, blocks: boolean): Skip => ({
  ...{ reason, blocks },
  text: expect.stringMatching(/[^.]$/),
})

describe('a pull request', () => {
  it('is reviewed by default, also as a draft and from a bot', async () => {
    const pullRequest = { draft: true, isByBot: true, labels: ['no-review'], additions: 100_000 }
    expect(await decide({ pullRequest })).toBeNull()
  })

  it.each([...chosenByAuthor, ...chosenBySettings])(
    'is skipped by %s only where it applies',
    async (reason, skipped, close) => {
      expect(await decide(skipped)).toEqual(expectedSkip(reason, true))
      expect(await decide(close)).toBeNull()
    },
  )

  it.each(chosenByAuthor)(
    'case 89: blocks where %s skips it, whatever the gate lets pass',
    async (reason, skipped) => {
      expect(await decide({ ...skipped, gate: [] })).toEqual(expectedSkip(reason, true))
    },
  )

  it.each(chosenBySettings)('blocks by the gate where %s skips it', async (reason, skipped) => {
    expect(await decide({ ...skipped, gate: withoutSkipped })).toEqual(expectedSkip(reason, false))
  })

  it('does not block where a person with write permission paused it', async () => {
    const skip = await decide({ pausedBy: 'carol', skip: { titles: ['change'] } })
    expect(skip).toEqual(expectedSkip('paused', false))
    expect(skip?.text).toContain('carol')
  })

  it.each([[null], [[]]])('is reviewed where its files are not all known: %j', async (paths) => {
    expect(await decide({ paths, skip: { paths: ['**'] } })).toBeNull()
  })
})
