// Describes how many arguments a function takes.

/**
 * Describes a range of argument counts: `1 argument`, `1 to 3 arguments`, `2 arguments or more`.
 *
 * @param range of counts; `most` is null without a limit
 */
export function describeArguments(range: {
  readonly least: number
  readonly most: number | null
}): string {
  const { least, most } = range
  if (most === null) return `${describeArgumentCount(least)} or more`
  return least === most
    ? describeArgumentCount(least)
    : `${least} to ${describeArgumentCount(most)}`
}

export function describeArgumentCount(count: number): string {
  return count === 1 ? '1 argument' : `${count} arguments`
}
