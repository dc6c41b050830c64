// Measures how much of real pull requests the packed context shows, compared to simple packers.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { countTokens as countExactly } from 'gpt-tokenizer/encoding/o200k_base'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import type { DiffSide, FileDiff } from '../src/domain/diff.ts'
import { loadTokenCounter, packContext } from '../src/workflows/pack-context.ts'
import { type AnchorTally, checkLocation, printAnchorTally } from './context-anchors.ts'
import {
  type CommentedPullRequest,
  type CommentedRange,
  type Comparison,
  listLargeCommits,
  openChange,
  readCommentedPullRequests,
  resolveComparison,
} from './context-changes.ts'
import { openGraphBuilder } from './context-graph.ts'
import {
  createHunkPacker,
  createInOrderPacker,
  createSmallestFirstPacker,
  lineKey,
  type PackedText,
  type Packer,
} from './context-packers.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repositories: { type: 'string' },
    huge: { type: 'string', default: '6' },
    /** Prints the numbers of each pull request. */
    details: { type: 'boolean', default: false },
    skipHuge: { type: 'boolean', default: false },
    /** Builds the code graph of each base commit and packs with it. */
    graph: { type: 'boolean', default: false },
  },
})
const [commentsFile] = positionals
if (commentsFile === undefined || values.repositories === undefined)
  throw new Error(
    'Missing input. Pass the file of comments and --repositories <folder of bare repositories>.',
  )

const budgets = [2_000, 4_000, 8_000, 16_000]
const hugeBudget = 32_000
const minHugeFiles = 200

const countTokens = await loadTokenCounter(1)
const countExactTokens = (text: string) =>
  countExactly(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() })
await using syntax = createSyntaxParser()
await using graphs = values.graph ? await openGraphBuilder(syntax) : null
const graphTimes = { build: [] as number[], read: [] as number[] }
const packers: Readonly<Record<string, Packer>> = {
  'by hunk (ours)': createHunkPacker(syntax, countTokens),
  'files in order': createInOrderPacker(countExactTokens),
  'smallest file first': createSmallestFirstPacker(countExactTokens),
}

console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}`)
const pullRequests = await readCommentedPullRequests(commentsFile)
await measurePullRequests(pullRequests, values.repositories)
if (!values.skipHuge)
  await measureHugeChanges(pullRequests, values.repositories, Number(values.huge))

/** Packs one round and checks that it is within the budget. */
async function packWithinBudget(name: string, change: Change, budget: number): Promise<PackedText> {
  const shown = await packers[name]!(change, budget)
  const tokens = countExactTokens(shown.text)
  if (tokens > budget)
    throw new Error(`${name} used ${tokens} of ${budget} tokens for ${change.pullRequest.repo}`)
  return shown
}

/** Hits by packer and budget. */
type Tally = Map<string, number>

// oxlint-disable-next-line complexity -- one counter for each metric
async function measurePullRequests(
  all: readonly CommentedPullRequest[],
  folder: string,
): Promise<void> {
  const comments: Tally = new Map()
  const definitions: Tally = new Map()
  const anchors: AnchorTally = new Map()
  const times: Record<string, number[]> = {}
  const where = { all: 0, 'in files that are not reviewed': 0, 'on lines outside of the diff': 0 }
  let names = 0
  for (const pr of all) {
    const comparison = await resolveComparison(folder, pr)
    await using bare = await openChange(comparison)
    const change = await withGraph(bare, comparison.gitDirectory)
    for (const place of pr.comments) {
      where.all++
      if (!change.files.some(({ path }) => path === place.path))
        where['in files that are not reviewed']++
      else if (linesInDiff(change, place).length === 0) where['on lines outside of the diff']++
    }
    names += pr.definitions_elsewhere.length
    for (const budget of budgets) {
      for (const name of Object.keys(packers)) {
        const { lines } = await packWithinBudget(name, change, budget)
        const seen = pr.comments.filter((place) => isVisible(change, place, lines))
        const found = pr.definitions_elsewhere.filter(({ defined_in }) =>
          defined_in.some(([path, line]) => lines.has(lineKey('RIGHT', path, line))),
        )
        addCount(comments, `${name} ${budget}`, seen.length)
        addCount(definitions, `${name} ${budget}`, found.length)
        if (values.details && name.includes('ours')) {
          const commentShare = `${seen.length}/${pr.comments.length} comments`
          const definitionShare = `${found.length}/${pr.definitions_elsewhere.length} definitions`
          console.log(`${pr.repo}#${pr.pr} ${budget}: ${commentShare}, ${definitionShare}`)
          if (budget === 8000)
            for (const { name } of pr.definitions_elsewhere.filter((each) => !found.includes(each)))
              console.log(`   not found: ${name}`)
        }
      }
    }
    await measureTime(change, times)
    for (const place of pr.comments) {
      const start = place.from_line ?? place.to_line
      await checkLocation(
        anchors,
        { syntax, change },
        {
          path: place.path,
          side: sideOf(place),
          start,
          end: place.to_line,
        },
      )
    }
  }
  console.log(
    `\n${Object.entries(where)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}; ${names} definitions`,
  )
  printTable('commented ranges visible', comments, where.all)
  printTable('definitions in other files shown', definitions, names)
  console.log('\nCPU of the process for one pack, threads included, children not:')
  for (const [budget, list] of Object.entries(times))
    console.log(`${budget} tokens: ${describeTimes(list, 1)}`)
  if (graphs !== null) {
    console.log('\nThe graph, wall time:')
    for (const [what, list] of Object.entries(graphTimes))
      console.log(`${what}: ${describeTimes(list, 0)}`)
  }
  printAnchorTally(anchors)
}

