// The judge: each claim keeps one identity and the right line over all pushes.
import { afterAll, describe, expect, it } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import { type Change, noEarlierReviews } from '../src/domain/change.ts'
import { GitError } from '../src/domain/errors.ts'
import type { Finding, ProposedFinding } from '../src/domain/finding.ts'
import { noUsage } from '../src/domain/review.ts'
import { identifyLines, markReadByRules } from '../src/git/hunk-identity.ts'
import type { ClaimCheck, Verifier } from '../src/reviewers/reviewer.ts'
import { type JudgedReport, type Judgment, judgeFindings } from '../src/workflows/judge-findings.ts'
import { findingMarker } from '../src/workflows/posting/markers.ts'
import { cardClaim } from './samples/card-claim.ts'
import { addedFiles, changeOf, emptyContext } from './samples/change-of-files.ts'
import { createStaticReviewer } from './samples/static-reviewer.ts'

const syntax = createSyntaxParser()
afterAll(() => syntax[Symbol.asyncDispose]())

const code = [
  'function pay(user) {',
  '  const total = sum(user.items)',
  '  charge(user.card, total)',
  '}',
]
const path = 'src/pay.ts'

const fileOf = (lines: readonly string[]) => ({ [path]: `${lines.join('\n')}\n` })
const added = (lines: readonly string[]) => addedFiles(fileOf(lines))

/** Builds a proposal of a model about lines of `code`. */
function claim(
  startLine: number,
  endLine: number,
  more: Partial<ProposedFinding> = {},
): ProposedFinding {
  return cardClaim(
    { path, startLine, endLine, quote: code.slice(startLine - 1, endLine).join('\n') },
    more,
  )
}

const ruleClaim = (startLine: number, endLine: number, more: Partial<ProposedFinding> = {}) =>
  claim(startLine, endLine, {
    reviewer: 'static',
    rule: 'charged',
    title: 'A rule saw it',
    confidence: 0.8,
    ...more,
  })

interface Round {
  readonly rules?: readonly ProposedFinding[]
  readonly model?: readonly ProposedFinding[]
  readonly unread?: readonly string[]
  readonly earlier?: readonly Finding[]
  readonly maxInline?: number
}

function judge(
  change: Change,
  { rules = [], model = [], unread = [], earlier = [], maxInline = 8 }: Round,
) {
  return judgeReports(
    { ...change, earlier: { ...noEarlierReviews, findings: earlier } },
    { maxInline },
    [
      { reviewer: 'static', findings: rules, unread },
      { reviewer: 'agentic', findings: model, unread: [] },
    ],
  )
}

function judgeReports(
  change: Change,
  { maxInline = 8, verifier = null }: { maxInline?: number; verifier?: Verifier | null },
  reports: readonly JudgedReport[],
) {
  return judgeFindings(
    { syntax },
    { change, reports, verifier, maxInline },
    AbortSignal.timeout(60_000),
  )
}

/** Returns the findings stored after a review, including carried ones. */
function stored({ findings, resolved }: Judgment, older: readonly Finding[] = []): Finding[] {
  const now = [...findings, ...resolved]
  return [
    ...now,
    ...older.filter((one) => !now.some(({ fingerprint }) => fingerprint === one.fingerprint)),
  ]
}

const ids = (findings: readonly Finding[]) => findings.map(({ fingerprint }) => fingerprint)
const places = (findings: readonly Finding[]) =>
  findings.map(({ startLine, endLine, placement }) => [startLine, endLine, placement])

