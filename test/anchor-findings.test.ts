// Where a proposal is placed: on the code that it quotes, whatever line, side and name it says; never on a wrong line.
import { describe, expect, it } from 'vitest'
import type { ProposedFinding } from '../src/domain/finding.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import type { Change } from '../src/reviewers/reviewer.ts'
import { anchorProposal } from '../src/workflows/judging/anchor-findings.ts'
import { createChangeFiles } from '../src/workflows/judging/change-files.ts'
import { addedFiles, changeOf, snapshotOf } from './samples/change-of-files.ts'

const path = 'src/orders.ts'

/** Lines 1 to 8 and 101 to 106 of the head are in the diff; lines 1 to 7 and 100 to 105 of the base. */
const diff = `diff --git a/src/old-orders.ts b/src/orders.ts
similarity index 90%
rename from src/old-orders.ts
rename to src/orders.ts
index 1111111..2222222 100644
--- a/src/old-orders.ts
+++ b/src/orders.ts
@@ -1,7 +1,8 @@
 import { stock } from './stock.ts'
 
 export function order(count: number) {
-  if (count <= 0) return null
+  const item = find(count)
+  if (item === undefined) return null
   reserve(count)
   return pay(count)
 }
@@ -100,6 +101,6 @@
 export function cancel(id: string) {
   const found = orders.get(id)
-  release(found.items)
+  release(found.items, 'cancelled')
   reserve(count)
   return true
 }
`
const headLines = [
  "import { stock } from './stock.ts'",
  '',
  'export function order(count: number) {',
  '  const item = find(count)',
  '  if (item === undefined) return null',
  '  reserve(count)',
  '  return pay(count)',
  '}',
  ...Array.from({ length: 92 }, (_, index) => `const filler${index + 9} = compute(${index + 9})`),
  'export function cancel(id: string) {',
  '  const found = orders.get(id)',
  "  release(found.items, 'cancelled')",
  '  reserve(count)',
  '  return true',
  '}',
]

function renamed(): Change {
  const parsed = parseDiff(diff)
  const base = changeOf({}, {})
  return {
    ...base,
    diff: parsed,
    files: parsed.files,
    head: snapshotOf('b'.repeat(40), { [path]: `${headLines.join('\n')}\n` }),
  }
}

function propose(more: Partial<ProposedFinding>): ProposedFinding {
  return {
    reviewer: 'agentic',
    rule: null,
    path,
    side: 'RIGHT',
    startLine: 1,
    endLine: more.startLine ?? 1,
    quote: '',
    severity: 'moderate',
    category: 'correctness',
    title: 'A claim',
    body: 'When, then.',
    suggestion: null,
    evidence: [],
    confidence: 0.9,
    ...more,
  }
}

async function anchor(more: Partial<ProposedFinding>, change = renamed()) {
  return anchorProposal(change, createChangeFiles(change), propose(more))
}

/** Path, side, first and last line, placement. */
async function placeOf(more: Partial<ProposedFinding>, change?: Change) {
  const anchored = await anchor(more, change)
  if (typeof anchored === 'string') return anchored
  return [anchored.side, anchored.startLine, anchored.endLine, anchored.placement]
}

const release = "  release(found.items, 'cancelled')"

describe('the line', () => {
  it.each([103, 104, 93, 113, 1, 1000])(
    'is that of the quote when line %i is named',
    async (startLine) => {
      expect(await placeOf({ startLine, quote: release })).toEqual(['RIGHT', 103, 103, 'inline'])
    },
  )

  it.each([
    ['with the marker of the diff', `+${release}`],
    ['with its number in front', `103 +${release}`],
    ['with both numbers in front', `103 103 +${release}`],
    ['as a tool shows it', `103\t${release}`],
    ['with other white space', "release( found.items,'cancelled' )"],
    ['in part', "found.items, 'cancelled'"],
    ['with blank lines around', `\n\n${release}\n\n`],
  ])('is that of code that was quoted %s', async (_name, quote) => {
    expect(await placeOf({ startLine: 90, quote })).toEqual(['RIGHT', 103, 103, 'inline'])
  })

  it('is, of several equal ones, the named one, or else the only one within ten lines', async () => {
    const quote = '  reserve(count)'
    expect(await placeOf({ startLine: 6, quote })).toEqual(['RIGHT', 6, 6, 'inline'])
    expect(await placeOf({ startLine: 104, quote })).toEqual(['RIGHT', 104, 104, 'inline'])
    expect(await placeOf({ startLine: 114, quote })).toEqual(['RIGHT', 104, 104, 'inline'])
  })

  it('is told in the summary when it could be another one as well', async () => {
    expect(await placeOf({ startLine: 50, quote: '  reserve(count)' })).toEqual([
      'RIGHT',
      6,
      6,
      'summary',
    ])
    const change = addedFiles({ [path]: 'one()\nsame()\ntwo()\nthree()\nsame()\n' })
    expect(await placeOf({ startLine: 2, quote: 'same()' }, change)).toEqual([
      'RIGHT',
      2,
      2,
      'inline',
    ])
    expect(await placeOf({ startLine: 5, quote: 'same()' }, change)).toEqual([
      'RIGHT',
      5,
      5,
      'inline',
    ])
    expect(await placeOf({ startLine: 3, quote: 'same()' }, change)).toEqual([
      'RIGHT',
      2,
      2,
      'summary',
    ])
  })
})