/** Adds the code graph to a change if --graph is set. */
async function withGraph<C extends Change>(change: C, gitDirectory: string): Promise<C> {
  if (graphs === null) return change
  graphTimes.build.push(await graphs.build(change, gitDirectory))
  const startedAt = performance.now()
  const graph = await graphs.read(change)
  graphTimes.read.push(performance.now() - startedAt)
  return { ...change, graph, findDefinitions: graphs.findDefinitions(change) }
}

/** Stores the fastest of three runs. */
async function measureTime(change: Change, times: Record<string, number[]>): Promise<void> {
  const counter = await loadTokenCounter()
  for (const budget of [8_000, 48_000]) {
    const runs: number[] = []
    for (let run = 0; run < 3; run++) {
      const before = process.cpuUsage()
      await packContext({ syntax }, change, { tokensPerRound: budget, maxRounds: 4 }, counter)
      const { user, system } = process.cpuUsage(before)
      runs.push((user + system) / 1000)
    }
    times[budget] = [...(times[budget] ?? []), Math.min(...runs)]
  }
}

function sideOf(place: CommentedRange): DiffSide {
  return place.side === 'left' ? 'LEFT' : 'RIGHT'
}

/** The lines of a commented range that stand in the diff. */
function linesInDiff(change: Change, place: CommentedRange): number[] {
  const file = change.diff.files.find(
    ({ path, oldPath }) => path === place.path || oldPath === place.path,
  )
  const start = place.from_line ?? place.to_line
  return (file?.hunks ?? []).flatMap((hunk) =>
    hunk.lines.flatMap(({ newLine, oldLine }) => {
      const number = sideOf(place) === 'RIGHT' ? newLine : oldLine
      return number !== null && number >= start && number <= place.to_line ? [number] : []
    }),
  )
}

function isVisible(change: Change, place: CommentedRange, lines: ReadonlySet<string>): boolean {
  const inDiff = linesInDiff(change, place)
  return (
    inDiff.length > 0 && inDiff.every((line) => lines.has(lineKey(sideOf(place), place.path, line)))
  )
}

function addCount(tally: Tally, key: string, count: number): void {
  tally.set(key, (tally.get(key) ?? 0) + count)
}