describe('repeated claim', () => {
  it('keeps its identity when it quotes one more line', async () => {
    const one = await judge(added(code), { model: [claim(3, 3)] })
    const two = await judge(added(code), {
      model: [claim(2, 3, { title: 'Charged twice' })],
      earlier: stored(one),
    })
    expect(ids(two.findings)).toEqual(ids(one.findings))
    expect(two.resolved).toEqual([])
  })

  it('is matched by the current location of its code when lines moved', async () => {
    const one = await judge(added(code), { model: [claim(3, 3)] })
    const lines = ['import a', 'import b', 'import c', 'import d', ...code]
    const again = claim(6, 7, { quote: code.slice(1, 3).join('\n') })
    const two = await judge(added(lines), { model: [again], earlier: stored(one) })
    expect(ids(two.findings)).toEqual(ids(one.findings))
    expect(places(two.findings)).toEqual([[6, 7, 'inline']])
  })

  it('is new elsewhere, in another category, for a rule or after a resolution', async () => {
    const earlier = stored(await judge(added(code), { model: [claim(3, 3)] }))
    const others = [
      claim(1, 1),
      claim(2, 3, { category: 'security', title: 'Anyone can pay' }),
      ruleClaim(2, 3),
    ]
    for (const other of others) {
      const two = await judge(added(code), { model: [other], earlier })
      expect(two.findings).toHaveLength(2)
      expect(ids(two.findings)).toContain(earlier[0]?.fingerprint)
    }
    const fixed = earlier.map((finding) => ({ ...finding, state: 'resolved' as const }))
    const two = await judge(added(code), { model: [claim(2, 3)], earlier: fixed })
    expect(two.findings).toHaveLength(1)
    expect(ids(two.findings)).not.toEqual(ids(earlier))
  })

  it('takes over one earlier finding and carries the others', async () => {
    const one = await judge(added(code), { model: [claim(2, 2), claim(3, 3)] })
    const two = await judge(added(code), { model: [claim(2, 3)], earlier: stored(one) })
    expect(ids(two.findings).toSorted()).toEqual(ids(one.findings).toSorted())
  })

  it('gets a new comment when it reappears after a resolution', async () => {
    const clean = added(['function pay() {}'])
    const one = await judge(added(code), { model: [claim(3, 3)] })
    const fixed = await judge(clean, { earlier: stored(one) })
    expect(fixed).toMatchObject({ findings: [], resolved: [{ state: 'resolved' }] })
    expect(fixed.resolved.map(findingMarker)).toEqual(one.findings.map(findingMarker))
    const back = await judge(added(code), { model: [claim(3, 3)], earlier: stored(fixed) })
    expect(ids(back.findings)).toEqual(ids(one.findings))
    expect(back.findings.map(findingMarker)).not.toEqual(one.findings.map(findingMarker))
    for (const model of [[claim(3, 3)], [claim(2, 3)], []]) {
      const next = await judge(added(code), { model, earlier: stored(back) })
      expect(next.findings.map(findingMarker)).toEqual(back.findings.map(findingMarker))
    }
    const gone = await judge(clean, { earlier: stored(back) })
    expect(gone.resolved.map(findingMarker)).toEqual(back.findings.map(findingMarker))
  })
})

describe('finding that no reviewer repeats', () => {
  it('moves with its code and evidence', async () => {
    const one = await judge(added(code), { model: [claim(3, 3)], maxInline: 0 })
    const two = await judge(added(['import a', 'import b', ...code]), { earlier: stored(one) })
    expect(places(two.findings)).toEqual([[5, 5, 'inline']])
    expect(two.findings[0]?.evidence).toEqual([{ path, line: 5, note: '' }])
  })

  it('goes to the summary when its code is not in the diff', async () => {
    const one = await judge(added(code), { model: [claim(3, 3)] })
    const two = await judge(changeOf({}, fileOf(code), fileOf(['function pay(user) {'])), {
      earlier: stored(one),
    })
    expect(places(two.findings)).toEqual([[3, 3, 'summary']])
  })

  it('is resolved when its code or file is gone, but not when the diff is cut', async () => {
    const one = await judge(added(code), { model: [claim(3, 3)] })
    const without = added(code.toSpliced(2, 1))
    const elsewhere = addedFiles({ 'src/other.ts': 'x\n' })
    for (const change of [without, elsewhere]) {
      expect((await judge(change, { earlier: stored(one) })).resolved).toHaveLength(1)
    }
    const cut = { ...elsewhere, diff: { ...elsewhere.diff, problems: ['The diff was cut.'] } }
    expect(places((await judge(cut, { earlier: stored(one) })).findings)).toEqual([
      [3, 3, 'summary'],
    ])
  })

  it("is carried when its file can't be read", async () => {
    const one = await judge(added(code), { model: [claim(3, 3)] })
    const change = changeOf({}, fileOf(code), fileOf(['function pay(user) {']))
    const readFile = async () => {
      throw new GitError('It is too large.')
    }
    const two = await judge(
      { ...change, head: { ...change.head, readFile } },
      { earlier: stored(one) },
    )
    expect(places(two.findings)).toEqual([[3, 3, 'summary']])
  })

  it('stays open on a deleted line while the diff deletes it', async () => {
    const before = ['if (!user) return', 'go(user)']
    const change = changeOf(fileOf(before), fileOf(['go(user)']))
    const removed = claim(1, 1, { side: 'LEFT', quote: before[0], title: 'The check is gone' })
    const one = await judge(change, { model: [removed] })
    const two = await judge(change, { earlier: stored(one) })
    expect(two).toMatchObject({ findings: one.findings, resolved: [] })
    const other = changeOf(fileOf(['x']), fileOf(['y']))
    expect((await judge(other, { earlier: stored(two) })).resolved).toHaveLength(1)
  })

  it('stays open without a quote or with an inexact one', async () => {
    for (const quote of ['', 'const total = sum(items)\ncharge(user, total)']) {
      const one = await judge(added(code), { model: [claim(2, 3, { quote })] })
      const two = await judge(added(['import a', ...code]), { earlier: stored(one) })
      expect(places(two.findings)).toEqual([[3, 4, 'inline']])
    }
  })
})

