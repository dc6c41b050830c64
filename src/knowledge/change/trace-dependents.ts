// Finds direct and indirect dependents of files, with their distances.

/** The source file uses the target file. */
export interface FileUse {
  readonly source: string
  readonly target: string
}

/** Contains the number of uses between a file and each origin; 0 if it doesn't depend on it. */
export type Distances = Uint8Array

/**
 * Finds the files that depend on the origins over at most `steps` uses.
 *
 * @returns the distances by path; an origin is included if it depends on another one
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
  for (const [index, origin] of origins.entries()) {
    const seen = new Set([origin])
    let frontier = [origin]
    for (let step = 1; step <= steps && frontier.length > 0; step++) {
      const users = new Set(frontier.flatMap((path) => [...(usersOf.get(path) ?? [])]))
      frontier = [...users].filter((path) => !seen.has(path))
      for (const path of frontier) {
        seen.add(path)
        const distances = reached.get(path) ?? new Uint8Array(origins.length)
        distances[index] = step
        reached.set(path, distances)
      }
    }
  }
  return reached
}

/** Returns the distance from the nearest origin; 0 if the file depends on none. */
export function minDistance(distances: Distances): number {
  const positive = distances.filter((distance) => distance > 0)
  return positive.length === 0 ? 0 : positive.reduce((min, distance) => Math.min(min, distance))
}