function printTable(title: string, tally: Tally, total: number): void {
  console.log(`\n| ${title} | ${budgets.map((budget) => `${budget / 1000}k`).join(' | ')} |`)
  console.log(`|---|${budgets.map(() => '---').join('|')}|`)
  for (const name of Object.keys(packers)) {
    const shares = budgets.map((budget) =>
      formatPercent(tally.get(`${name} ${budget}`) ?? 0, total),
    )
    console.log(`| ${name} | ${shares.join(' | ')} |`)
  }
}

function formatPercent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`
}

function describeTimes(list: readonly number[], digits: number): string {
  const max = Math.max(...list)
  return `median ${median(list).toFixed(digits)} ms, max ${max.toFixed(digits)} ms`
}

function median(list: readonly number[]): number {
  return list.toSorted((one, other) => one - other)[Math.floor(list.length / 2)] ?? Number.NaN
}

async function measureHugeChanges(
  all: readonly CommentedPullRequest[],
  folder: string,
  wanted: number,
): Promise<void> {
  console.log(
    `\n| huge change, ${hugeBudget / 1000}k | files | ${Object.keys(packers)
      .map((name) => `${name}: files, lines`)
      .join(' | ')} | CPU ms |`,
  )
  console.log(
    `|---|---|${Object.keys(packers)
      .map(() => '---')
      .join('|')}|---|`,
  )
  for (const comparison of await chooseHugeChanges(all, folder, wanted)) {
    await using change = await openChange(comparison)
    const cells: string[] = []
    for (const name of Object.keys(packers)) {
      const shown = await packWithinBudget(name, change, hugeBudget)
      cells.push(describeShare(change.files, shown))
    }
    const before = process.cpuUsage()
    await packContext({ syntax }, change, { tokensPerRound: hugeBudget, maxRounds: 4 }, countTokens)
    const { user, system } = process.cpuUsage(before)
    const row = [
      `${comparison.repo} ${comparison.head.slice(0, 10)}`,
      `${change.files.length} of ${change.diff.files.length}`,
      ...cells,
      Math.round((user + system) / 1000),
    ]
    console.log(`| ${row.join(' | ')} |`)
  }
}

/** Shares of files with a visible changed line, and of visible added lines. */
function describeShare(files: readonly FileDiff[], { lines }: PackedText): string {
  let [someFiles, filesWithLines, shownLines, allLines] = [0, 0, 0, 0]
  for (const file of files) {
    const changed = file.hunks
      .flatMap((hunk) => hunk.lines)
      .filter(({ kind }) => kind !== 'context')
    const seen = changed.filter(({ newLine, oldLine }) =>
      lines.has(
        newLine === null
          ? lineKey('LEFT', file.path, oldLine!)
          : lineKey('RIGHT', file.path, newLine),
      ),
    )
    if (changed.length > 0) filesWithLines++
    if (seen.length > 0) someFiles++
    allLines += file.additions
    shownLines += seen.filter(({ kind }) => kind === 'added').length
  }
  return `${formatPercent(someFiles, filesWithLines)}, ${formatPercent(shownLines, allLines)}`
}

/** The newest huge commits of the repositories in turn. */
async function chooseHugeChanges(
  all: readonly CommentedPullRequest[],
  folder: string,
  wanted: number,
): Promise<Comparison[]> {
  const chosen: Comparison[] = []
  const repos = [...new Set(all.map(({ repo }) => repo))].sort()
  const lists = await Promise.all(repos.map((repo) => listLargeCommits(folder, repo, minHugeFiles)))
  for (let index = 0; chosen.length < wanted && lists.some((list) => index < list.length); index++)
    for (const list of lists) {
      const next = list[index]
      if (!next || chosen.length === wanted) continue
      // Shallow copies may lack the parent commit, and only reviewable files count.
      const files = await openChange(next).then(
        async (change) => {
          await change[Symbol.asyncDispose]()
          return change.files.length
        },
        () => 0,
      )
      if (files >= minHugeFiles) chosen.push(next)
    }
  return chosen
}
