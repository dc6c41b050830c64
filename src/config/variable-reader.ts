// Reads environment variables by their rows, and collects all problems for one error.
import { readFileSync } from 'node:fs'
import { ConfigError } from '../domain/errors.ts'
import type { Environment } from './environment.ts'
import type { ValuesOf, Variable, Variables } from './variable.ts'

export class VariableReader {
  readonly #environment: Record<string, string>
  readonly #isRead: (variable: Variable) => boolean
  readonly #malformed = new Set<string>()
  readonly #problems: string[] = []
  readonly #contradictions: string[] = []

  /** @param isRead whether a variable is read; others count as not set */
  constructor(environment: Environment, isRead: (variable: Variable) => boolean) {
    const given = Object.entries(environment).filter(
      ([, text]) => text !== undefined && text !== '',
    )
    this.#environment = Object.fromEntries(given) as Record<string, string>
    this.#isRead = isRead
  }

  /** All variables that have a value, with those of the secret files that were read so far. */
  get environment(): Environment {
    return this.#environment
  }

  /** Reads a table. A malformed variable counts as not set, and is reported. */
  read<Rows extends Variables>(rows: Rows): ValuesOf<Rows> {
    const values = Object.entries(rows).map(([key, row]) => [key, this.#readValue(row) ?? null])
    return Object.fromEntries(values) as ValuesOf<Rows>
  }

  /** Lists the variables with a value that are named like these, with `_` and something more. */
  listExtensions(rows: readonly Variable[]): readonly string[] {
    const prefixes = rows.filter(this.#isRead).map(({ name }) => `${name}_`)
    return Object.keys(this.#environment).filter((name) =>
      prefixes.some((prefix) => name.startsWith(prefix)),
    )
  }

  /** Adds a problem: a sentence without its full stop that names variables, never their values. */
  report(problem: string): void {
    this.#problems.push(problem)
  }

  /** Adds a problem between variables. It is dropped if it may only result from a malformed one. */
  reportContradiction(problem: string): void {
    this.#contradictions.push(problem)
  }

  /** @throws ConfigError with all problems, one per line */
  throwProblems(): void {
    const isCertain = (problem: string) =>
      ![...this.#malformed].some((name) => problem.includes(name))
    const problems = [...this.#problems, ...this.#contradictions.filter(isCertain)]
    if (problems.length === 0) return
    const list = problems.map((problem) => `  - ${problem}`).join('\n')
    throw new ConfigError(`The configuration has ${problems.length} problem(s):\n${list}`, problems)
  }

  #readValue(row: Variable): unknown {
    const text = this.#isRead(row) ? this.#readText(row) : undefined
    if (text !== undefined) {
      let isValid = true
      const value = row.parse(text, (problem) => {
        isValid = false
        this.#malformed.add(row.name)
        this.report(`${row.name} ${problem}`)
      })
      if (isValid) return value
    }
    return row.default === undefined ? null : row.parse(row.default, rejectDefault)
  }

  #readText({ name, secret }: Variable): string | undefined {
    const file = secret ? this.#environment[`${name}_FILE`] : undefined
    if (file === undefined) return this.#environment[name]
    if (this.#environment[name] !== undefined)
      this.report(`${name} and ${name}_FILE are both set: keep one`)
    try {
      const value = readFileSync(file, 'utf8').trimEnd()
      if (value === '') this.report(`${name}_FILE is empty: write the value into it or unset it`)
      this.#environment[name] = value
    } catch (error) {
      this.report(`${name}_FILE can't be read (${(error as NodeJS.ErrnoException).code})`)
    }
    return this.#environment[name]
  }
}

function rejectDefault(problem: string): never {
  throw new Error(`The default of a variable is malformed: it ${problem}`)
}