describe('the side', () => {
  it('is that of the code', async () => {
    expect(await placeOf({ startLine: 4, quote: '  if (count <= 0) return null' })).toEqual([
      'LEFT',
      4,
      4,
      'inline',
    ])
    expect(await placeOf({ startLine: 103, side: 'LEFT', quote: release })).toEqual([
      'RIGHT',
      103,
      103,
      'inline',
    ])
    expect(
      await placeOf({ startLine: 102, side: 'LEFT', quote: '  release(found.items)' }),
    ).toEqual(['LEFT', 102, 102, 'inline'])
  })

  it('is the named one where the same code was deleted and added', async () => {
    const change = changeOf({ [path]: 'go(id)\n' }, { [path]: '  go( id )\nstop()\n' })
    for (const side of ['RIGHT', 'LEFT'] as const)
      expect(await placeOf({ side, startLine: 1, quote: 'go(id)' }, change)).toEqual([
        side,
        1,
        1,
        'inline',
      ])
  })

  it('is the head for lines that both have, under either number', async () => {
    const quote = '  const found = orders.get(id)'
    for (const [side, startLine] of [
      ['LEFT', 101],
      ['LEFT', 102],
      ['RIGHT', 102],
    ] as const)
      expect(await placeOf({ side, startLine, quote })).toEqual(['RIGHT', 102, 102, 'inline'])
  })

  it('is found in a quote with lines of both', async () => {
    const quote = `   const found = orders.get(id)\n-  release(found.items)\n+${release}`
    expect(await placeOf({ startLine: 102, endLine: 103, quote })).toEqual([
      'RIGHT',
      102,
      103,
      'inline',
    ])
    expect(await placeOf({ side: 'LEFT', startLine: 101, endLine: 102, quote })).toEqual([
      'LEFT',
      101,
      102,
      'inline',
    ])
  })
})

describe('the range', () => {
  it('stays as it was named when the quote is some of it', async () => {
    const quote = headLines[3]!
    expect(await placeOf({ startLine: 3, endLine: 6, quote })).toEqual(['RIGHT', 3, 6, 'inline'])
    const anchored = await anchor({ startLine: 3, endLine: 6, quote })
    expect(anchored).toMatchObject({
      quote: headLines
        .slice(2, 6)
        .map((line) => line.trim())
        .join('\n'),
    })
  })

  it('is that of the quote when the named one lies elsewhere, leaves the hunk, or is too long', async () => {
    for (const [startLine, endLine] of [
      [20, 23],
      [101, 110],
      [90, 110],
    ])
      expect(await placeOf({ startLine, endLine, quote: release })).toEqual([
        'RIGHT',
        103,
        103,
        'inline',
      ])
  })

  it('is that of a quote as long as it, which shows where it really is', async () => {
    const lines = ['one()', 'two()', '', 'three()', 'four()', '']
    const named = { startLine: 1, endLine: 3, quote: 'two()\n\n' }
    expect(await placeOf(named, addedFiles({ [path]: lines.join('\n') }))).toEqual([
      'RIGHT',
      2,
      2,
      'inline',
    ])
  })

  it('is that of the longest run of a quote that is not in the diff as a whole', async () => {
    const quote = ['  const found = orders.get(id)', release, '  reserve(counts)'].join('\n')
    expect(await placeOf({ startLine: 90, endLine: 92, quote })).toEqual([
      'RIGHT',
      102,
      103,
      'inline',
    ])
  })
})

