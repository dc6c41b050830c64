// Tests of the review text on the pull request, as a GFM renderer displays it.
import { describe, expect, it } from 'vitest'
import { parseComment } from '../src/commands/parse-comment.ts'
import type { ChangeGraph } from '../src/domain/change-graph.ts'
import type { Finding } from '../src/domain/finding.ts'
import { emptyLiveContext, type LiveContext } from '../src/domain/live-context.ts'
import type { AppliedMemory } from '../src/domain/memory.ts'
import type { Review } from '../src/domain/review.ts'
import { encodeFileLocation } from '../src/platforms/http/repository-calls.ts'
import type { Platform, PlatformLimits } from '../src/platforms/platform.ts'
import { renderCheck } from '../src/workflows/posting/render-check.ts'
import { renderInlineComments } from '../src/workflows/posting/render-finding.ts'
import { chooseMemories } from '../src/workflows/posting/render-memories.ts'
import { renderSummary } from '../src/workflows/posting/render-summary.ts'
import type { ReviewHistory } from '../src/workflows/posting/review-history.ts'
import { summarizeImpact } from '../src/workflows/posting/summarize-impact.ts'
import { summarizeReview } from '../src/workflows/posting/summarize-review.ts'
import { listActiveContent, readVisibleText, renderGfm } from './gfm.ts'
import { callerOf, graphOf, memoryOf, relatedOf, symbolOf } from './samples/change-graph.ts'
import { samplePullRequest } from './samples/change-of-files.ts'

const limits: PlatformLimits = {
  maxCommentLength: 65_536,
  maxListedFiles: 3000,
  contributorStatistics: true,
  resolvableThreads: true,
  decisions: true,
  redeliveries: true,
  codeScanning: true,
  artifacts: true,
}
const platform = { limits, suggestionFence: () => 'suggestion' }
const lines = { changed: 0, model: 0, rules: 0, text: 0, unread: 0 }
const coverage = {
  filesTotal: 1,
  filesReviewed: 1,
  lines,
  skipped: [],
  notes: [],
  setAside: [],
  complete: true,
}

function makeFinding(changes: Partial<Finding> = {}): Finding {
  return {
    reviewer: 'agentic',
    rule: null,
    path: 'src/a.ts',
    side: 'RIGHT',
    startLine: 3,
    endLine: 3,
    quote: '',
    severity: 'moderate',
    category: 'correctness',
    title: 'It breaks',
    body: 'When a, then b.',
    suggestion: null,
    evidence: [],
    confidence: 0.9,
    fingerprint: 'f'.repeat(32),
    state: 'open',
    placement: 'inline',
    verified: true,
    ...changes,
  } as Finding
}

const history: ReviewHistory = {
  isFirst: false,
  resolved: [makeFinding({ title: 'Gone', state: 'resolved' })],
  resolvedBefore: [],
  dismissed: [],
  newCount: 0,
  reopenedCount: 0,
  stillOpenCount: 1,
}

const pageUrl = 'https://umpire.example/reviews/7'

interface RenderOptions {
  commentLength?: number
  secrets?: string[]
  history?: Partial<ReviewHistory>
  graph?: Partial<ChangeGraph>
  models?: string[]
  live?: LiveContext
  readonly commentUrls?: Record<string, string>
  readonly mention?: string
  readonly pullRequest?: Platform['terms']['pullRequest']
}

function makeReview(changes: Partial<Review>): Review {
  return {
    pullRequest: samplePullRequest,
    headSha: 'a'.repeat(40),
    verdict: 'NEEDS_DISCUSSION',
    ends: [changes.verdict === 'APPROVE' ? 'passed' : 'needs_person'],
    blocks: changes.verdict !== 'APPROVE',
    confidence: 4,
    confidenceReason: 'the whole change was reviewed',
    summary: 'The riskiest point is here. A summary.',
    words: 'A summary.',
    findings: [],
    coverage,
    reviewers: ['static', 'agentic'],
    ...changes,
  } as unknown as Review
}

// oxlint-disable-next-line complexity -- one default for each option
function renderWith(changes: Partial<Review>, options: RenderOptions = {}): string {
  const review = makeReview(changes)
  const graph = options.graph ? graphOf(options.graph) : null
  const models = options.models ?? ['acme/model-1']
  const files = [{ path: 'src/users.ts', oldPath: 'src/users.ts' }]
  return renderSummary({
    review,
    runId: 1,
    history: { ...history, ...options.history },
    impact:
      graph &&
      summarizeImpact(graph, { author: review.pullRequest.author, secrets: options.secrets ?? [] }),
    memories: models.length > 0 ? [] : chooseMemories(graph?.memories ?? [], files),
    liveContext: options.live ?? emptyLiveContext,
    durationMs: 1234,
    linkTo: (location) => `https://forge.example/${encodeFileLocation(location)}`,
    commentUrls: new Map(Object.entries(options.commentUrls ?? {})),
    models,
    serviceName: 'umpire',
    pageUrl,
    mention: options.mention ?? null,
    limits: { ...limits, maxCommentLength: options.commentLength ?? limits.maxCommentLength },
    terms: { pullRequest: options.pullRequest ?? 'pull request' },
    secrets: options.secrets ?? [],
  })
}

