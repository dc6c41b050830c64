// Describes how a language treats calls with too few or too many arguments.
import type { CallSite, ChangedSymbol } from '../../domain/change-graph.ts'

/** How a language treats a call whose arguments don't fit the parameters. */
export interface CallingConvention {
  /** Whether a missing argument is an error. */
  readonly tooFew: boolean
  /** Whether a surplus argument is an error. */
  readonly tooMany: boolean
  /** Whether arguments can be passed by name. */
  readonly takesNames?: boolean
  /** What happens to the call, as a clause without a subject. */
  readonly outcome: string
  /** Whether callers see other parameters than the definition has in the `lines` of its file. */
  readonly hidesParameters?: (symbol: ChangedSymbol, lines: readonly string[]) => boolean
  /** Whether a call passes other arguments than its syntax shows. */
  readonly hidesArguments?: (call: CallSite, name: string) => boolean
}

export const compileError = 'does not compile'
export const runtimeError = 'fails with an error when it runs'

/** The first lines of a definition, which contain its parameters. */
export function textOf({ startLine, endLine }: ChangedSymbol, lines: readonly string[]): string {
  return lines
    .slice(startLine - 1, Math.min(endLine, startLine + 9))
    .map((line) => line.slice(0, 300))
    .join('\n')
}

/** Whether the type of a member has a base, which may define the member with other parameters. */
export function hasBaseClass({ name }: ChangedSymbol, lines: readonly string[]): boolean {
  const owner = name.split('.').at(-2)
  if (owner === undefined) return false
  const at = findType(owner, lines)
  if (at === -1) return true
  const declaration = lines.slice(at, at + 4).join(' ')
  const head = declaration.split('{', 1)[0]!
  return /\bextends\b|\bimplements\b|:/.test(head)
}

/** Returns the index of the line that declares a type, or -1. */
export function findType(name: string, lines: readonly string[]): number {
  const opening = new RegExp(`\\b(?:class|record|struct|interface)\\s+${RegExp.escape(name)}\\b`)
  return lines.findIndex((line) => opening.test(line.slice(0, 300)))
}
