// Canaries: their content, their visibility to tools, and how reports of them are recognized.
import { describe, expect, it } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { ProposedFinding } from '../src/domain/finding.ts'
import { languages } from '../src/languages/index.ts'
import { type Canary, createCanary, maxCanaryTokens } from '../src/reviewers/attention/canary.ts'
import { addCanaryToChange } from '../src/reviewers/attention/canary-change.ts'
import { addCanaryToRound } from '../src/reviewers/attention/canary-round.ts'
import { removeCanary } from '../src/reviewers/attention/remove-canary.ts'
import { specialistFields } from '../src/reviewers/prompts/specialist-prompts.ts'
import { loadTokenCounter, packContext } from '../src/workflows/pack-context.ts'
import { findCanary } from './fakes/models/attentive-model.ts'
import { startTestCodeTools } from './fakes/test-code-tools.ts'
import { addedFiles } from './samples/change-of-files.ts'
import { plantIn, roundOf } from './samples/planted-round.ts'
import { files, makeChange, never, onePack } from './samples/price-change.ts'

const createTestCodeTools = startTestCodeTools()

const extensions = [
  ...languages.map(({ grammars }) => grammars[0]!.extensions[0]!),
  ...['.h', '.vue', '.sh', '.swift'],
]

describe('canary', () => {
  it.each(extensions)(
    'case 75: in %s takes at most 150 tokens and is a visible defect',
    async (extension) => {
      const count = await loadTokenCounter(1)
      for (const field of specialistFields) {
        // Each field has several kinds of canaries, and all names are random.
        for (let draw = 0; draw < 12; draw++) {
          const round = roundOf(`src/billing-services/index${extension}`)
          const { plant, text, own } = await plantIn(round, [field])
          const { path, additions } = plant.file
          const listed = `, ${path.slice(path.lastIndexOf('/') + 1)} (new) +${additions} -0`
          expect(count(`\n\n${own}${listed}`), own).toBeLessThanOrEqual(maxCanaryTokens)
          expect(findCanary(text), own).toMatchObject({ path, lines: plant.lines })
        }
      }
    },
  )

  it('case 75: is next to a file of the round, in its language', async () => {
    const { plant } = await plantIn(roundOf('lib/cart.py', 'docs/guide.md'), ['correctness'])
    expect(plant.file.path).toMatch(/^lib\/[a-z]{8}_[a-z]+\.py$/)
    expect(plant.lines[0]).toMatch(/^def \w+\(\w+\):$/)
  })

  it('case 75: is a setting for languages without a canary', async () => {
    const { plant } = await plantIn(roundOf('docs/guide.md'), ['security'])
    expect(plant.file.path).toMatch(/^docs\/[a-z]{8}-[a-z]+\.yml$/)
  })

  it('case 75: shortens a folder name that would use up all tokens', async () => {
    const { plant } = await plantIn(roundOf(`${'deep/'.repeat(400)}a.ts`, ''.padEnd(3, 'x')), [
      'security',
    ])
    expect(plant.file.path.length).toBeLessThan(60)
  })

  it('case 75: has names that occur nowhere else in the round', async () => {
    const round = roundOf('src/a.ts')
    const first = await createCanary(round, ['security'])
    const text = first.lines.join('\n')
    const other = await createCanary({ ...round, spans: [{ ...round.spans[0]!, text }] }, [
      'security',
    ])
    expect(other.file.path).not.toBe(first.file.path)
    expect(other.uniqueWords.some((mark) => text.toLowerCase().includes(mark))).toBe(false)
  })

  it('case 75: looks like any new file, in order and in the list of files', async () => {
    await using syntax = createSyntaxParser()
    const shown = async (added: Record<string, string>) => {
      const all = { 'src/a.ts': 'const a = 1\n', 'src/zz.ts': 'const z = 1\n', ...added }
      const change = addedFiles(Object.fromEntries(Object.entries(all).sort()))
      const budget = { tokensPerRound: 20_000, maxRounds: 1 }
      return (await packContext({ syntax }, change, budget, await loadTokenCounter())).rounds[0]!
    }
    const round = await shown({})
    const plant = await createCanary(round, ['correctness'])
    const real = await shown({ [plant.file.path]: `${plant.lines.join('\n')}\n` })
    const planted = addCanaryToRound(round, plant, null).shared
    expect(planted.map(({ origin, path, text }) => ({ origin, path, text }))).toEqual(
      real.spans.map(({ origin, path, text }) => ({ origin, path, text })),
    )
  })
})

