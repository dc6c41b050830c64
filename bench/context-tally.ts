// Counts what packers show, for two halves of the repositories, and prints it.

interface Cell {
  readonly what: string
  readonly repo: string
  readonly name: string
  readonly budget: number
}

export interface Tally {
  /** @param all is null for numbers of which the mean is printed */
  add(cell: Cell, count: number, all: number | null): void
  /** Notes what was shown for the same id with a smaller budget, and is missing. */
  compare(id: string, shown: readonly string[]): void
  readonly lost: readonly string[]
  print(what: string, names: readonly string[], budgets: readonly number[]): void
}

interface Count {
  count: number
  all: number
  isMean: boolean
}

/** Halves the repositories by their names, one by one: packing is tuned on the first half. */
export function createTally(repos: readonly string[]): Tally {
  const sorted = [...new Set(repos)].sort()
  const isTuned = (repo: string) => sorted.indexOf(repo) % 2 === 1
  const counts = new Map<string, Count>()
  const shownBefore = new Map<string, readonly string[]>()
  const lost: string[] = []
  const keyOf = (what: string, name: string, budget: number, half: string) =>
    [what, name, budget, half].join(' | ')
  const format = (key: string) => {
    const { count, all, isMean } = counts.get(key) ?? { count: 0, all: 0, isMean: false }
    return isMean ? Math.round(count / all).toLocaleString('en') : formatPercent(count, all)
  }
  return {
    lost,
    add({ what, repo, name, budget }, count, all) {
      for (const half of ['all', isTuned(repo) ? 'tuned' : 'others']) {
        const key = keyOf(what, name, budget, half)
        const known = counts.get(key) ?? { count: 0, all: 0, isMean: all === null }
        counts.set(key, { ...known, count: known.count + count, all: known.all + (all ?? 1) })
      }
    },
    compare(id, shown) {
      const missing = (shownBefore.get(id) ?? []).filter((each) => !shown.includes(each))
      lost.push(...missing.map((each) => `${id} ${each}`))
      shownBefore.set(id, shown)
    },
    print(what, names, budgets) {
      console.log(`\n| ${what} | ${budgets.map((budget) => `${budget / 1000}k`).join(' | ')} |`)
      console.log(`|---|${budgets.map(() => '---').join('|')}|`)
      for (const name of names) {
        const cells = budgets.map((budget) => {
          const [all, tuned, others] = ['all', 'tuned', 'others'].map((half) =>
            format(keyOf(what, name, budget, half)),
          )
          return `${all} (${tuned}, ${others})`
        })
        console.log(`| ${name} | ${cells.join(' | ')} |`)
      }
    },
  }
}

export function formatPercent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`
}
