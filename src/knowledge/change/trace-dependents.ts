// Follows uses from file to file, backwards: who depends on what, over how many steps.

/** One file uses the other. */
export interface FileUse {
  readonly source: string
  readonly target: string
}

/** For each origin, by its place in the list, the steps from it; 0 where it isn't reached. */
export type Distances = Uint8Array

/**
 * The files that depend on some, over a number of steps.
 *
 * @returns by path; an origin is in it where it depends on another one
 */
export function traceDependents(
  origins: readonly string[],
  uses: Iterable<FileUse>,
  steps: number,
): Map<string, Distances> {
  const usersOf = new Map<string, Set<string>>()
  for (const { source, target } of uses) {
    if (source === target) continue
    const users = usersOf.get(target)
    if (users === undefined) usersOf.set(target, new Set([source]))
    else users.add(source)
  }
  const reached = new Map<string, Distances>()
  origins.forEach((origin, index) => {
    let edge = [origin]
    const seen = new Set(edge)
    for (let step = 1; step <= steps && edge.length > 0; step++) {
      edge = edge
        .flatMap((path) => [...(usersOf.get(path) ?? [])])
        .filter((path) => !seen.has(path) && seen.add(path))
      for (const path of edge) {
        const distances = reached.get(path) ?? new Uint8Array(origins.length)
        distances[index] = step
        reached.set(path, distances)
      }
    }
  })
  return reached
}

/** Steps from the nearest origin. */
export function minDistance(distances: Distances): number {
  return distances.reduce(
    (least, steps) => (steps > 0 && (least === 0 || steps < least) ? steps : least),
    0,
  )
}
