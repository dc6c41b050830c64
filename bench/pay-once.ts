// Measures what the pushes of real pull requests cost, compared to their first reviews.
import { hash } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { Change } from '../src/domain/change.ts'
import type { ProposedFinding } from '../src/domain/finding.ts'
import { noUsage } from '../src/domain/review.ts'
import type { Log } from '../src/lib/logger.ts'
import { readConfig } from '../src/read-config.ts'
import { createReviewContext } from '../src/review-context.ts'
import type { PackedContext } from '../src/reviewers/packed-context.ts'
import { reviewInstructions } from '../src/reviewers/prompts/review-prompt.ts'
import type { AnswerStore } from '../src/work/model-answers.ts'
import { findKeptAnswers } from '../src/workflows/keep-answers.ts'
import { loadTokenCounter, packContext } from '../src/workflows/pack-context.ts'
import { openChange, readGit, repositoryDirectory } from './context-changes.ts'

const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    repository: { type: 'string', multiple: true, default: [] },
    /** The newest merged pull requests of each repository with at least three commits. */
    series: { type: 'string', default: '25' },
    details: { type: 'boolean', default: false },
  },
})
if (values.repositories === undefined || values.repository.length === 0)
  throw new Error(
    'Missing input. Pass --repositories <folder of bare repositories> --repository <owner/name>.',
  )

/** Further ones are merges of long-lived branches. */
const minCommits = 3
const maxCommits = 20
/** Tokens of the tools' descriptions, which each call contains. */
const toolTokens = 1_400

const silent = () => {}
const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log }
const config = await readConfig({ MODEL: 'compatible:local', MODEL_BASE_URL: 'http://127.0.0.1:9' })
await using ctx = await createReviewContext(config, log as unknown as Log)
const countTokens = await loadTokenCounter(1)
const fixedTokens = countTokens(reviewInstructions('English')) + toolTokens
const budget = { tokensPerRound: config.review.contextTokens, maxRounds: 4 }

/** Keeps answers in memory, for one pull request. */
function createStore(): AnswerStore {
  const kept = new Map<string, object>()
  return {
    find: async (keys) =>
      new Map(keys.flatMap((key) => (kept.has(key) ? [[key, kept.get(key)]] : []))),
    keep: async (answers) => {
      for (const [key, answer] of answers) kept.set(key, answer)
    },
  }
}

/** One of so many added lines counts as a bug. */
const linesPerBug = 40
const minLineLength = 12
/** Reviews with more findings leave some out. */
const maxBugs = 50

/** Reports each bug on the lines that are shown, like a model that overlooks nothing. */
function findBugs({ files }: Change, { rounds }: PackedContext): ProposedFinding[] {
  const shown = new Set<string>()
  for (const { origin, lines = [] } of rounds.flatMap(({ spans }) => spans))
    for (const { path, side, start, end } of origin === 'diff' ? lines : [])
      for (let line = start; line <= end; line++) shown.add(`${side} ${line} ${path}`)
  return files.flatMap(({ path, hunks }) =>
    hunks.flatMap(({ lines }) =>
      lines.flatMap(({ kind, newLine, text }) => {
        const isBug =
          kind === 'added' &&
          text.trim().length >= minLineLength &&
          Number.parseInt(hash('sha256', `${path} ${text}`).slice(0, 8), 16) % linesPerBug === 0
        if (!isBug || !shown.has(`RIGHT ${newLine} ${path}`)) return []
        return [describeBug(path, newLine!, text)]
      }),
    ),
  )
}

function describeBug(path: string, line: number, quote: string): ProposedFinding {
  return {
    ...{ reviewer: 'agentic', rule: null, path, side: 'RIGHT', startLine: line, endLine: line },
    ...{ quote, severity: 'moderate', category: 'correctness', title: quote, body: quote },
    ...{ suggestion: null, evidence: [], confidence: 0.9 },
  }
}

interface Examined {
  /** Input of the first call of each round, without what tools add. */
  readonly tokens: number
  /** The places of the reported bugs. */
  readonly bugs: ReadonlySet<string>
}

/** Packs a change, reports the bugs in it, and keeps answers about all that was packed. */
async function review(change: Change, store: AnswerStore): Promise<Examined> {
  const known = await findKeptAnswers(ctx, change, store)
  const context = await packContext(ctx, change, budget, countTokens, known)
  const findings = findBugs(change, context)
  const report = { findings, summary: 'Read.', usage: noUsage, notes: [], unread: [] }
  const outcome = { reports: [{ ...report, complete: true, reviewer: 'agentic' }], failures: [] }
  const { reports } = await known.complete({ context, outcome })
  const places = reports.flatMap((one) =>
    one.findings.map(({ path, startLine, quote }) => `${path}:${startLine}: ${quote}`),
  )
  const tokens = context.rounds.reduce(
    (sum, { spans }) =>
      sum + fixedTokens + spans.reduce((all, { text }) => all + countTokens(text), 0),
    0,
  )
  return { tokens, bugs: new Set(places) }
}

