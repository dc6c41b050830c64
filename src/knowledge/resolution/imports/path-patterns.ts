// Patterns with one `*`, as in tsconfig's `paths` and in the `exports` of packages.
import type { PathPattern } from '../import-config.ts'

export interface PatternTable {
  /** Where a name leads by the pattern that fits best; undefined where none does. */
  find(name: string): FoundPattern | undefined
}

export interface FoundPattern {
  readonly pattern: string
  /** What the `*` stands for. */
  readonly part: string
  readonly targets: readonly string[]
}

/** An exact name comes before a pattern, a longer beginning before a shorter one. */
export function createPatternTable(patterns: readonly PathPattern[]): PatternTable {
  const exact = new Map<string, readonly string[]>()
  const open: { pattern: string; before: string; after: string; targets: readonly string[] }[] = []
  for (const [pattern, targets] of patterns) {
    const star = pattern.indexOf('*')
    if (star === -1) exact.set(pattern, targets)
    else
      open.push({
        pattern,
        before: pattern.slice(0, star),
        after: pattern.slice(star + 1),
        targets,
      })
  }
  open.sort((one, other) => other.before.length - one.before.length)
  return {
    find(name) {
      const targets = exact.get(name)
      if (targets !== undefined) return { pattern: name, part: '', targets }
      for (const { pattern, before, after, targets } of open) {
        if (
          name.length < before.length + after.length ||
          !name.startsWith(before) ||
          !name.endsWith(after)
        )
          continue
        const part = name.slice(before.length, name.length - after.length)
        return { pattern, part, targets: targets.map((target) => target.replace('*', () => part)) }
      }
      return undefined
    },
  }
}
