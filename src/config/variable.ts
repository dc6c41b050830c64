// Defines what an environment variable is: one row, from which it is read and documented.

/**
 * Reads the text of a variable. Reports what is wrong as a phrase that follows the name, such as
 * "must be on or off"; the result is not used then.
 */
export type Parse<T> = (text: string, report: (problem: string) => undefined) => T | undefined

export interface Variable<T = unknown> {
  readonly name: string
  readonly parse: Parse<T>
  /** Is parsed if the variable isn't set. Without a default, the value is then null. */
  readonly default?: string
  /** Describes in Markdown a default that is computed. */
  readonly defaultDescription?: string
  /** Whether the value is secret. It may then be in a file that `<NAME>_FILE` names. */
  readonly secret?: true
  /**
   * Whether `umpire review` reads it: always, or only with `--context`. The environment of a
   * developer contains variables that are meant for other programs.
   */
  readonly review?: 'always' | 'with context'
  /** Describes it in Markdown. `docs/configuration.md` is generated from it. */
  readonly help: string
}

/** A table of variables. The keys are the names of their values in the configuration. */
export type Variables = Readonly<Record<string, Variable>>

export type ValuesOf<Rows extends Variables> = {
  readonly [Key in keyof Rows]: Rows[Key] extends { readonly parse: Parse<infer T> }
    ? T | (Rows[Key] extends { readonly default: string } ? never : null)
    : never
}

/** The documentation describes these variables together. */
export interface VariableGroup {
  readonly title: string
  /** It is a paragraph of Markdown. */
  readonly intro?: string
  readonly variables: readonly Variable[]
}

/** Makes a group of all variables of several tables. */
export function groupVariables(
  title: string,
  tables: readonly Variables[],
  intro?: string,
): VariableGroup {
  const variables = tables.flatMap((table) => Object.values(table))
  return intro === undefined ? { title, variables } : { title, intro, variables }
}