function renderComment(
  finding: Finding,
  options: Partial<Parameters<typeof renderInlineComments>[1]> = {},
): string {
  const all = { platform, diff: null, secrets: [], ...options }
  return renderInlineComments([finding], all).comments[0]!.body
}

function renderInline(changes: Partial<Finding>, secrets: string[] = []): string {
  return renderComment(makeFinding(changes), { secrets })
}

/** Returns the live markup other than our hidden marker, our links and the suggested change. */
function listForeignParts(body: string): string[] {
  const unlinked = body.replace(`[the review's page](${pageUrl})`, '')
  return listActiveContent(unlinked.replace(ownLink, '$1')).filter(
    (part) => !/^<!-- umpire:\w+ [\w= ]+ -->$|^<code class="language-sugg|^<br>$/.test(part),
  )
}

/** A link from a location to its line. Addresses with other characters stay. */
const ownLink = /\[(`+[^\n]+?`+)\]\(https:\/\/forge\.example\/[\w%./-]+#L\d+\)/g

const hostile =
  '`x | \\`@octocat ![x](https://evil.example/p.png) <img src=x> Fixes #1 [l](https://evil.example) \\` www.evil.example'

describe('a summary', () => {
  it('case 44: escapes everything that it quotes', () => {
    const finding = makeFinding({
      title: hostile,
      body: `| a |\n|---|\n| ${hostile} |`,
      path: `src/\`|${hostile}`,
      evidence: [{ path: hostile, line: 1, note: hostile }],
    })
    const findings = [
      finding,
      { ...finding, placement: 'summary' as const },
      { ...finding, placement: 'held_back' as const },
    ]
    const skipped = [{ path: hostile, reason: hostile, matters: true }]
    const body = renderWith(
      {
        findings,
        ...summarizeReview(findings, [{ summary: `${hostile}\n===\n\n${hostile}` }], coverage, []),
        coverage: { ...coverage, skipped, notes: [hostile] },
        reviewers: [hostile],
      },
      { history: { resolved: [finding], resolvedBefore: [finding], dismissed: [finding] } },
    )
    expect(listForeignParts(body)).toEqual([])
    expect(renderGfm(body).match(/<li>/g)).toHaveLength(9)
    const inline = renderComment(finding)
    expect(listForeignParts(inline)).toEqual([])
  })

  it('renders paths with a pipe unchanged, with a link to the line', () => {
    const findings = [
      makeFinding({ path: 'a|b.ts' }),
      makeFinding({ path: 'c|d.ts', placement: 'held_back' }),
    ]
    const skipped = [{ path: 'e|f.ts', reason: 'binary', matters: false }]
    const html = renderGfm(renderWith({ findings, coverage: { ...coverage, skipped } }))
    for (const path of ['a|b.ts:3', 'c|d.ts:3', 'e|f.ts'])
      expect(html).toContain(`<code>${path}</code>`)
    const commit = 'a'.repeat(40)
    expect(html).toContain(`<a href="https://forge.example/${commit}/a%7Cb.ts#L3">`)
  })

  it('links no line that is not at the head, and no path that is redacted', () => {
    const secret = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a'
    for (const changes of [{ side: 'LEFT' }, { removed: true }, { path: secret }] as const) {
      const body = renderWith({ findings: [makeFinding(changes)] }, { secrets: [secret] })
      expect(body).toContain('🟡 **Moderate** · It breaks')
      expect(body).not.toContain('forge.example')
    }
  })

  it('names severity and state in words, and marks what was answered', () => {
    const findings = [makeFinding({ severity: 'critical', answered: true })]
    expect(readVisibleText(renderGfm(renderWith({ findings })))).toContain(
      '🔴 Critical · It breaks (answered, and counts until it is fixed or dismissed) · src/a.ts:3',
    )
  })

  it('opens with the riskiest point in a sentence, whatever its title', () => {
    const renderOpening = (title: string, path = 'src/a.ts') =>
      readVisibleText(
        renderGfm(
          summarizeReview(
            [makeFinding({ title, path })],
            [{ summary: ' It adds a. ' }],
            coverage,
            [],
          ).summary,
        ),
      )
    const place = 'The riskiest point is in src/a.ts:3:'
    expect(renderOpening('It breaks')).toBe(`${place} It breaks.\nIt adds a.`)
    expect(renderOpening('An odd ` and\n\n# a heading.')).toBe(
      `${place} An odd ' and # a heading.\nIt adds a.`,
    )
    expect(renderOpening('- ```js x')).toContain(`${place} js x.`)
    expect(renderOpening('x', 'a`b.ts')).toContain('is in a`b.ts:3: x.')
  })

  it('escaping a second time changes nothing', () => {
    const findings = [makeFinding({ title: 'Regex `a\\|b` & x[0] < 5 of a\\_b @alice' })]
    const said = [{ summary: 'Regex `a\\|b` & x[0] < 5 of a\\_b @alice' }]
    const { words } = summarizeReview(findings, said, coverage, [])
    expect(readVisibleText(renderGfm(renderWith({ findings, words })))).toContain(
      readVisibleText(renderGfm(words)),
    )
  })
})

describe('a summary of a later review', () => {
  it.each(['pull request', 'merge request'] as const)(
    'names an author who dismissed findings in the word of the host: %s',
    (pullRequest) => {
      const { author: login } = samplePullRequest
      const dismissal = { login, via: 'api', reason: 'Intended', kind: null } as const
      const dismissed = [makeFinding({ state: 'dismissed', dismissal })]
      const text = renderWith({}, { history: { dismissed }, pullRequest })
      expect(text).toContain(`, the author of this ${pullRequest}: `)
    },
  )

  const resolved = (title: string) => makeFinding({ title, state: 'resolved' })

  it('starts with what changed since the last review, and the state of each finding', () => {
    const body = renderWith(
      {
        findings: [
          makeFinding({ reopened: 1 }),
          makeFinding({ title: 'Too many', placement: 'held_back' }),
        ],
      },
      {
        history: {
          newCount: 1,
          reopenedCount: 1,
          stillOpenCount: 0,
          resolvedBefore: [resolved('Long gone')],
          dismissed: [makeFinding({ title: 'Meant so', state: 'dismissed', startLine: 7 })],
        },
      },
    )
    const text = readVisibleText(renderGfm(body))
    expect(text).toContain('Since the last review: 1 resolved, 1 new, 1 came back.')
    expect(text).toContain('It breaks (came back)')
    expect(text).toContain('Open 2 · Resolved 2 · Dismissed 1')
    expect(text).toMatch(/Suppressed: 1, to keep this short\n+🟡 Moderate · Too many · src\/a.ts:3/)
    expect(text).toContain('🟡 Resolved: Gone (src/a.ts)')
    expect(text).toContain('🟡 Dismissed: Meant so (src/a.ts:7)')
    expect(text).toContain('🟡 Resolved before: Long gone (src/a.ts)')
  })

  it('shows why findings were dismissed: escaped, redacted and short', () => {
    const listed = (reason: string, secrets: string[] = []) => {
      const dismissal = { login: 'bob', via: 'api', reason, kind: null } as const
      const dismissed = [makeFinding({ state: 'dismissed', dismissal })]
      return renderWith({}, { history: { dismissed }, secrets })
    }
    expect(readVisibleText(renderGfm(listed('The key was revoked')))).toContain(
      '🟡 Dismissed: It breaks (src/a.ts:3). Reason: The key was revoked',
    )
    expect(listed('')).not.toContain('Reason')
    expect(listForeignParts(listed(hostile))).toEqual([])
    expect(listed('y'.repeat(9000))).not.toContain('y'.repeat(201))
    const secret = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a'
    expect(listed(`See ${secret}`, [secret])).not.toContain(secret)
  })

  it('links titles to the comments that earlier reviews posted', () => {
    const url = 'https://forge.example/acme/shop/pull/7#discussion_r1'
    const known = makeFinding({ title: 'A `[b]` ](http://evil.example) c' })
    const findings = [known, makeFinding({ title: 'New', fingerprint: '0'.repeat(32) })]
    const body = renderWith({ findings }, { commentUrls: { [known.fingerprint]: url } })
    const html = renderGfm(body)
    expect(html.match(/<a href="[^"]*discussion_r1">/g)).toHaveLength(1)
    expect(html).not.toMatch(/<a href="[^"]*evil/)
    expect(readVisibleText(html)).toContain('c · src/a.ts:3')
    expect(body).toContain(' · New · ')
  })

  it('counts what is still open only where something else changed', () => {
    const findings = [makeFinding()]
    const later = { resolved: [], newCount: 0, reopenedCount: 0, stillOpenCount: 1 }
    expect(renderWith({ findings }, { history: later })).not.toContain('Since')
    const changed = renderWith({ findings }, { history: { ...later, newCount: 1 } })
    expect(changed).toContain('Since the last review: 1 new, 1 still open.')
  })

  it('omits the comparison with earlier reviews when nothing changed', () => {
    const quiet = {
      resolved: [],
      resolvedBefore: [],
      dismissed: [],
      newCount: 0,
      reopenedCount: 0,
      stillOpenCount: 0,
    }
    for (const isFirst of [true, false]) {
      const body = renderWith({ verdict: 'APPROVE' }, { history: { ...quiet, isFirst } })
      expect(body).not.toContain('Since')
      expect(body).not.toContain('<details>')
      expect(body).toContain('### 🟢 Passed: nothing found in 1 file\n\n<sub>')
    }
    const first = renderWith(
      { findings: [makeFinding()] },
      { history: { ...quiet, newCount: 1, isFirst: true } },
    )
    expect(first).not.toContain('Since')
  })

  it('does not call a change with dismissed findings clean, and counts unlisted ones', () => {
    const dismissed = Array.from({ length: 25 }, () => makeFinding({ state: 'dismissed' }))
    const body = renderWith({ verdict: 'APPROVE' }, { history: { dismissed } })
    expect(body).toContain('### 🟢 Passed: no open findings in 1 file\n')
    expect(body.match(/^- 🟡 Dismissed: It breaks/gm)).toHaveLength(20)
    expect(body).toContain('- Dismissed: 5 more')
  })

  it('says how to write commands where comments are heard', () => {
    const heard = renderWith({ findings: [makeFinding()] }, { mention: '@umpire-acme' })
    expect(heard).toMatch(/, and `@umpire-acme help` lists all commands\.<\/sub>$/)
    expect(heard).toContain('To ask about a finding, reply to it. `@umpire-acme review` reviews ag')
    expect(heard).toContain(
      'A finding stays open until it is fixed, or until someone with write access ',
    )
    expect(heard).toContain('dismisses it: reply `@umpire-acme dismiss <reason>` to it, ')
    expect(heard).toContain(`use [the review's page](${pageUrl}).`)
    expect(renderWith({ findings: [makeFinding()] })).not.toMatch(/help|reply/)
    expect(renderWith({}, { mention: '@umpire-acme' })).not.toContain('dismiss')
    expect(parseComment(heard, ['umpire-acme', 'umpire'])).toEqual({ kind: 'none' })
  })

  it('names what reviewed, and the confidence where a model took part', () => {
    expect(renderWith({})).toContain(
      '<sub>Umpire reviewed aaaaaaa in 1.2 s with rules, `acme/model-1` · ' +
        'confidence 4/5: the whole change was reviewed</sub>',
    )
    const withTool = renderWith({ reviewers: ['static', 'eslint'] }, { models: [] })
    expect(withTool).toContain(' with rules, `eslint`</sub>')
    const alone = renderWith({ reviewers: ['static'] }, { models: [] })
    expect(alone).toContain('<sub>Umpire reviewed aaaaaaa in 1.2 s with rules only</sub>')
    expect(alone).not.toContain('onfidence')
  })
})

describe('remembered knowledge about the files of a change', () => {
  const rule = memoryOf({
    type: 'project_pattern',
    text: 'Users: Load users by id only.',
    path: 'src',
    trust: 'repository',
    source: { commit: 'c'.repeat(40), path: 'src/AGENTS.md', line: 7 },
  })
  const written = memoryOf({
    text: 'Users are never deleted.',
    path: 'src/users.ts',
    source: { user: 'bob' },
  })
  const renderMemories = (memories: AppliedMemory[], models: string[] = []) =>
    renderWith({}, { graph: { memories }, models })

  it('is listed nearest first with its source when no model takes part', () => {
    const body = renderMemories([rule, written])
    expect(body).toContain(
      '<details><summary><strong>Memories about these files: 2</strong></summary>',
    )
    expect(body).toContain(
      [
        '- Users are never deleted. (about `src/users.ts`, by `bob`)',
        `- Users: Load users by id only. (about \`src\`, in [\`src/AGENTS.md:7\`](https://forge.example/${'c'.repeat(40)}/src/AGENTS.md#L7))`,
      ].join('\n'),
    )
    expect(renderMemories([rule, written], ['acme/model-1'])).not.toContain('Remembered')
  })

  it.each<[string, Partial<AppliedMemory>]>([
    ['what was counted', { trust: 'derived' }],
    ['what a model says', { trust: 'model' }],
    ['whom a person describes', { type: 'contributor_profile' }],
    ['what holds for the whole repository', { path: '.' }],
    ['what is about no place', { path: null }],
    ['what is about another place', { path: 'src/users' }],
  ])('leaves out %s', (_, parts) => {
    expect(renderMemories([memoryOf({ path: 'src', ...parts })])).not.toContain('Remembered')
  })

  it('is short', () => {
    const many = Array.from({ length: 9 }, (_, at) =>
      memoryOf({ path: 'src', text: `${at} ${'x'.repeat(5000)}` }),
    )
    expect(renderMemories(many)).toContain('Memories about these files: 3<')
    expect(renderMemories(many).length).toBeLessThan(3000)
  })

  it('case 44: is escaped and reveals no secret of the service', () => {
    const secret = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a'
    const memories = [
      memoryOf({ text: `${hostile} ${secret}`, path: 'src', source: { user: hostile } }),
      memoryOf({
        text: hostile,
        path: 'src',
        source: { commit: 'c'.repeat(40), path: `${secret}.md`, line: null },
      }),
    ]
    const body = renderWith({}, { graph: { memories }, models: [], secrets: [secret] })
    expect(listForeignParts(body)).toEqual([])
    expect(body).toContain('Memories about these files: 2')
    expect(body).not.toContain(secret)
  })
})

describe('the impact of a change', () => {
  const symbols = [symbolOf({ name: 'saveUser' }), symbolOf({ change: 'signature' })]
  const callers = [
    callerOf({ symbol: 1, path: 'test/users.test.ts', isTest: true, within: null }),
    callerOf({ symbol: 1, line: 9, confidence: 0.6 }),
    callerOf({ symbol: 1, line: 1, kind: 'import' }),
    callerOf({ symbol: 1 }),
    callerOf({ symbol: 0, path: 'src/form.ts', line: 7 }),
  ]
  const tests = [{ path: 'test/users.test.ts', distance: 1, reaches: ['src/users.ts'] }]
  const owned = {
    path: 'src/users.ts',
    pullRequests: 14,
    riskScore: 2,
    owner: 'octocat',
    ownerPercent: 60.4,
  }
  const textOf = (graph: Partial<ChangeGraph>) =>
    readVisibleText(renderGfm(renderWith({ verdict: 'APPROVE' }, { graph })))

  it('lists callers, tests, other changes of the same code, and its experts', () => {
    const body = renderWith(
      { verdict: 'APPROVE' },
      {
        graph: {
          symbols,
          callers,
          tests,
          untested: ['src/form.ts'],
          history: [
            owned,
            { ...owned, path: 'src/new.ts', pullRequests: 1 },
            { ...owned, owner: samplePullRequest.author },
          ],
          related: [
            relatedOf({ symbols: ['loadUser'] }),
            relatedOf({ number: 13 }),
            relatedOf({
              number: 8,
              state: 'merged',
              title: 'Cache users',
              findings: ['The cache never ends', 'x'],
            }),
          ],
          notes: ['The graph is of an older commit.'],
        },
      },
    )
    expect(body).toContain(
      '<details><summary><strong>Impact: 2 callers and 1 possible use outside this change, and 1 test covers it</strong></summary>',
    )
    const text = readVisibleText(renderGfm(body)).split('\n')
    const from = text.findIndex((line) => line.includes('Impact:'))
    expect(text.slice(from + 1, -1).filter((line) => line !== '')).toEqual([
      'loadUser (signature changed) is called in src/login.ts:4 in handleLogin, src/login.ts:9 in handleLogin (possible)',
      'saveUser (changed) is called in src/form.ts:7 in handleLogin',
      'Tests that reach it: test/users.test.ts',
      'No test seems to reach src/form.ts',
      'Open too: #12 Load users in batches (bob) touches loadUser',
      'Before, in #8 Cache users (bob): The cache never ends',
      'octocat knows src/users.ts (60 % of its changes)',
      'The graph is of an older commit.',
    ])
    const atHead = `https://forge.example/${'a'.repeat(40)}`
    expect(body).toContain(`[\`src/login.ts:4\`](${atHead}/src/login.ts#L4) in `)
    // A clean review still has one line.
    expect(body).toContain('### 🟢 Passed: nothing found in 1 file\n')
    expect(body).not.toContain('Coverage:')
  })

  it('is omitted when it is empty, and short when there is little', () => {
    expect(textOf({})).not.toContain('Impact')
    expect(textOf({ symbols })).not.toContain('Impact')
    expect(textOf({ tests })).toContain(
      'Impact: nothing outside this change calls it, and 1 test covers it',
    )
    expect(textOf({ symbols, callers: callers.slice(-1) })).toContain(
      'Impact: 1 caller outside this change, and no test covers it',
    )
    expect(textOf({ commit: null, history: [owned] })).toContain(
      'Impact: what is known of these files',
    )
    expect(textOf({ notes: ['It took too long.'] })).toContain('Impact: not known in full')
  })

  it('separates callers, users of types and constants, guesses, and tests', () => {
    const type = symbolOf({ name: 'User', kind: 'type', change: 'signature' })
    const uses = [
      callerOf({ kind: 'type', path: 'src/a.ts', line: 3, within: null }),
      callerOf({ kind: 'import', path: 'src/a.ts', line: 1, within: null }),
      callerOf({ kind: 'import', path: 'src/b.ts', line: 1, within: null }),
      callerOf({ kind: 'type', path: 'test/a.test.ts', isTest: true }),
    ]
    const text = textOf({ symbols: [type], callers: uses, tests })
    expect(text).toContain('Impact: 2 uses outside this change, and 1 test covers it')
    expect(text).toContain('User (signature changed) is used in src/a.ts:3, src/b.ts:1')
    expect(text.match(/test\/a/g)).toBeNull()
    expect(textOf({ symbols: [type], tests })).toContain(
      'Impact: nothing outside this change uses it, and 1 test covers it',
    )
    const both = { symbols: [type, symbolOf()], callers: [...uses, callerOf({ symbol: 1 })] }
    expect(textOf(both)).toContain(
      'Impact: 1 caller and 2 other uses outside this change, and no test covers it',
    )
    // Two calls on one line count as one location.
    const twice = [callerOf({ symbol: 0 }), callerOf({ symbol: 1 })]
    expect(textOf({ symbols: [symbolOf(), symbolOf()], callers: twice })).toContain(
      'Impact: 1 caller outside',
    )
    const more = { callers: 300, callingFiles: 9, reachedFiles: 9, tests: 0 }
    expect(textOf({ ...both, counts: more })).toContain(
      'Impact: at least 1 caller and 2 other uses outside',
    )
  })

  it('does not link a truncated path, which leads nowhere', () => {
    const long = callerOf({ path: `src/${'x'.repeat(500)}.ts` })
    const body = renderWith({}, { graph: { symbols: [symbolOf()], callers: [long] } })
    expect(body).toMatch(/ is called in `…x+\.ts:4` in /)
  })

  it('names open pull requests that touch code that is removed here', () => {
    const symbols = [symbolOf({ change: 'removed' }), symbolOf({ name: 'saveUser' })]
    const related = [relatedOf({ symbols: ['loadUser', 'saveUser'] })]
    expect(textOf({ symbols, related })).toContain(
      'touches loadUser, which is removed here, saveUser',
    )
  })

  it('is dropped first when the comment would be too long', () => {
    const graph = { untested: ['src/form.ts'] }
    const notes = { ...coverage, notes: ['A note.'] }
    const whole = renderWith({ coverage: notes }, { graph })
    const cutShort = renderWith({ coverage: notes }, { graph, commentLength: whole.length - 1 })
    expect(whole).toContain('Impact')
    expect(cutShort).not.toContain('Impact')
    expect(cutShort).toContain('A note.')
  })

  it('is limited, and counts what it does not list', () => {
    const many = Array.from({ length: 300 }, (_, at) => at)
    const text = textOf({
      symbols: many.map((at) => symbolOf({ name: `name${at}${'x'.repeat(5000)}` })),
      callers: many.flatMap((symbol) =>
        many.slice(0, 20).map((line) => callerOf({ symbol, line })),
      ),
      tests: many.map((at) => ({ path: `test/${at}.ts`, distance: 1, reaches: [] })),
      untested: many.map((at) => `src/${at}.ts`),
      related: many.map((number) => relatedOf({ number, symbols: ['a'], title: 'y'.repeat(9000) })),
      history: many.map((at) => ({ ...owned, owner: `user-${at}`, path: `src/${at}.ts` })),
      notes: many.map((at) => `Note ${at}.`),
    })
    expect(text).toContain('and 290 other changed definitions in use elsewhere')
    expect(text).toContain(' and 15 more')
    expect(text).toContain('test/9.ts and 290 more')
    expect(text.length).toBeLessThan(12_000)
  })

  it('case 44: escapes names, paths, titles and findings', () => {
    const body = renderWith(
      {},
      {
        graph: {
          symbols: [symbolOf({ name: hostile })],
          callers: [callerOf({ path: hostile, within: `@everyone ${hostile}` })],
          tests: [{ path: hostile, distance: 1, reaches: [] }],
          untested: [hostile],
          related: [
            relatedOf({ title: hostile, author: hostile, symbols: [hostile], findings: [hostile] }),
            relatedOf({
              state: 'merged',
              title: hostile,
              author: '@everyone',
              findings: [`/merge\r/merge ${hostile}`],
            }),
          ],
          history: [{ ...owned, owner: '@octocat', path: `\`</details>${hostile}` }],
          notes: [hostile],
        },
      },
    )
    expect(listForeignParts(body)).toEqual([])
    expect(body).not.toMatch(/^\/merge/m)
  })

  it('case 43: reveals no secret of the service', () => {
    const secret = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a'
    const graph = {
      symbols: [symbolOf({ name: secret })],
      callers: [callerOf({ path: `src/${secret}.ts`, within: secret })],
      related: [relatedOf({ title: `Use ${secret}`, symbols: [secret] })],
      untested: [secret],
    }
    const body = renderWith({}, { graph, secrets: [secret] })
    expect(body).toContain('[secret]')
    expect(body).not.toContain(secret.slice(0, 12))
  })
})

describe('a summary that is too long', () => {
  const findings = Array.from({ length: 30 }, (_, index) =>
    makeFinding({ title: `Finding ${index} ${'x'.repeat(100)}` }),
  )
  const long = {
    ...coverage,
    notes: Array.from({ length: 50 }, (_, index) => `Note ${index} ${'y'.repeat(100)}`),
  }
  const frame = [
    /^<!-- umpire:review v=1 .*-->\n\n### 🟡 Needs a person: 30 moderate\n\n/,
    /<sub>Umpire reviewed [\s\S]*<\/sub>$/,
  ]

  it('is posted whole if it fits', () => {
    const body = renderWith({ findings, coverage: long })
    expect(body).not.toContain('left out')
    expect(body).toContain('Note 49')
  })

  it('loses its details first, then its text, and names all findings', () => {
    const body = renderWith({ findings, coverage: long }, { commentLength: 8000 })
    expect(body.length).toBeLessThanOrEqual(8000)
    for (const part of frame) expect(body).toMatch(part)
    expect(body.match(/^- 🟡 \*\*Moderate/gm)).toHaveLength(30)
    expect(body).toContain(
      `*Parts are left out, because this would be too long. [The review's page](${pageUrl}) `,
    )
    expect(body).toContain('A summary.')
    expect(body).not.toContain('<details><summary><strong>Coverage')
    expect(body).toContain('Resolved: Gone')
    const unplaced = findings.map((finding) => ({
      ...finding,
      placement: 'summary' as const,
      body: 'z'.repeat(2900),
    }))
    const cut = renderWith({ findings: unplaced }, { commentLength: 60_000 })
    expect(cut.match(/^- 🟡 \*\*Moderate/gm)).toHaveLength(30)
    expect(cut).not.toContain('zzz')
  })

  it('leaves out whole items at last', () => {
    for (const commentLength of [3000, 2000, 1000]) {
      const body = renderWith({ findings, coverage: long }, { commentLength })
      expect(body.length).toBeLessThanOrEqual(commentLength)
      for (const part of frame) expect(body).toMatch(part)
      const items = body.match(/^- 🟡 \*\*Moderate.*\)$/gm) ?? []
      expect(items.length).toBeGreaterThan(0)
      // One more item would not fit.
      expect(body.length + (items[0]?.length ?? 0) + 3).toBeGreaterThan(commentLength)
      expect(renderGfm(body).match(/<li>/g)).toHaveLength(items.length)
    }
  })
})

