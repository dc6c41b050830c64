// Matches names with patterns that have one `*`, as in tsconfig's `paths` and packages' `exports`.
import type { PathPattern } from '../common/import-config.ts'

export interface PatternTable {
  /** Finds the targets of the most specific pattern that matches a name. */
  find(name: string): FoundPattern | undefined
}

interface FoundPattern {
  readonly pattern: string
  /** Contains the part of the name that matches the `*`. */
  readonly part: string
  readonly targets: readonly string[]
}

interface WildcardPattern {
  readonly pattern: string
  readonly prefix: string
  readonly suffix: string
  readonly targets: readonly string[]
}

/** An exact pattern takes precedence over wildcards, and a longer prefix over a shorter one. */
export function createPatternTable(patterns: readonly PathPattern[]): PatternTable {
  const exactTargets = new Map<string, readonly string[]>()
  const wildcards: WildcardPattern[] = []
  for (const [pattern, targets] of patterns) {
    const star = pattern.indexOf('*')
    if (star === -1) {
      exactTargets.set(pattern, targets)
      continue
    }
    const prefix = pattern.slice(0, star)
    const suffix = pattern.slice(star + 1)
    wildcards.push({ pattern, prefix, suffix, targets })
  }
  wildcards.sort((a, b) => b.prefix.length - a.prefix.length)
  return {
    find(name) {
      const exact = exactTargets.get(name)
      if (exact !== undefined) return { pattern: name, part: '', targets: exact }
      const wildcard = wildcards.find((candidate) => matches(candidate, name))
      if (wildcard === undefined) return undefined
      const { pattern, prefix, suffix } = wildcard
      const part = name.slice(prefix.length, name.length - suffix.length)
      // A function as the replacement keeps `$` in the name from being interpreted.
      const targets = wildcard.targets.map((target) => target.replace('*', () => part))
      return { pattern, part, targets }
    },
  }
}

function matches({ prefix, suffix }: WildcardPattern, name: string): boolean {
  return (
    name.length >= prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
  )
}
