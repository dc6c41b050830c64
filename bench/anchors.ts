// Anchors lines of real commits as findings that name or quote them wrongly, and counts where.
import { parseArgs } from 'node:util'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { Change } from '../src/domain/change.ts'
import {
  type AnchorTally,
  checkLocation,
  listLineMistakes,
  type NamedLocation,
  printAnchorTally,
} from './context-anchors.ts'
import { findRepositories, readChanges } from './static-changes.ts'

const { values } = parseArgs({
  options: {
    repositories: { type: 'string' },
    changes: { type: 'string', default: '20' },
    /** Is the number of lines of each change. */
    lines: { type: 'string', default: '5' },
  },
})
if (values.repositories === undefined)
  throw new Error('No repositories. Pass --repositories <folder of bare repositories>.')

await using syntax = createSyntaxParser()
const tally: AnchorTally = new Map()
for (const repository of await findRepositories(values.repositories)) {
  let index = 0
  for await (const change of readChanges(repository)) {
    if (index++ === Number(values.changes)) break
    for (const location of chooseLocations(change, Number(values.lines)))
      await checkLocation(tally, { syntax, change }, location, listLineMistakes)
  }
}
printAnchorTally(tally)

/** Chooses changed lines at equal distances, so that each run measures the same. */
function chooseLocations(change: Change, count: number): NamedLocation[] {
  const all = change.files.flatMap((file) =>
    file.hunks.flatMap(({ lines }) =>
      lines.flatMap(({ kind, text, newLine, oldLine }): NamedLocation[] => {
        const [side, line] =
          kind === 'deleted' ? ['LEFT' as const, oldLine] : ['RIGHT' as const, newLine]
        if (kind === 'context' || line === null || !/\w{3}/.test(text)) return []
        return [{ path: file.path, side, start: line, end: line }]
      }),
    ),
  )
  const step = Math.max(1, all.length / count)
  return all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}
