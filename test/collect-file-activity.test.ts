// The file activity that a review stores: hostile names, limits, definitions and issues.
import { describe, expect, it } from 'vitest'
import type { Change } from '../src/domain/change.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import { createCodeHost } from '../src/platforms/create-code-host.ts'
import { readConfig } from '../src/read-config.ts'
import { collectFileActivity } from '../src/workflows/learning/collect-file-activity.ts'
import { graphOf, symbolOf } from './samples/change-graph.ts'
import { changeOf, samplePullRequest } from './samples/change-of-files.ts'

const config = await readConfig({})
const platform = createCodeHost(config.platform)

function fileActivityOf(change: Partial<Change>) {
  const activity = collectFileActivity({ config, platform }, { ...changeOf({}, {}), ...change })
  if (activity === null) throw new Error('No file activity was collected.')
  return activity
}

/** Builds the diff of new one-line files from names as git quotes them. */
function diffOf(names: readonly string[]) {
  const texts = names.map((name) => {
    return [
      `diff --git "a/${name}" "b/${name}"`,
      'new file mode 100644',
      `index ${'0'.repeat(40)}..${'a'.repeat(40)}`,
      '--- /dev/null',
      `+++ "b/${name}"`,
      '@@ -0,0 +1 @@',
      '+x',
      '',
    ].join('\n')
  })
  return parseDiff(texts.join(''))
}

const pathsOf = (names: readonly string[]) =>
  fileActivityOf({ diff: diffOf(names) }).files.map(({ path }) => path)

describe('file activity of a change', () => {
  it('case 40: stores paths of any bytes as text valid in the database', () => {
    expect(
      pathsOf(['caf\\351.ts', 'nul\\000byte.ts', 'new\\nline.ts', '\\342\\200\\256evil.ts']),
    ).toEqual(['"caf\\351.ts"', 'nul\ufffdbyte.ts', 'new\nline.ts', '\u202eevil.ts'])
  })

  it('lists a path once when a file became a link', () => {
    const { files } = fileActivityOf({ diff: diffOf(['one.ts', 'two.ts', 'one.ts']) })
    expect(files.map(({ path, status, additions }) => [path, status, additions])).toEqual([
      ['one.ts', 'modified', 2],
      ['two.ts', 'added', 1],
    ])
  })

  it('is cut where it is too long or exceeds an index', () => {
    const paths = pathsOf([
      'd'.repeat(1501),
      ...Array.from({ length: 3100 }, (_, index) => `${index}.txt`),
    ])
    expect(paths).toHaveLength(3000)
    expect(paths[0]).toBe('0.txt')
    const texts = Array.from({ length: 500 }, (_, index) => `#${index + 2}`)
    const { issues } = fileActivityOf({
      pullRequest: { ...samplePullRequest, body: texts.join(' ') },
    })
    expect(issues).toHaveLength(50)
  })

  it('lists each changed definition of a file once', () => {
    const names = ['Cart.add', 'Cart.add', 'n\0ul', 'x'.repeat(300)]
    const symbols = [
      ...names.map((name) => symbolOf({ path: 'one.ts', name })),
      symbolOf({ path: 'elsewhere.ts', name: 'other' }),
    ]
    const { files } = fileActivityOf({
      diff: diffOf(['one.ts', 'two.ts']),
      graph: graphOf({ symbols }),
    })
    expect(files.map((file) => file.symbols)).toEqual([
      ['Cart.add', 'n\ufffdul', 'x'.repeat(200)],
      [],
    ])
  })

  it('is not collected without the graph layer', () => {
    const without = { ...config, graph: { ...config.graph, enabled: false } }
    expect(collectFileActivity({ config: without, platform }, changeOf({}, {}))).toBeNull()
  })
})
