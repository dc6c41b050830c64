// Finds the lines of findings on both sides of the diff.
import { expect, it } from 'vitest'
import { parseDiff } from '../src/git/parse-diff.ts'
import { placeInDiff } from '../src/workflows/posting/place-in-diff.ts'

const diff = parseDiff(`diff --git a/old.ts b/new.ts
similarity index 80%
rename from old.ts
rename to new.ts
index 1111111..2222222 100644
--- a/old.ts
+++ b/new.ts
@@ -3,3 +3,4 @@
 context
-deleted
+added
+added too
 context
`)

it.each([
  ['a context line', 'RIGHT', 3, { old: 3, new: 3 }],
  ['an added line', 'RIGHT', 5, { old: null, new: 5 }],
  ['a context line after the change', 'RIGHT', 6, { old: 5, new: 6 }],
  ['a deleted line', 'LEFT', 4, { old: 4, new: null }],
  ['a context line of the old side', 'LEFT', 5, { old: 5, new: 6 }],
  ['a line outside of the diff', 'RIGHT', 40, { old: null, new: 40 }],
] as const)('finds %s', (_name, side, line, numbers) => {
  const place = placeInDiff({ path: 'new.ts', side, startLine: line, endLine: line }, diff)
  expect(place).toEqual({
    ...{ path: 'new.ts', oldPath: 'old.ts', side },
    ...{ start: numbers, end: numbers },
  })
})

it('knows one side only without a diff', () => {
  const finding = { path: 'a.ts', side: 'RIGHT', startLine: 1, endLine: 2 } as const
  expect(placeInDiff(finding, null)).toEqual({
    ...{ path: 'a.ts', oldPath: 'a.ts', side: 'RIGHT' },
    ...{ start: { old: null, new: 1 }, end: { old: null, new: 2 } },
  })
})