describe('the file', () => {
  it('is known by its old name too', async () => {
    for (const side of ['RIGHT', 'LEFT'] as const) {
      const anchored = await anchor({
        path: 'src/old-orders.ts',
        side,
        startLine: 103,
        quote: release,
      })
      expect(anchored).toMatchObject({ path, side: 'RIGHT', startLine: 103 })
    }
  })

  it('must be part of the change', async () => {
    expect(await anchor({ path: 'src/other.ts' })).toContain('not part of the change')
  })
})

describe('code that is not in the diff', () => {
  it('is told in the summary with its place in the file, though the named line is in the diff', async () => {
    expect(await placeOf({ startLine: 5, quote: 'const filler50 = compute(50)' })).toEqual([
      'RIGHT',
      50,
      50,
      'summary',
    ])
  })

  it('is told in the summary when it stands nowhere and the named line has nothing to do with it', async () => {
    const quote = 'await database.transaction(write)'
    expect(await placeOf({ startLine: 5, quote })).toEqual(['RIGHT', 5, 5, 'summary'])
    expect(await anchor({ startLine: 5, quote })).toMatchObject({ verified: false })
  })

  it('stands on the named line when it is what that was meant to be', async () => {
    const quote = 'if (item == undefined) { return null }'
    expect(await placeOf({ startLine: 5, quote })).toEqual(['RIGHT', 5, 5, 'inline'])
  })

  it('is dropped when neither it nor the line is there', async () => {
    expect(await anchor({ startLine: 900, quote: 'nowhere at all' })).toContain('not in the diff')
  })
})

describe('a suggestion', () => {
  const suggestion = "  release(found.items, 'cancelled', id)"

  it('moves with the lines that it was made for', async () => {
    expect(await anchor({ startLine: 90, quote: release, suggestion })).toMatchObject({
      startLine: 103,
      suggestion,
    })
  })

  it('is left out when it was made for other lines, or nobody can tell for which', async () => {
    const wrong = [
      { startLine: 90, endLine: 91, quote: release },
      { startLine: 50, quote: '  reserve(count)' },
      { startLine: 5, quote: 'if (item == undefined) { return null }' },
    ]
    for (const named of wrong)
      expect(await anchor({ ...named, suggestion })).toMatchObject({ suggestion: null })
  })
})

describe('evidence', () => {
  const files = { [path]: 'one\ntwo\n', 'src/else.ts': 'three\n' }
  const at = (path: string, line: number) => ({ path, line, note: 'look' })

  it('is kept where it exists at the head, each place once, five at most', async () => {
    const evidence = [
      ...[at(path, 2), at(path, 2), at('src/else.ts', 1), at(path, 1)],
      ...[at(path, 3), at(path, 0), at(path, 1.5), at('src/none.ts', 1), at('../etc/passwd', 1)],
    ]
    const anchored = await anchor({ startLine: 1, quote: 'one', evidence }, addedFiles(files))
    expect(anchored).toMatchObject({ evidence: [at(path, 2), at('src/else.ts', 1), at(path, 1)] })
    const many = Array.from({ length: 9 }, (_, index) => at('src/long.ts', index + 1))
    const long = { ...files, 'src/long.ts': 'x\n'.repeat(9) }
    expect(await anchor({ quote: 'one', evidence: many }, addedFiles(long))).toMatchObject({
      evidence: many.slice(0, 5),
    })
  })

  it('of deleted lines may exist at the base only', async () => {
    const change = changeOf({ [path]: 'gone\nand this\n' }, { [path]: '' })
    const deleted = { side: 'LEFT', startLine: 1, quote: 'gone', evidence: [at(path, 2)] } as const
    expect(await anchor(deleted, change)).toMatchObject({ side: 'LEFT', evidence: [at(path, 2)] })
  })
})

it('reads each file once for all proposals', async () => {
  let reads = 0
  const change = renamed()
  const head = {
    ...change.head,
    readFile: (name: string) => {
      reads += 1
      return change.head.readFile(name)
    },
  }
  const files = createChangeFiles({ ...change, head })
  const evidence = [{ path, line: 2, note: '' }]
  for (const startLine of [101, 102, 103])
    await anchorProposal(change, files, propose({ startLine, quote: release, evidence }))
  expect(reads).toBe(1)
})

it('finds its place among very many equal lines, without comparing each with each', async () => {
  const count = 100_000
  const change = changeOf({ [path]: 'go()\n'.repeat(count) }, { [path]: '  go()\n'.repeat(count) })
  const quote = 'go()\n'.repeat(150)
  const found = await anchor({ startLine: 70_000, quote }, change)
  expect(found).toMatchObject({ side: 'RIGHT', startLine: 70_000, placement: 'inline' })
})