describe('a comment on a line', () => {
  it('names the cited memory, truncated and escaped', () => {
    const restsOn = { id: 'one', text: `Totals are sums.\n\n@everyone /merge ${'x'.repeat(5000)}` }
    const body = renderInline({ citation: restsOn })
    expect(readVisibleText(renderGfm(body))).toMatch(
      /Rests on: Totals are sums\. @\S?everyone \/merge x{100,300} …$/m,
    )
    expect(listForeignParts(body)).toEqual([])
    const secret = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a'
    expect(renderInline({ citation: { id: 'one', text: secret } }, [secret])).toMatch(
      /Rests on: \\?\[secret/,
    )
  })

  it('names one weakness in its title', () => {
    const body = renderInline({ rule: 'constant-condition' })
    expect(body).toContain('correctness (CWE-570)**: It breaks')
    expect(body.match(/CWE/g)).toHaveLength(1)
  })

  it('offers a suggested change unaltered or not at all', () => {
    const change = "  if (path === '/merge') return a | b // @alice #1"
    expect(renderInline({ suggestion: change })).toContain(`\`\`\`suggestion\n${change}\n\`\`\``)
    for (const suggestion of [
      'a\n/merge\nb',
      'a // <!-- umpire:finding x -->',
      "const a = '\u202e'",
    ]) {
      const body = renderInline({ suggestion })
      expect(body).not.toContain('suggestion')
      expect(body).toContain('When a, then b.')
    }
  })

  it('shows its suggestion as a diff where people cannot apply it', () => {
    const render = (suggestion: string, quote: string, endLine: number) =>
      renderComment(makeFinding({ suggestion, quote, startLine: 3, endLine }), {
        platform: { ...platform, suggestionFence: null },
      })
    expect(render('c\n\nd', 'a\nb', 4)).toContain('```diff\n-a\n-b\n+c\n+\n+d\n```')
    expect(render('', 'a', 3)).toContain('```diff\n-a\n```')
    // The quote is a part of the lines.
    expect(render('c', 'a', 4)).toContain('```diff\n+c\n```')
  })

  it('names the lines that its suggestion replaces where the platform counts them', () => {
    const suggestionFence = (lines: number) => `suggestion:-${lines - 1}+0`
    const finding = makeFinding({ suggestion: 'c', startLine: 3, endLine: 5 })
    const body = renderComment(finding, { platform: { ...platform, suggestionFence } })
    expect(body).toContain('```suggestion:-2+0\nc\n```')
  })

  it('omits its suggestion when it is too long, then its body', () => {
    const finding = makeFinding({ suggestion: 's'.repeat(500), body: 'b'.repeat(300) })
    const render = (maxCommentLength: number) =>
      renderComment(finding, { platform: { ...platform, limits: { ...limits, maxCommentLength } } })
    expect(render(2000)).toContain('sss')
    expect(render(600)).toMatch(/It breaks\n\nb{300}\n\n<!-- umpire:finding f{32} -->$/)
    expect(render(200)).toMatch(/It breaks\n\n<!-- umpire:finding f{32} -->$/)
  })
})

describe('case 43: a secret of the service', () => {
  const secret = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a'
  const forms = [
    secret,
    secret.slice(7),
    secret.slice(0, -7),
    Buffer.from(`x:${secret}`).toString('base64'),
  ]

  it.each(forms)('case 43: is not posted: %s', (form) => {
    const finding = makeFinding({
      title: `Title ${form}`,
      body: `Body \`${form}\``,
      path: `src/${form}.ts`,
      evidence: [{ path: form, line: 1, note: form }],
      suggestion: `const token = '${form}'`,
    })
    const findings = [
      finding,
      { ...finding, placement: 'summary' as const },
      { ...finding, placement: 'held_back' as const },
    ]
    const { summary } = summarizeReview(findings, [{ summary: form }], coverage, [secret])
    const skipped = [{ path: form, reason: form, matters: true }]
    const posted = [
      summary,
      renderWith(
        { findings, words: form, coverage: { ...coverage, skipped, notes: [form] } },
        {
          secrets: [secret],
          history: { resolved: [finding], resolvedBefore: [finding], dismissed: [finding] },
        },
      ),
      renderInline(finding, [secret]),
    ]
    for (const body of posted) {
      expect(body).toContain('[secret')
      for (let at = 0; at + 12 <= form.length; at++)
        expect(body).not.toContain(form.slice(at, at + 12))
    }
    expect(posted[2]).not.toContain('suggestion')
    expect(posted[2]).toMatch(/umpire:finding f{32} -->$/)
  })
})

describe('the check of a review', () => {
  const render = (
    changes: Partial<Review>,
    rest: Partial<Parameters<typeof renderCheck>[1]> = {},
  ) =>
    renderCheck(makeReview(changes), {
      otherBlockingReview: null,
      body: 'The summary.',
      secrets: [],
      ...rest,
    })

  it('annotates findings with a line at the head, but no suppressed or removed ones', () => {
    const findings = [
      makeFinding({ title: 'Inline' }),
      makeFinding({ title: 'Outside of the diff', placement: 'summary' }),
      makeFinding({ title: 'Suppressed', placement: 'held_back' }),
      makeFinding({ title: 'On a removed line', side: 'LEFT' }),
      makeFinding({ title: 'A secret that is gone', removed: true }),
    ]
    const { annotations } = render({ findings })
    expect(annotations.map(({ title }) => title)).toEqual(['Inline', 'Outside of the diff'])
  })

  it('names the review of another pull request that blocks the same head', () => {
    const otherBlockingReview = { number: 7, end: 'changes_requested' } as const
    const passed = { verdict: 'APPROVE' } as const
    expect(render(passed, { otherBlockingReview })).toMatchObject({
      state: { end: 'changes_requested', blocks: true },
      title: 'Changes requested in #7, which has the same head',
      summary: '**Changes requested in #7, which has the same head.**\n\nThe summary.',
    })
    expect(render({}, { otherBlockingReview }).state).toEqual({ end: 'needs_person', blocks: true })
  })

  it('case 43: contains no secret of the service', () => {
    const secret = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a'
    const findings = [makeFinding({ title: secret, body: secret, path: `src/${secret}.ts` })]
    const { annotations } = render({ findings }, { secrets: [secret] })
    expect(annotations).toHaveLength(1)
    expect(JSON.stringify(annotations)).not.toContain(secret.slice(0, 12))
  })
})

describe('the sources of a review', () => {
  const record = {
    source: 'linear',
    kind: 'tickets',
    key: 'SHOP-12',
    title: 'Totals are wrong',
    text: 'secret plans',
  } as const
  const live = (changes: object = {}, missing: LiveContext['missing'] = []): LiveContext => ({
    records: [{ ...record, url: 'https://linear.app/acme/issue/SHOP-12', ...changes }],
    missing,
  })

  it('lists the sources with a link, and those without an answer, but not their content', () => {
    const missing = [{ source: 'sentry', reason: 'it did not answer in time' }]
    const body = renderWith({}, { live: live({}, missing) })
    expect(body).toContain('<strong>Sources: 1 · 1 without an answer</strong>')
    expect(body).toContain(
      '- linear: [SHOP-12: Totals are wrong](https://linear.app/acme/issue/SHOP-12)',
    )
    expect(body).toContain('- Without sentry: it did not answer in time')
    expect(body).not.toContain('secret plans')
    expect(renderWith({})).not.toContain('Sources')
  })

  it('case 44: escapes the titles of tickets', () => {
    const body = renderWith(
      {},
      { live: live({ title: hostile, url: 'https://linear.app/a_*b*|`c`' }) },
    )
    expect(listForeignParts(body)).toEqual([
      '<a href="https://linear.app/a%5F%2Ab%2A%7C%60c%60">',
      '</a>',
    ])
  })
})
