// Says how many arguments fit a list of parameters.

/** For example `1 argument`, `1 to 3 arguments`, `2 arguments or more`. */
export function describeArguments({
  least,
  most,
}: {
  readonly least: number
  readonly most: number | null
}): string {
  if (most === null) return `${describeArgumentCount(least)} or more`
  return least === most
    ? describeArgumentCount(least)
    : `${least} to ${describeArgumentCount(most)}`
}

export function describeArgumentCount(count: number): string {
  return count === 1 ? '1 argument' : `${count} arguments`
}
