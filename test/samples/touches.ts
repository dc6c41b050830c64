// Made-up touches of pull requests, and the figures that a plain model makes of them.

/** A file that a review saw. */
export interface SampleTouch {
  readonly number: number
  readonly run: number
  readonly author: string
  readonly latest: boolean
  readonly requested: boolean
  readonly path: string
}

/** Files by their kinds. */
type SampleGraph = Readonly<Record<string, string>>

const kinds = ['source', 'source', 'source', 'generated', 'vendored']

/** A sequence of numbers below 1 that looks like chance and is always the same (Park and Miller's). */
function startChance(seed: number): () => number {
  let state = seed * 48_271
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Pull requests of more people and on more files than are listed, some reviewed several times; every other one has a graph. */
export function makeTouches(seed: number): { touches: SampleTouch[]; graph: SampleGraph | null } {
  const chance = startChance(seed)
  const below = (limit: number) => Math.floor(chance() ** 2 * limit)
  const pathOf = (n: number) =>
    n % 9 === 0 ? `top-${n}.ts` : `src/${n % 7}/${n % 3 === 0 ? 'deep/' : ''}file-${n}.ts`
  const touches: SampleTouch[] = []
  let runs = 0
  for (let number = 1; number <= 120; number++) {
    const author = `dev-${below(70)}`
    const reviews = 1 + below(3)
    for (let review = 1; review <= reviews; review++) {
      const latest = review === reviews
      const requested = chance() < 0.4
      if (!latest && !requested) continue
      const run = ++runs
      const paths = new Set(Array.from({ length: 1 + below(9) }, () => pathOf(below(100))))
      for (const path of paths) touches.push({ number, run, author, latest, requested, path })
    }
  }
  if (seed % 2 === 0) return { touches, graph: null }
  const files = Array.from({ length: 130 }, (_, index) => index).filter((index) => index % 11 !== 5)
  return {
    touches,
    graph: Object.fromEntries(files.map((n) => [pathOf(n), kinds[n % kinds.length] as string])),
  }
}

export type ModelFigures = ReturnType<typeof reckonFigures>

/** The figures as the graph endpoint answers them. */
export function reckonFigures(touches: readonly SampleTouch[], graph: SampleGraph | null) {
  const latest = touches.filter((touch) => touch.latest)
  const counted = (touch: SampleTouch) => graph === null || graph[touch.path] === 'source'
  const hotspots = rank(latest.filter(counted).map(({ path }) => path)).slice(0, 50)
  const risks = rank(
    touches.filter((touch) => touch.requested && counted(touch)).map(({ path }) => path),
  ).slice(0, 50)
  const touched = new Set(latest.map(({ path }) => path))
  const dead = Object.keys(graph ?? {}).filter(
    (path) => graph?.[path] === 'source' && !touched.has(path),
  )
  return {
    hotspots: hotspots.map(([path, touch_count]) => ({ path, touch_count })),
    high_risk: risks.map(([path, risk_score]) => ({ path, risk_score })),
    dead_files: { count: dead.length, sample: dead.sort().slice(0, 10) },
    ownership: hotspots.map(([path, count]) => ({
      path,
      ...findOwner(
        latest.filter((touch) => touch.path === path),
        count,
      ),
    })),
    expertise: rank(latest.map(({ author }) => author))
      .slice(0, 50)
      .map(([login, total_touches]) => {
        const directories = latest
          .filter(({ author }) => author === login)
          .map(({ path }) => directoryOf(path))
        const top_dirs = rank(directories)
          .slice(0, 3)
          .map(([directory]) => directory)
        return { login, top_dirs, total_touches }
      }),
  }
}

function findOwner(touches: readonly SampleTouch[], count: number) {
  const newest = (login: string) =>
    Math.max(...touches.filter((one) => one.author === login).map(({ number }) => number))
  const authors = rank(touches.map(({ author }) => author))
  const [owner, share] = authors.sort(([a, x], [b, y]) => y - x || newest(b) - newest(a))[0] as [
    string,
    number,
  ]
  return { owner, touch_pct: Math.round((share / count) * 1000) / 10 }
}

function directoryOf(path: string): string {
  return path.includes('/') ? path.replace(/\/[^/]*$/, '') : '.'
}

/** Most frequent first, then by name. */
function rank(names: readonly string[]): [name: string, count: number][] {
  const groups = Map.groupBy(names, (name) => name)
  return [...groups]
    .map(([name, all]): [string, number] => [name, all.length])
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
}
