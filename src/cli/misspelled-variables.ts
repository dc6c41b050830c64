// Finds variables that nothing reads and whose names are similar to those of Umpire.
import { listFileVariables } from '../config/environment.ts'
import { findClosestMatch } from '../lib/text.ts'
import { hostVariableNames } from '../platforms/code-hosts.ts'
import { variableGroups } from '../read-config.ts'

interface MisspelledVariable {
  readonly name: string
  /** The variable that was probably meant. */
  readonly closest: string
}

/**
 * Only variables of the file are compared: the environment has those of many other programs.
 *
 * @throws ConfigError if the file can't be read
 */
export function findMisspelledVariables(envFile: string): MisspelledVariable[] {
  const known = Object.values(variableGroups).flatMap(({ variables }) =>
    variables.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])),
  )
  return listFileVariables(envFile).flatMap((name) => {
    // The configuration is refused if the host of such a variable isn't listed.
    const isOfHost = hostVariableNames.some((known) => name.startsWith(`${known}_`))
    if (isOfHost || known.includes(name)) return []
    const closest = findClosestMatch(name, known)
    return closest === undefined ? [] : [{ name, closest }]
  })
}