describe('finding of a rule', () => {
  it('stays the same whether a model repeats it or not', async () => {
    const rules = [ruleClaim(3, 3)]
    const model = [claim(3, 3, { severity: 'critical' })]
    for (const first of [{ rules }, { rules, model }, { model }]) {
      const one = await judge(added(code), first)
      const two = await judge(added(code), { rules, model, earlier: stored(one) })
      expect([ids(two.findings), two.resolved]).toEqual([ids(one.findings), []])
      const three = await judge(added(code), { ...first, earlier: stored(two, stored(one)) })
      expect([ids(three.findings), three.resolved]).toEqual([ids(one.findings), []])
    }
  })

  it('is named after the rule, which repeats it when the model does not', async () => {
    const rules = [ruleClaim(3, 3)]
    const one = await judge(added(code), { rules, model: [claim(3, 3, { severity: 'critical' })] })
    const two = await judge(added(code), { rules, earlier: stored(one) })
    expect([ids(two.findings), two.resolved]).toEqual([ids(one.findings), []])
  })

  it('stays open next to one of a model when both are open', async () => {
    const [rules, model] = [[ruleClaim(3, 3)], [claim(3, 3, { severity: 'critical' })]]
    const one = await judge(added(code), { model })
    const two = await judge(added(code), { rules, earlier: stored(one) })
    expect(two.findings).toHaveLength(2)
    const three = await judge(added(code), { rules, model, earlier: stored(two) })
    expect([ids(three.findings).toSorted(), three.resolved]).toEqual([
      ids(two.findings).toSorted(),
      [],
    ])
  })

  it('is kept when a model claims the same about the lines of two rules', async () => {
    const rules = [ruleClaim(2, 2, { rule: 'one' }), ruleClaim(3, 3, { rule: 'two' })]
    const both = await judge(added(code), { rules, model: [claim(1, 4, { severity: 'critical' })] })
    expect(both.findings).toHaveLength(2)
    const one = await judge(added(code), { rules })
    const two = await judge(added(code), {
      rules,
      model: [claim(1, 4, { severity: 'critical' })],
      earlier: stored(one),
    })
    expect([ids(two.findings).toSorted(), two.resolved]).toEqual([ids(one.findings).toSorted(), []])
  })

  it('is resolved when its rule ran and did not report it again', async () => {
    const one = await judge(added(code), { rules: [ruleClaim(3, 3)] })
    const two = await judge(added(code), { earlier: stored(one) })
    expect(ids(two.resolved)).toEqual(ids(one.findings))
  })

  it('is replaced by a finding of its kind in its file, and else fixed', async () => {
    const at = (line: number, text: string, more: Partial<ProposedFinding> = {}) =>
      ruleClaim(line, line, { quote: text, ...more })
    const lines = ['danger(1)', 'a()', 'danger(2)', 'b()', 'risky(3)']
    const before = [at(1, 'danger(1)'), at(3, 'danger(2)'), at(5, 'risky(3)', { rule: 'risky' })]
    const one = await judge(added(lines), { rules: before })
    expect(one.findings).toHaveLength(3)
    // The first problem is fixed, the second has other code, and the third another rule.
    const edited = ['safe(1)', 'a()', 'danger(2, x)', 'b()', 'worse(3)']
    const now = [at(3, 'danger(2, x)'), at(5, 'worse(3)', { rule: 'worse' })]
    const two = await judge(added(edited), { rules: now, earlier: stored(one) })
    const reasons = two.resolved.map(({ startLine, resolution }) => [startLine, resolution])
    expect(reasons.toSorted()).toEqual([
      [1, 'fixed'],
      [3, 'replaced'],
      [5, 'fixed'],
    ])
  })

  it('is not fixed by switching its rule off, nor after it was dismissed', async () => {
    const earlier = stored(await judge(added(code), { rules: [ruleClaim(3, 3)] }))
    const change = added(code)
    const rule = earlier[0]!.rule!
    const off = { ...change, settings: { ...change.settings, disabledRules: [rule] } }
    expect((await judge(off, { earlier })).resolved).toMatchObject([{ resolution: 'withdrawn' }])
    const dismissed = earlier.map((finding) => ({ ...finding, state: 'dismissed' as const }))
    expect(await judge(added(code.slice(0, 2)), { earlier: dismissed })).toMatchObject({
      resolved: [{ resolution: 'dismissed' }],
    })
  })

  it('is matched correctly when one of two equal lines is deleted', async () => {
    const twice = ['danger(1)', 'a()', 'b()', 'danger(1)']
    const rules = [1, 4].map((line) => ruleClaim(line, line, { quote: 'danger(1)' }))
    const one = await judge(added(twice), { rules })
    const [first, second] = one.findings.toSorted((a, b) => a.startLine - b.startLine)
    const now = ruleClaim(3, 3, { quote: 'danger(1)' })
    const two = await judge(added(twice.slice(1)), { rules: [now], earlier: stored(one) })
    expect([ids(two.findings), ids(two.resolved)]).toEqual([
      [second?.fingerprint],
      [first?.fingerprint],
    ])
  })

  it('is carried when its file was not read and resolved when its code is gone', async () => {
    const earlier = stored(await judge(added(code), { rules: [ruleClaim(3, 3)] }))
    const change = added(['import a', ...code])
    expect(places((await judge(change, { unread: [path], earlier })).findings)).toEqual([
      [4, 4, 'inline'],
    ])
    const skipped = {
      ...change,
      files: [],
      skipped: [{ path, reason: 'larger than 1 MB', matters: true }],
    }
    expect(places((await judge(skipped, { earlier })).findings)).toEqual([[4, 4, 'inline']])
    const failed = await judgeReports(
      { ...change, earlier: { ...noEarlierReviews, findings: earlier } },
      {},
      [],
    )
    expect(places(failed.findings)).toEqual([[4, 4, 'inline']])
    const gone = await judge(added(code.slice(0, 2)), { unread: [path], earlier })
    expect(gone.resolved).toHaveLength(1)
  })

  it('is matched without a quote, as its secret is never stored', async () => {
    const secret = [`const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3s'`]
    const rule = ruleClaim(1, 1, { rule: 'hardcoded-secret', category: 'security', quote: '' })
    const earlier = stored(await judge(added(secret), { rules: [rule] }))
    const moved = await judge(added(['import a', ...secret]), { unread: [path], earlier })
    expect(places(moved.findings)).toEqual([[2, 2, 'inline']])
    expect(moved.findings[0]?.quote).toBe('')
  })

  it('about a secret stays open without its line until it is dismissed', async () => {
    const secret = [`const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3s'`]
    const rule = ruleClaim(1, 1, {
      rule: 'hardcoded-secret',
      category: 'security',
      quote: '',
      severity: 'critical',
    })
    const earlier = stored(await judge(added(secret), { rules: [rule] }))
    const gone = await judge(added(code), { earlier })
    expect(gone).toMatchObject({
      findings: [{ state: 'open', removed: true, placement: 'summary' }],
      resolved: [],
    })
    const back = await judge(added(['import a', ...secret]), {
      unread: [path],
      earlier: stored(gone),
    })
    expect(back).toMatchObject({
      findings: [{ removed: false, startLine: 2, placement: 'inline' }],
      resolved: [],
    })
    const dismissed = stored(gone).map((finding) => ({ ...finding, state: 'dismissed' as const }))
    expect(await judge(added(code), { earlier: dismissed })).toMatchObject({
      findings: [],
      resolved: [{}],
    })
  })

  it('about a secret keeps its rule when a model repeats it with more weight', async () => {
    const secret = [`const key = 'sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3s'`]
    const rule = ruleClaim(1, 1, {
      rule: 'hardcoded-secret',
      category: 'security',
      quote: '',
      severity: 'critical',
    })
    const model = claim(1, 1, {
      category: 'security',
      severity: 'critical',
      confidence: 1,
      quote: 'const key',
    })
    const { findings } = await judge(added(secret), { rules: [rule], model: [model] })
    expect(findings).toMatchObject([{ rule: 'hardcoded-secret', quote: '' }])
  })

  it('names the files that its reviewer could not read', async () => {
    await using reviewer = createStaticReviewer()
    const large = `${'// a line of a file that is too large\n'.repeat(15_000)}eval(input)\n`
    const change = addedFiles({ 'src/large.ts': large, 'src/small.ts': 'export const one = 1\n' })
    const report = await reviewer.review(change, emptyContext, AbortSignal.timeout(60_000))
    expect(report).toMatchObject({ unread: ['src/large.ts'], complete: false })
  })
})

