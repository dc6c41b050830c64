// Measures how much of real pull requests the packed context shows, compared to simple packers.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { countTokens as countExactly } from 'gpt-tokenizer/encoding/o200k_base'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import type { ChangeGraph } from '../src/domain/change-graph.ts'
import type { FileDiff } from '../src/domain/diff.ts'
import { loadTokenCounter, packContext } from '../src/workflows/pack-context.ts'
import {
  type AnchorTally,
  checkLocation,
  type NamedLocation,
  printAnchorTally,
} from './context-anchors.ts'
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
import { listNeeds, type Need, needKinds, readGitHistory } from './context-needs.ts'
import {
  createHunkPacker,
  createInOrderPacker,
  createOraclePacker,
  createRandomPacker,
  createSmallestFirstPacker,
  createTestsLastPacker,
  type PackedText,
  type Packer,
} from './context-packers.ts'
import { isVisible, keysInDiff, lineKey, sideOf } from './context-ranges.ts'
import { createTally, formatPercent, type Tally } from './context-tally.ts'

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
/** The budgets of today's context windows, and of a small one. */
const wideBudgets = [8_000, 32_000, 128_000]
const contextTokens = 'tokens of the context'
const hugeBudget = 32_000
const minHugeFiles = 200

const countTokens = await loadTokenCounter(1)
const countExactTokens = (text: string) =>
  countExactly(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() })
await using syntax = createSyntaxParser()
await using graphs = values.graph ? await openGraphBuilder(syntax) : null
const graphTimes = { build: [] as number[], read: [] as number[] }
const ours = 'by hunk (ours)'
const withoutGraph = `${ours}, without graph`
const packOurs = createHunkPacker(syntax, countTokens)
/** The means of several packers count as one. */
const packers: Readonly<Record<string, readonly Packer[]>> = {
  [ours]: [packOurs],
  'files in order': [createInOrderPacker(countExactTokens)],
  'smallest file first': [createSmallestFirstPacker(countExactTokens)],
  'hunks in order, tests last': [createTestsLastPacker(countExactTokens)],
  'random hunks': [1, 2, 3, 4, 5].map((seed) => createRandomPacker(countExactTokens, seed)),
  'oracle of whole hunks': [createOraclePacker(countExactTokens)],
}
/** Huge changes have no comments, which the oracle would need. */
const hugePackers = Object.keys(packers).filter((name) => name !== 'oracle of whole hunks')
const noGraph = { graph: null, findDefinitions: undefined }
const contextPackers: Readonly<Record<string, Packer>> = {
  [ours]: packOurs,
  [withoutGraph]: (change, ...rest) => packOurs({ ...change, ...noGraph }, ...rest),
}

console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}`)
const pullRequests = await readCommentedPullRequests(commentsFile)
await measurePullRequests(pullRequests, values.repositories)
if (!values.skipHuge)
  await measureHugeChanges(pullRequests, values.repositories, Number(values.huge))

/** Packs one round and checks that it is within the budget. */
async function packWithinBudget(
  pack: Packer,
  change: Change,
  budget: number,
  commented: readonly CommentedRange[] = [],
): Promise<PackedText> {
  const shown = await pack(change, budget, commented)
  const tokens = countExactTokens(shown.text)
  if (tokens > budget)
    throw new Error(`${tokens} of ${budget} tokens were used for ${change.pullRequest.repo}`)
  return shown
}

async function measurePullRequests(
  all: readonly CommentedPullRequest[],
  folder: string,
): Promise<void> {
  const tally = createTally(all.map(({ repo }) => repo))
  const anchors: AnchorTally = new Map()
  const times: Record<string, number[]> = {}
  const where = { all: 0, 'in files that are not reviewed': 0, 'on lines outside of the diff': 0 }
  for (const pr of all) {
    const comparison = await resolveComparison(folder, pr)
    await using bare = await openChange(comparison)
    const change = await withGraph(bare, comparison.gitDirectory)
    for (const place of pr.comments) {
      where.all++
      if (!change.files.some(({ path }) => path === place.path))
        where['in files that are not reviewed']++
      else if (keysInDiff(change, place).length === 0) where['on lines outside of the diff']++
    }
    await countVisible(tally, change, pr)
    if (change.graph !== null) await countNeeds(tally, change, change.graph)
    await measureTime(change, times)
    for (const place of pr.comments)
      await checkLocation(anchors, { syntax, change }, toTruth(place))
  }
  const places = Object.entries(where).map(([what, count]) => `${count} ${what}`)
  console.log(`\n${places.join(', ')}`)
  console.log('\nIn parentheses: the repositories that packing is tuned on, and the others.')
  tally.print('commented ranges visible', Object.keys(packers), budgets)
  tally.print('definitions in other files shown', Object.keys(packers), budgets)
  for (const kind of graphs === null ? [] : [...needKinds, contextTokens])
    tally.print(kind, Object.keys(contextPackers), wideBudgets)
  console.log(`\nShown with fewer tokens, but not with more: ${tally.lost.join(', ') || 'nothing'}`)
  printTimes(times)
  printAnchorTally(anchors)
}

/** Counts the commented ranges, and the definitions that comments depend on, that are shown. */
async function countVisible(
  tally: Tally,
  change: Change,
  { repo, pr, comments, definitions_elsewhere }: CommentedPullRequest,
): Promise<void> {
  for (const budget of budgets) {
    for (const [name, variants] of Object.entries(packers)) {
      for (const pack of variants) {
        const { lines } = await packWithinBudget(pack, change, budget, comments)
        const seen = comments.map((place) => isVisible(change, place, lines))
        const found = definitions_elsewhere.map(({ defined_in }) =>
          defined_in.some(([path, line]) => lines.has(lineKey('RIGHT', path, line))),
        )
        const at = { repo, name, budget }
        tally.add({ ...at, what: 'commented ranges visible' }, countTrue(seen), seen.length)
        tally.add(
          { ...at, what: 'definitions in other files shown' },
          countTrue(found),
          found.length,
        )
        if (name !== ours) continue
        const id = `${repo}#${pr}`
        tally.compare(id, [
          ...comments
            .filter((_, index) => seen[index])
            .map(({ path, to_line }) => `${path}:${to_line}`),
          ...definitions_elsewhere.filter((_, index) => found[index]).map(({ name }) => name),
        ])
        if (!values.details) continue
        const shares = [
          `${countTrue(seen)}/${seen.length} comments`,
          `${countTrue(found)}/${found.length} definitions`,
        ]
        console.log(`${id} ${budget}: ${shares.join(', ')}`)
      }
    }
  }
}