/** Lists the heads that merged pull requests had, each commit as one push, oldest first. */
async function listSeries(gitDirectory: string, limit: number) {
  const merges = await readGit(gitDirectory, [
    ...['log', '--merges', '--first-parent', '--format=%H %P', '--max-count=3000', 'HEAD'],
  ])
  const series: { main: string; heads: string[] }[] = []
  for (const line of merges.trim().split('\n')) {
    const [, main = '', topic = ''] = line.split(' ')
    if (topic === '' || series.length === limit) continue
    const heads = (
      await readGit(gitDirectory, [
        'rev-list',
        '--reverse',
        '--first-parent',
        '--no-merges',
        `${main}..${topic}`,
      ])
    )
      .trim()
      .split('\n')
    if (heads.length < minCommits || heads.length > maxCommits) continue
    series.push({ main, heads })
  }
  return series
}

interface Push {
  readonly cost: number
  /** The cost of the first review of the pull request. */
  readonly first: number
  /** The cost of a review of everything at the same head. */
  readonly full: number
  /** The number of hunks in which it differs from the push before. */
  readonly hunks: number
  /** The bugs that it reports, and that a review of everything at the same head reports. */
  readonly bugs: ReadonlySet<string>
  readonly allBugs: ReadonlySet<string>
}

/** Returns 0 if the repository lacks objects that reviews don't need. */
async function countHunks(gitDirectory: string, from: string, to: string): Promise<number> {
  const diff = await readGit(gitDirectory, ['diff', '--no-ext-diff', from, to]).catch(() => '')
  return diff.match(/^@@ /gm)?.length ?? 0
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
const format = (ratio: number) => ratio.toFixed(2)
const ofFirst = ({ cost, first }: Push) => cost / first
const ofFull = ({ cost, full }: Push) => (full === 0 ? 0 : cost / full)

const pushes: Push[] = []
for (const repo of values.repository) {
  const gitDirectory = repositoryDirectory(values.repositories, repo)
  for (const { main, heads } of await listSeries(gitDirectory, Number(values.series))) {
    const store = createStore()
    let first: number | undefined
    let before = ''
    const own: Push[] = []
    for (const head of heads) {
      // Pull requests take over what their base has meanwhile.
      const base = (await readGit(gitDirectory, ['merge-base', main, head])).trim()
      await using change = await openChange({ repo, gitDirectory, base, head })
      // The title of a pull request stays, and the benchmark only knows commits.
      const titled = { ...change, pullRequest: { ...change.pullRequest, title: 'One title' } }
      const { tokens: cost, bugs } = await review(titled, store)
      if (first === undefined) {
        if (cost > 0) first = cost
      } else {
        const { tokens: full, bugs: allBugs } = await review(titled, createStore())
        const hunks = await countHunks(gitDirectory, before, head)
        own.push({ cost, first, full, hunks, bugs, allBugs })
      }
      before = head
    }
    pushes.push(...own)
    const shown = own.map((push) => `${format(ofFirst(push))}/${format(ofFull(push))}`)
    if (values.details)
      console.log(`${repo} ${heads.at(-1)!.slice(0, 10)} first ${first}: ${shown.join(' ')}`)
  }
}

function summarize(name: string, some: readonly Push[]): string {
  const [first, full] = [some.map(ofFirst), some.map(ofFull)]
  const within = first.filter((ratio) => ratio <= 0.4).length
  return (
    `${name}: ${some.length} pushes, median of the first review ${format(median(first))} ` +
    `(at most 0.4: ${Math.round((100 * within) / some.length)} %), ` +
    `of a full review of the same head ${format(median(full))}`
  )
}

for (const minTokens of [0, 10_000, 20_000]) {
  const some = pushes.filter(({ first }) => first >= minTokens)
  const name = minTokens === 0 ? 'all' : `first review of at least ${minTokens} tokens`
  console.log(summarize(name, some))
  console.log(
    summarize(
      '  of one hunk',
      some.filter(({ hunks }) => hunks === 1),
    ),
  )
}

// A review reports a limited number, and leaves out what doesn't fit into its rounds.
const comparable = pushes.filter(({ allBugs }) => allBugs.size < maxBugs)
const count = (choose: (push: Push) => ReadonlySet<string>) =>
  comparable.reduce((sum, push) => sum + choose(push).size, 0)
console.log(
  `bugs that full reviews report: ${count(({ allBugs }) => allBugs)}, ` +
    `of which pushes report ${count(({ bugs, allBugs }) => bugs.intersection(allBugs))}, ` +
    `and ${count(({ bugs, allBugs }) => bugs.difference(allBugs))} others`,
)