describe('suggestion of a model', () => {
  it('is not carried to another indentation', async () => {
    const suggestion = '  charge(user.card, total, key)'
    const one = await judge(added(code), { model: [claim(3, 3, { suggestion })], maxInline: 0 })
    expect(one.findings[0]?.suggestion).toBe(suggestion)
    const deeper = await judge(added(code.map((line) => `  ${line}`)), { earlier: stored(one) })
    expect(deeper.findings).toMatchObject([{ startLine: 3, suggestion: null }])
    const moved = await judge(added(['import a', ...code]), { earlier: stored(one) })
    expect(moved.findings).toMatchObject([{ startLine: 4, suggestion }])
  })
})

describe('several reviewers', () => {
  const lines = [...code, 'function refund(user) {', '  return charge(user.card, -1)', '}']
  const other = (startLine: number, endLine: number, more: Partial<ProposedFinding> = {}) =>
    claim(startLine, endLine, {
      reviewer: 'security',
      category: 'security',
      quote: lines[startLine - 1]!,
      ...more,
    })

  it('make one claim with the same title or similar words on nearby lines', async () => {
    for (const same of [
      other(3, 3, { title: 'The  card is charged twice', severity: 'minor' }),
      other(1, 1, { title: 'Card charged twice when called again', severity: 'minor' }),
      other(6, 6, { title: 'The same card is charged twice', severity: 'minor' }),
    ]) {
      const { findings, dropped } = await judge(added(lines), { model: [claim(3, 3), same] })
      expect(findings).toMatchObject([{ title: 'The card is charged twice', severity: 'moderate' }])
      expect(dropped).toMatchObject({ duplicate: 1 })
    }
  })

  it('make two claims with other words, distant lines or one reviewer', async () => {
    const far = [...code, ...code.slice(0, 3)]
    for (const [model, change] of [
      [[claim(3, 3), other(2, 2, { title: 'Items may be undefined' })], added(lines)],
      [
        [claim(3, 3), other(7, 7, { title: 'The card is charged twice', quote: code[2]! })],
        added(far),
      ],
      [[claim(2, 2), claim(3, 3)], added(lines)],
      [[claim(3, 3), claim(3, 3, { title: 'Totals overflow' })], added(lines)],
      [[claim(3, 3), other(3, 3, { title: 'Totals overflow' })], added(lines)],
      // Refuting one of them does not refute the other.
      [[claim(1, 4), claim(3, 3, { title: 'Totals overflow' })], added(lines)],
    ] as const)
      expect((await judge(change, { model })).findings).toHaveLength(2)
  })

  it('contribute suggestions for the same lines and evidence to the strongest', async () => {
    const suggestion = '  charge(user.card, total, key)'
    const evidence = Array.from({ length: 4 }, (_, index) => ({
      path,
      line: index + 1,
      note: 'one',
    }))
    const { findings } = await judge(added(lines), {
      model: [
        claim(3, 3, { severity: 'critical', evidence: evidence.slice(0, 3) }),
        claim(3, 3, {
          suggestion,
          evidence: [...evidence.slice(2), { path, line: 5, note: 'two' }],
        }),
        claim(2, 3, { suggestion: 'x' }),
      ],
    })
    expect(findings).toMatchObject([{ severity: 'critical', suggestion }])
    expect(findings[0]?.evidence.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
  })
})

describe('suppressed findings', () => {
  it('are counted when the reviewer was too unsure for their severity', async () => {
    const unsure = [
      claim(1, 1, { severity: 'minor', confidence: 0.49 }),
      claim(2, 2, { severity: 'moderate', confidence: 0.34 }),
      claim(3, 3, { severity: 'critical', confidence: 0.19 }),
    ]
    const none = await judge(added(code), { model: unsure })
    expect(none).toMatchObject({
      findings: [],
      rejected: ['Not reported: 3 claims, because the reviewer was too unsure.'],
    })
    const barely = unsure.map((one) => ({ ...one, confidence: one.confidence + 0.01 }))
    expect((await judge(added(code), { model: barely })).findings).toHaveLength(3)
    const ruled = await judge(added(code), { rules: [ruleClaim(1, 1, { confidence: 0.1 })] })
    expect(ruled.findings).toHaveLength(1)
  })

  it('are counted below the minimum severity, except for open findings', async () => {
    const change = added(code)
    const strict: Change = { ...change, settings: { ...change.settings, minSeverity: 'moderate' } }
    const model = [claim(1, 1, { severity: 'minor' }), claim(3, 3)]
    const one = await judge(strict, { model })
    expect(one.findings).toMatchObject([{ severity: 'moderate' }])
    expect(one.rejected).toEqual([
      "Not reported: 1 finding, because the repository's settings ask for moderate ones and worse.",
    ])
    const before = await judge(change, { model })
    expect((await judge(strict, { model, earlier: stored(before) })).findings).toHaveLength(2)
  })
})

describe('comment limit', () => {
  const lines = Array.from({ length: 60 }, (_, index) => `danger(${index})`)
  const many = (severity: Finding['severity'], from: number, to: number) =>
    lines
      .slice(from, to)
      .map((quote, index) => ruleClaim(from + index + 1, from + index + 1, { severity, quote }))
  const count = ({ findings }: Judgment, placement: string) =>
    findings.filter((finding) => finding.placement === placement).length

  it('never suppresses a critical finding, allows 30 inline comments, loses none', async () => {
    const few = await judge(added(lines), {
      rules: [...many('critical', 0, 12), ...many('minor', 12, 20)],
    })
    expect([count(few, 'inline'), count(few, 'held_back')]).toEqual([12, 8])
    const all = await judge(added(lines), { rules: many('critical', 0, 60) })
    expect([count(all, 'inline'), count(all, 'held_back')]).toEqual([30, 30])
    const no = await judge(added(lines), {
      rules: [...many('critical', 0, 2), ...many('minor', 2, 5)],
      maxInline: 0,
    })
    expect([count(no, 'inline'), count(no, 'summary'), count(no, 'held_back')]).toEqual([0, 2, 3])
    const asked = await judge(added(lines), { rules: many('critical', 0, 60), maxInline: 50 })
    expect([count(asked, 'inline'), count(asked, 'held_back')]).toEqual([50, 10])
  })

  it('has three comments that say the same of a file, and leaves room for others', async () => {
    const other = ruleClaim(40, 40, { title: 'Another rule saw it', quote: lines[39]! })
    const { findings } = await judge(added(lines), { rules: [...many('moderate', 0, 20), other] })
    const inline = findings.filter(({ placement }) => placement === 'inline')
    expect(inline.map(({ startLine }) => startLine)).toEqual([1, 2, 3, 40])
    expect(count({ findings } as Judgment, 'held_back')).toBe(17)
  })
})

describe('with a verifier', () => {
  const change = added(code)
  const reportsOf = (model: ProposedFinding, rules: readonly ProposedFinding[] = []) => [
    { reviewer: 'static', findings: rules, unread: [] },
    { reviewer: 'agentic', findings: [model], unread: [] },
  ]
  const answerAll = (check: Pick<ClaimCheck, 'outcome' | 'severity'>): Verifier => ({
    verify: async (_change, claims) => ({
      checks: claims.map(() => ({ ...check, reason: '', evidence: [{ path, line: 1, note: '' }] })),
      usage: noUsage,
      notes: [],
    }),
  })
  const find = async (more: Partial<ProposedFinding>) =>
    (await judge(change, { model: [claim(3, 3, more)] })).findings[0] as Finding

  it("keeps a rule's claim open that repeats an open and a dismissed finding", async () => {
    const open = await find({ title: 'Lookup result unchecked' })
    const dismissed = await find({ title: 'User may be null here', category: 'security' })
    const judged = await judgeReports(
      {
        ...change,
        earlier: {
          ...noEarlierReviews,
          findings: [
            { ...open, verified: false },
            { ...dismissed, state: 'dismissed' },
          ],
        },
      },
      { verifier: answerAll({ outcome: 'refuted', severity: 'moderate' }) },
      reportsOf(claim(3, 3, { title: 'User may be null here', confidence: 0.95 }), [
        ruleClaim(3, 3),
      ]),
    )
    expect(judged).toMatchObject({ findings: [{ rule: 'charged', state: 'open' }], resolved: [] })
  })

  it('reopens a resolved finding on unchanged code, even if its severity is lowered', async () => {
    const resolved = { ...(await find({})), state: 'resolved' as const }
    const seenLines = new Set(
      change.diff.files.flatMap((file) =>
        file.hunks.flatMap((hunk) => [...identifyLines(hunk).values()]),
      ),
    )
    const judged = await judgeReports(
      { ...change, earlier: { ...noEarlierReviews, findings: [resolved], seenLines } },
      { verifier: answerAll({ outcome: 'confirmed', severity: 'moderate' }) },
      reportsOf(claim(3, 3, { severity: 'critical' })),
    )
    expect(judged.findings).toMatchObject([{ severity: 'moderate', reopened: 1 }])
  })
})

describe('a claim of a rule on lines that rules have read', () => {
  const change = added(code)
  const identities = change.diff.files.flatMap(({ hunks }) =>
    hunks.flatMap((hunk) => [...identifyLines(hunk).values()]),
  )
  const readByRules = new Set(identities.map(markReadByRules))

  it.each([
    ['is in the summary after a fix of its rule', {}, readByRules, 'summary'],
    ['is commented if it is critical', { severity: 'critical' }, readByRules, 'inline'],
    ['is commented if it is about security', { category: 'security' }, readByRules, 'inline'],
    ['is commented after a fix of another rule', { rule: 'other' }, readByRules, 'inline'],
    ['is commented if only models have read them', {}, new Set(identities), 'inline'],
  ] as const)('%s', async (_, more, seenLines, placement) => {
    const minor = { severity: 'minor' } as const
    const { findings } = await judge(change, { rules: [ruleClaim(1, 1, minor)] })
    const { findings: open, resolved } = await judgeReports(
      { ...change, earlier: { ...noEarlierReviews, findings, seenLines } },
      {},
      [{ reviewer: 'static', findings: [ruleClaim(3, 3, { ...minor, ...more })], unread: [] }],
    )
    expect(open).toMatchObject([{ startLine: 3, placement }])
    expect(resolved).toMatchObject([{ startLine: 1 }])
  })

  it('does not hide what a model finds there later', async () => {
    const { findings } = await judgeReports(
      { ...change, earlier: { ...noEarlierReviews, seenLines: readByRules } },
      {},
      [{ reviewer: 'agentic', findings: [claim(3, 3, { severity: 'minor' })], unread: [] }],
    )
    expect(findings).toMatchObject([{ startLine: 3, placement: 'inline' }])
  })
})