describe('several reviewers of one round', () => {
  const large = { ...roundOf('src/b.ts', 'src/c.ts', 'src/d.ts', 'src/large.ts'), tokens: 40_000 }
  const round = {
    ...large,
    spans: large.spans.map((span) => ({
      ...span,
      tokens: span.path === 'src/large.ts' ? 30_000 : 1_200,
    })),
  }
  const pathsOf = (spans: readonly { path: string | null }[]) => spans.map(({ path }) => path)

  it('case 75: share the context, and each has its own canary among some files', async () => {
    const planting = specialistFields.map(async (field) => {
      const plant = await createCanary(round, [field])
      return { plant, ...addCanaryToRound(round, plant, 'seed') }
    })
    const shown = await Promise.all(planting)
    expect(new Set(shown.map(({ shared }) => JSON.stringify(shared))).size).toBe(1)
    expect(pathsOf(shown[0]!.shared)).toContain('src/large.ts')
    for (const { plant, shared, own } of shown) {
      expect(pathsOf(own)).toContain(plant.file.path)
      expect(pathsOf(own)).toEqual(pathsOf(own).toSorted())
      const real = [...shared, ...own].filter(({ path }) => path !== plant.file.path)
      expect(pathsOf(real).toSorted()).toEqual(pathsOf(round.spans).toSorted())
      expect(own.length).toBeGreaterThan(1)
    }
  })

  it('case 75: the mark of the review selects the files around the canary', async () => {
    const plant = await createCanary(round, ['tests'])
    const own = Array.from({ length: 40 }, (_, seed) =>
      pathsOf(addCanaryToRound(round, plant, `seed ${seed}`).own).join(),
    )
    expect(new Set(own).size).toBeGreaterThan(1)
  })
})

describe('tools', () => {
  const plantedChange = async (extra: object = {}) => {
    const change = { ...makeChange(), ...extra }
    const plant = await createCanary(onePack.rounds[0]!, ['security'])
    return { plant, change: addCanaryToChange(change, plant) }
  }
  const ask = (change: ReturnType<typeof makeChange>, name: string, input: object) =>
    createTestCodeTools(change)
      .find((tool) => tool.name === name)!
      .run(input, never)
  const nameIn = ({ lines }: Canary) => /function (\w+)/.exec(lines.join('\n'))![1]!

  it('case 75: read, list, search and find it at the head like any other file', async () => {
    const { plant, change } = await plantedChange()
    const { path } = plant.file
    const name = nameIn(plant)
    expect(await ask(change, 'read_file', { path })).toContain(`1\t${plant.lines[0]}`)
    expect((await ask(change, 'list_files', {})).split('\n')).toEqual(
      [...Object.keys(files), path].toSorted(),
    )
    expect(await ask(change, 'list_files', { prefix: 'src' })).toContain(path)
    expect(await ask(change, 'search_code', { pattern: `${name}[[:space:]]*\\(` })).toContain(
      `${path}:1: `,
    )
    expect(
      await ask(change, 'search_code', { pattern: name, literal: true, path_prefix: 'src' }),
    ).toContain(path)
    expect(await ask(change, 'search_code', { pattern: name, path_prefix: 'lib' })).toBe(
      'Nothing found.',
    )
    expect(await ask(change, 'find_definition', { name })).toContain(
      `${path}:1: export function ${name}`,
    )
    expect(await ask(change, 'find_callers', { name })).toBe('Nothing found.')
  })

  it('case 75: find nothing of it at the base', async () => {
    const { plant, change } = await plantedChange()
    const { path } = plant.file
    await expect(ask(change, 'read_file', { path, at: 'base' })).rejects.toThrow('There is no file')
    expect(await ask(change, 'search_code', { pattern: nameIn(plant), at: 'base' })).toBe(
      'Nothing found.',
    )
  })

  it('case 75: send no request about it to the platform or a tracker', async () => {
    const commit = {
      sha: 'd'.repeat(40),
      author: 'ann',
      committedAt: '2026-01-01T00:00:00Z',
      message: 'All of it',
    }
    const asked: unknown[] = []
    const tracker = {
      name: 'find',
      description: '',
      input: null as never,
      run: async () => `${asked.push('tracker')}`,
    }
    const { plant, change } = await plantedChange({
      commits: [commit],
      history: async (path: string) => asked.push(path) && [],
      remoteTools: [tracker],
    })
    const { path } = plant.file
    expect(await ask(change, 'show_history', { path })).toContain('All of it')
    expect(await ask(change, 'show_history', { path: path.replace('/', '//') })).toContain(
      'All of it',
    )
    expect(await ask(change, 'show_history', { path: `${path}/x` })).toBe('No commits found.')
    expect(await change.remoteTools[0]!.run({ query: nameIn(plant) }, never)).toBe('Nothing found.')
    expect(asked).toEqual([])
    await ask(change, 'show_history', { path: 'src/price.ts' })
    expect(asked).toEqual(['src/price.ts'])
  })

  it('case 75: stop a pattern that backtracks without end in it', async () => {
    const { plant, change } = await plantedChange()
    const { head } = addCanaryToChange(
      { ...change, head: { ...change.head, search: async () => [] } },
      plant,
    )
    const endless = await head.search('^(([a-z ]+)+)+!$')
    expect(endless).toEqual([])
    // After an interrupted pattern the file is not searched again.
    expect(await head.search(nameIn(plant))).toEqual([])
  })
})

const plant = await createCanary(onePack.rounds[0]!, ['security'])

