// Chooses the statements that a PostgreSQL server prepares once for each connection.

/** Preparing a statement pays off from about the second use on the same connection. */
const minUses = 5
/** A server retains up to 50 KB for each of them on each connection. */
const maxNames = 300
const maxCounted = 2_000
/** A plan that was made for any parameters assumes that arrays are short. */
const maxArrayLength = 100

type ChooseName = (text: string, values: readonly unknown[]) => string | undefined

/**
 * Creates a function that returns the name to run a statement with, or undefined for one that the
 * server shouldn't retain.
 */
export function createStatementNames(): ChooseName {
  const names = new Map<string, string>()
  const uses = new Map<string, number>()
  return (text, values) => {
    // Statements without parameters begin and end transactions, which need no plan.
    if (values.length === 0) return undefined
    if (values.some((value) => Array.isArray(value) && value.length > maxArrayLength))
      return undefined
    const name = names.get(text)
    if (name !== undefined || names.size >= maxNames) return name
    const count = (uses.get(text) ?? 0) + 1
    if (count < minUses) {
      if (uses.size >= maxCounted) uses.clear()
      uses.set(text, count)
      return undefined
    }
    uses.delete(text)
    names.set(text, `umpire_${names.size + 1}`)
    return names.get(text)
  }
}