function countTrue(list: readonly boolean[]): number {
  return list.filter((each) => each).length
}

/** Counts what the context shows of what a reviewer needs beside the diff, and its tokens. */
async function countNeeds(tally: Tally, change: Change, graph: ChangeGraph): Promise<void> {
  const needs = listNeeds(graph)
  const { repo } = change.pullRequest
  for (const [name, pack] of Object.entries(contextPackers)) {
    for (const budget of wideBudgets) {
      const packed = await packWithinBudget(pack, change, budget)
      const shown = needs.filter(({ isShown }) => isShown(packed))
      for (const kind of needKinds) {
        const count = (list: readonly Need[]) => list.filter((need) => need.kind === kind).length
        tally.add({ what: kind, repo, name, budget }, count(shown), count(needs))
      }
      const text = packed.context.map((span) => span.text).join('\n')
      tally.add({ what: contextTokens, repo, name, budget }, countExactTokens(text), null)
      tally.compare(
        `${repo}@${change.headSha.slice(0, 8)} ${name}`,
        shown.map((need) => need.name),
      )
    }
  }
}

/** Adds the code graph to a change if --graph is set. */
async function withGraph<C extends Change>(change: C, gitDirectory: string): Promise<C> {
  if (graphs === null) return change
  graphTimes.build.push(await graphs.build(change, gitDirectory))
  const startedAt = performance.now()
  const read = await graphs.read(change)
  graphTimes.read.push(performance.now() - startedAt)
  const graph = read && { ...read, ...(await readGitHistory(change, gitDirectory)) }
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

function toTruth(place: CommentedRange): NamedLocation {
  const start = place.from_line ?? place.to_line
  return { path: place.path, side: sideOf(place), start, end: place.to_line }
}

function printTimes(times: Readonly<Record<string, readonly number[]>>): void {
  console.log('\nCPU of the process for one pack, threads included, children not:')
  for (const [budget, list] of Object.entries(times))
    console.log(`${budget} tokens: ${describeTimes(list, 1)}`)
  if (graphs === null) return
  console.log('\nThe graph, wall time:')
  for (const [what, list] of Object.entries(graphTimes))
    console.log(`${what}: ${describeTimes(list, 0)}`)
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
    `\n| huge change, ${hugeBudget / 1000}k | files | ${hugePackers
      .map((name) => `${name}: files, lines`)
      .join(' | ')} | CPU ms |`,
  )
  console.log(`|---|---|${hugePackers.map(() => '---').join('|')}|---|`)
  for (const comparison of await chooseHugeChanges(all, folder, wanted)) {
    await using change = await openChange(comparison)
    const cells: string[] = []
    for (const name of hugePackers) {
      const shown = await packWithinBudget(packers[name]![0]!, change, hugeBudget)
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