describe('answer', () => {
  const change = makeChange()
  const { path } = plant.file
  const [first = ''] = plant.lines
  const name = /function (\w+)/.exec(first)![1]!
  const real: ProposedFinding = {
    ...{
      reviewer: 'agentic',
      rule: null,
      path: 'src/price.ts',
      side: 'RIGHT',
      startLine: 2,
      endLine: 2,
    },
    ...{
      quote: '  return items.length',
      severity: 'critical',
      category: 'correctness',
      title: 'Items are counted',
    },
    ...{
      body: 'When two items cost 5, then the total is 2.',
      suggestion: null,
      evidence: [],
      confidence: 0.9,
    },
  }
  const planted: ProposedFinding = {
    ...real,
    ...{
      path,
      startLine: 1,
      endLine: 3,
      quote: plant.lines.join('\n'),
      title: `${name} lets everybody in`,
    },
  }
  const takeOut = (findings: readonly ProposedFinding[], summary = '') =>
    removeCanary({ findings, summary }, plant, change)

  it.each([
    ['names the canary file and quotes it', {}],
    ['names the file alone', { quote: '' }],
    ['quotes it under another path', { path: 'src/cart.ts' }],
    [
      'quotes it with numbers and markers',
      { quote: plant.lines.map((line, at) => `${at + 1} +${line}`).join('\n') },
    ],
    [
      'rests on real code beside',
      { evidence: [{ path: 'src/cart.ts', line: 1, note: 'the same here' }] },
    ],
  ])('case 75: a finding that %s is removed and proves the reading', (_name, more) => {
    expect(takeOut([real, { ...planted, ...more }])).toMatchObject({
      findings: [real],
      passedAttentionCheck: true,
    })
  })

  it.each([
    ['names nothing made up', {}],
    ['guesses a name', { path: 'src/guessed-name.ts' }],
    ['quotes what may stand anywhere', { quote: '}\n\n' }],
    ['claims to have found the canary', { title: 'There is a planted defect in a made-up file' }],
  ])('case 75: a finding that %s stays and proves nothing', (_name, more) => {
    expect(takeOut([{ ...real, ...more }])).toMatchObject({
      findings: [{ ...real, ...more }],
      passedAttentionCheck: false,
    })
  })

  it('case 75: keeps a finding that names the canary but quotes real code', () => {
    const mixed = { ...planted, quote: 'return items.length', title: 'Items are counted' }
    expect(takeOut([mixed])).toMatchObject({
      findings: [
        { path: 'src/price.ts', startLine: 2, endLine: 2, quote: '  return items.length' },
      ],
      passedAttentionCheck: false,
    })
  })

  it('case 75: keeps a finding that quotes both on the real lines', () => {
    const quote = `  return items.length\n${first}`
    const { findings, passedAttentionCheck } = takeOut([{ ...real, quote }])
    expect(findings).toMatchObject([{ ...real, quote: '  return items.length' }])
    expect(passedAttentionCheck).toBe(false)
  })

  it('case 75: keeps a finding whose evidence and text are about a real file too', () => {
    const evidence = [{ path: 'src/cart.ts', line: 1, note: 'wrong, too' }]
    const body = `\`${name}\` lets everybody in. The constant of cart.ts is wrong as well.`
    const { findings, passedAttentionCheck } = takeOut([{ ...planted, evidence, body }])
    expect(findings).toMatchObject([
      {
        path: 'src/cart.ts',
        startLine: 1,
        quote: 'const a = 2',
        body: 'The constant of cart.ts is wrong as well.',
      },
    ])
    expect(JSON.stringify(findings).toLowerCase()).not.toContain(plant.uniqueWords[0])
    expect(passedAttentionCheck).toBe(false)
  })

  it('case 75: removes the canary file from the text of real findings', () => {
    const { findings } = takeOut([
      {
        ...real,
        title: `\`total\` and \`${name}()\` count items`,
        body: [
          `When two items cost 5, then the total is 2. So does ${path}.`,
          '',
          '```ts',
          first,
          '```',
        ].join('\n'),
        suggestion: `return ${name}(items)`,
        evidence: [
          { path, line: 1, note: 'here' },
          { path: 'src/cart.ts', line: 1, note: `as in ${name}` },
          { path: 'src/cart.ts', line: 1, note: 'uses it' },
        ],
      },
    ])
    expect(findings).toEqual([
      {
        ...real,
        title: '`total` and `other code()` count items',
        body: 'When two items cost 5, then the total is 2.',
        evidence: [{ path: 'src/cart.ts', line: 1, note: 'uses it' }],
      },
    ])
  })

  it.each([
    ['Totals are counted.', 'Totals are counted.'],
    [`Totals are counted. It adds ${path}. It lets everybody in.`, 'Totals are counted.'],
    [
      `It adds \`${name}\`. Totals of src/price.ts are counted.`,
      'Totals of src/price.ts are counted.',
    ],
    [
      `A helper for the ${plant.uniqueWords[1]} is added.\n\nTotals are counted.`,
      'Totals are counted.',
    ],
    [`It adds ${name}.`, ''],
  ])('case 75: keeps the part of a summary that is about the change: %#', (summary, left) => {
    expect(takeOut([], summary).summary).toBe(left)
  })
})
