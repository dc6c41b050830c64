// Findings follow their code to other files, each to one location, while it is the same code.
import { afterAll, describe, expect, it } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import { type Change, noEarlierReviews } from '../src/domain/change.ts'
import type { Finding, ProposedFinding } from '../src/domain/finding.ts'
import { identifyLines } from '../src/git/hunk-identity.ts'
import { judgeFindings } from '../src/workflows/judge-findings.ts'
import { cardClaim } from './samples/card-claim.ts'
import { addedFiles } from './samples/change-of-files.ts'

const syntax = createSyntaxParser()
afterAll(() => syntax[Symbol.asyncDispose]())

const call = 'charge(user.card, total)'

function claim(path: string, line: number, more: Partial<ProposedFinding> = {}): ProposedFinding {
  return cardClaim({ path, startLine: line, endLine: line, quote: call }, more)
}

function judge(
  change: Change,
  model: readonly ProposedFinding[],
  findings: readonly Finding[] = [],
) {
  return judgeFindings(
    { syntax },
    {
      change: { ...change, earlier: { ...change.earlier, findings } },
      reports: [{ reviewer: 'agentic', findings: model, unread: [] }],
      verifier: null,
      maxInline: 8,
    },
    AbortSignal.timeout(60_000),
  )
}

const report = async (files: Record<string, string>, model: readonly ProposedFinding[]) =>
  (await judge(addedFiles(files), model)).findings

/** Returns the locations of findings after a silent review of other files. */
async function follow(findings: readonly Finding[], files: Record<string, string>) {
  const next = await judge(addedFiles(files), [], findings)
  return next.findings.map(({ path, startLine, fingerprint }) => [
    path,
    startLine,
    findings.findIndex((finding) => finding.fingerprint === fingerprint),
  ])
}

describe('finding with a deleted file', () => {
  it('moves to the file of the same name, even if its code is elsewhere too', async () => {
    const findings = await report({ 'a/pay.ts': `${call}\n` }, [claim('a/pay.ts', 1)])
    const files = { 'a/refund.ts': `${call}\n`, 'b/pay.ts': `// Moved.\n${call}\n` }
    expect(await follow(findings, files)).toEqual([['b/pay.ts', 2, 0]])
  })

  it('never shares a location with another finding of its kind', async () => {
    const files = { 'a/one.ts': `${call}\n`, 'a/two.ts': `\n\n${call}\n` }
    const findings = await report(files, [claim('a/one.ts', 1), claim('a/two.ts', 3)])
    const moved = { 'b/first.ts': `${call}\n`, 'b/second.ts': `\n\n${call}\n` }
    const [first, second] = findings.map(({ path }) =>
      path === 'a/one.ts' ? 'b/first.ts' : 'b/second.ts',
    )
    expect((await follow(findings, moved)).map(([path, , index]) => [path, index])).toEqual(
      expect.arrayContaining([
        [first, 0],
        [second, 1],
      ]),
    )
    expect(await follow(findings, { 'b/only.ts': `${call}\n` })).toHaveLength(1)
  })

  it('ignores code that many files contain, except in a file of the same name', async () => {
    const findings = await report({ 'a/pay.ts': 'return 0\n' }, [
      claim('a/pay.ts', 1, { quote: 'return 0' }),
    ])
    expect(await follow(findings, { 'b/other.ts': 'return 0\n' })).toEqual([])
    expect(await follow(findings, { 'b/pay.ts': 'return 0\n' })).toEqual([['b/pay.ts', 1, 0]])
  })

  it('takes its evidence along', async () => {
    const findings = await report({ 'a/pay.ts': `${call}\n` }, [claim('a/pay.ts', 1)])
    const next = await judge(addedFiles({ 'b/pay.ts': `${call}\n` }), [], findings)
    expect(next.findings[0]?.evidence).toEqual([{ path: 'b/pay.ts', line: 1, note: '' }])
  })
})

describe('claim about previously reviewed code', () => {
  const path = 'a/pay.ts'
  const judgeAgain = async (proposals: readonly ProposedFinding[]) => {
    const change = addedFiles({ [path]: `${call}\n` })
    const seenLines = new Set(
      change.diff.files[0]?.hunks.flatMap((hunk) => [...identifyLines(hunk).values()]),
    )
    return judge({ ...change, earlier: { ...noEarlierReviews, seenLines } }, proposals)
  }

  it('is suppressed when only a model makes it, not when a rule does', async () => {
    const late = claim(path, 1, { severity: 'minor' })
    const ruled = { ...late, reviewer: 'static', rule: 'charged' }
    expect((await judgeAgain([late])).findings).toHaveLength(0)
    expect((await judgeAgain([ruled])).findings).toHaveLength(1)
    expect((await judgeAgain([{ ...late, confidence: 1 }, ruled])).findings).toHaveLength(1)
  })
})

describe('answered finding', () => {
  const path = 'a/pay.ts'
  const answered = async () =>
    (await report({ [path]: `${call}\n` }, [claim(path, 1)])).map((finding) => ({
      ...finding,
      state: 'dismissed' as const,
    }))

  it('suppresses its own line as it was, but no other line with the same quote', async () => {
    const same = await judge(
      addedFiles({ [path]: `\n${call}\n` }),
      [claim(path, 2, { quote: '' })],
      await answered(),
    )
    expect(same).toMatchObject({ findings: [], dismissed: [{ startLine: 2 }] })
    const changed = `if (isSure) ${call}`
    const other = await judge(
      addedFiles({ [path]: `${changed}\n` }),
      [claim(path, 1)],
      await answered(),
    )
    expect(other.findings).toHaveLength(1)
  })

  it('does not suppress a more severe claim that extends beyond its lines', async () => {
    const around = addedFiles({ [path]: `eval(user.name)\n${call}\n` })
    const wide = { quote: `eval(user.name)\n${call}`, endLine: 2 }
    const again = await judge(around, [claim(path, 1, wide)], await answered())
    expect(again).toMatchObject({ findings: [], dismissed: [{ startLine: 2 }] })
    const worse = await judge(
      around,
      [claim(path, 1, { ...wide, severity: 'critical' })],
      await answered(),
    )
    expect(worse).toMatchObject({
      findings: [{ severity: 'critical', reopened: 0 }],
      dismissed: [{ startLine: 2 }],
    })
    expect(worse.findings[0]?.fingerprint).not.toBe(worse.dismissed[0]?.fingerprint)
  })
})
