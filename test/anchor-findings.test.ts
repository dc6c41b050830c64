// Anchors of findings: a finding goes to the code that it quotes, even if it names another line.
import { describe, expect, it } from 'vitest'
import type { Change } from '../src/domain/change.ts'
import type { ProposedFinding } from '../src/domain/finding.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import { anchorCandidate } from '../src/workflows/judging/anchor.ts'
import { createChangeFiles } from '../src/workflows/judging/change-files.ts'
import { addedFiles, changeOf, snapshotOf } from './samples/change-of-files.ts'

const path = 'src/orders.ts'

/** The diff shows lines 1–8 and 101–106 of the head, and lines 1–7 and 100–105 of the base. */
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
  return anchorCandidate(change, createChangeFiles(change), propose(more))
}

/** Returns path, side, first and last line, and placement. */
async function placeOf(more: Partial<ProposedFinding>, change?: Change) {
  const anchored = await anchor(more, change)
  if (typeof anchored === 'string') return anchored
  return [anchored.side, anchored.startLine, anchored.endLine, anchored.placement]
}

const release = "  release(found.items, 'cancelled')"

describe('anchor line', () => {
  it.each([103, 104, 93, 113, 1, 1000])(
    'is the line of the quote when line %i is named',
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
  ])('is found for code that was quoted %s', async (_name, quote) => {
    expect(await placeOf({ startLine: 90, quote })).toEqual(['RIGHT', 103, 103, 'inline'])
  })

  it('prefers the named line, or the only match within ten lines', async () => {
    const quote = '  reserve(count)'
    expect(await placeOf({ startLine: 6, quote })).toEqual(['RIGHT', 6, 6, 'inline'])
    expect(await placeOf({ startLine: 104, quote })).toEqual(['RIGHT', 104, 104, 'inline'])
    expect(await placeOf({ startLine: 114, quote })).toEqual(['RIGHT', 104, 104, 'inline'])
  })

  it('moves to the summary when several matches remain', async () => {
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

describe('anchor side', () => {
  it('follows the quoted code', async () => {
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

  it('is not on the other side far away', async () => {
    const quote = '  release(found.items)'
    expect(await placeOf({ startLine: 3, quote })).toEqual(['LEFT', 102, 102, 'summary'])
    expect(await placeOf({ side: 'LEFT', startLine: 3, quote: release })).toEqual([
      'RIGHT',
      103,
      103,
      'summary',
    ])
  })

  it('is the named side when the same code was deleted and added', async () => {
    const change = changeOf({ [path]: 'go(id)\n' }, { [path]: '  go( id )\nstop()\n' })
    for (const side of ['RIGHT', 'LEFT'] as const)
      expect(await placeOf({ side, startLine: 1, quote: 'go(id)' }, change)).toEqual([
        side,
        1,
        1,
        'inline',
      ])
  })

  it('is RIGHT for context lines, under either line number', async () => {
    const quote = '  const found = orders.get(id)'
    for (const [side, startLine] of [
      ['LEFT', 101],
      ['LEFT', 102],
      ['RIGHT', 102],
    ] as const)
      expect(await placeOf({ side, startLine, quote })).toEqual(['RIGHT', 102, 102, 'inline'])
  })

  it('is found in a quote with lines of both sides', async () => {
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

describe('anchor range', () => {
  it('stays as named when the quote covers part of it', async () => {
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

  it('follows the quote when the named range is invalid', async () => {
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

  it('follows a quote as long as the range', async () => {
    const lines = ['one()', 'two()', '', 'three()', 'four()', '']
    const named = { startLine: 1, endLine: 3, quote: 'two()\n\n' }
    expect(await placeOf(named, addedFiles({ [path]: lines.join('\n') }))).toEqual([
      'RIGHT',
      2,
      2,
      'inline',
    ])
  })

  it('covers the longest matching run of a partially matching quote', async () => {
    const quote = ['  const found = orders.get(id)', release, '  reserve(counts)'].join('\n')
    expect(await placeOf({ startLine: 90, endLine: 92, quote })).toEqual([
      'RIGHT',
      102,
      103,
      'inline',
    ])
  })
})

describe('anchor of a misquoted line', () => {
  const misspelt = "  relaese(found.items, 'cancelled')"
  const at103 = ['RIGHT', 103, 103, 'inline']

  it.each([103, 96, 110, 83, 123])('is the similar line when line %i is named', async (line) => {
    expect(await placeOf({ startLine: line, quote: misspelt })).toEqual(at103)
  })

  it('is the similar line when the other side is named', async () => {
    expect(await placeOf({ side: 'LEFT', startLine: 102, quote: misspelt })).toEqual(at103)
  })

  it('has no suggestion, which may repeat the mistake, and has to be verified', async () => {
    const anchored = await anchor({ startLine: 103, quote: misspelt, suggestion: 'stop()' })
    expect(anchored).toMatchObject({ suggestion: null, verified: false })
  })

  it('is not a similar line far away', async () => {
    expect(await placeOf({ startLine: 104 + 30, quote: misspelt })).toContain('not in the diff')
    expect(await placeOf({ startLine: 5, quote: misspelt })).toEqual(['RIGHT', 5, 5, 'summary'])
  })

  it('is not one of several similar lines', async () => {
    const lines = ['start()', 'const widthLeft = measure(1)', 'const widthRight = measure(1)']
    const change = addedFiles({ [path]: lines.join('\n') })
    const quote = 'const widthLight = measure(1)'
    expect(await placeOf({ startLine: 1, quote }, change)).toEqual(['RIGHT', 1, 1, 'summary'])
  })

  it('is not a similar line when the diff leaves out the line that is meant', async () => {
    const quote = 'const filler12 = compue(12)'
    expect(await placeOf({ startLine: 8, quote })).toEqual(['RIGHT', 8, 8, 'summary'])
  })
})

describe('anchor file', () => {
  it('is the only changed file with that name when the folder is wrong', async () => {
    for (const wrong of ['orders.ts', 'lib/orders.ts', 'app/src/orders.ts'])
      expect(await anchor({ path: wrong, startLine: 100, quote: release })).toMatchObject({
        path,
        startLine: 103,
        placement: 'inline',
      })
  })

  it('is not guessed when several files or another file may be meant', async () => {
    const two = addedFiles({ 'a/orders.ts': 'release(found)\n', 'b/orders.ts': 'release(found)\n' })
    const named = { startLine: 1, quote: 'release(found)' }
    expect(await anchor({ ...named, path: 'orders.ts' }, two)).toContain('not part of the change')
    const one = addedFiles({ [path]: 'release(found)\n' })
    const withOther = { [path]: 'release(found)\n', 'lib/orders.ts': 'release(found)\n' }
    const other = { ...one, head: snapshotOf('b'.repeat(40), withOther) }
    expect(await anchor({ ...named, path: 'lib/orders.ts' }, other)).toContain(
      'not part of the change',
    )
    expect(await anchor({ path: 'lib/orders.ts', startLine: 103, quote: 'nothing' })).toContain(
      'not in the diff',
    )
  })

  it('also matches the old path of a renamed file', async () => {
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

describe('code outside the diff', () => {
  it('goes to the summary with its line in the file', async () => {
    expect(await placeOf({ startLine: 5, quote: 'const filler50 = compute(50)' })).toEqual([
      'RIGHT',
      50,
      50,
      'summary',
    ])
  })

  it('goes to the summary when the quote matches nothing and the line is unrelated', async () => {
    const quote = 'await database.transaction(write)'
    expect(await placeOf({ startLine: 5, quote })).toEqual(['RIGHT', 5, 5, 'summary'])
    expect(await anchor({ startLine: 5, quote })).toMatchObject({ verified: false })
  })

  it('stays on the named line when the quote resembles it', async () => {
    const quote = 'if (item == undefined) { return null }'
    expect(await placeOf({ startLine: 5, quote })).toEqual(['RIGHT', 5, 5, 'inline'])
  })

  it('is dropped when neither the quote nor the line exists', async () => {
    expect(await anchor({ startLine: 900, quote: 'nowhere at all' })).toContain('not in the diff')
  })
})

describe('suggestion', () => {
  const suggestion = "  release(found.items, 'cancelled', id)"

  it('moves with the lines it replaces', async () => {
    expect(await anchor({ startLine: 90, quote: release, suggestion })).toMatchObject({
      startLine: 103,
      suggestion,
    })
  })

  it('is dropped when it replaces other lines or its lines are ambiguous', async () => {
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

  it('keeps up to five distinct locations that exist at the head', async () => {
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

  it('accepts locations at the base only for deleted lines', async () => {
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
    await anchorCandidate(change, files, propose({ startLine, quote: release, evidence }))
  expect(reads).toBe(1)
})

it('anchors among very many equal lines without comparing all pairs', async () => {
  const count = 100_000
  const change = changeOf({ [path]: 'go()\n'.repeat(count) }, { [path]: '  go()\n'.repeat(count) })
  const quote = 'go()\n'.repeat(150)
  const found = await anchor({ startLine: 70_000, quote }, change)
  expect(found).toMatchObject({ side: 'RIGHT', startLine: 70_000, placement: 'inline' })
})
