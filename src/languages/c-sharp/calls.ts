// Describes how calls of C# must fit parameters.
import type { ChangedSymbol } from '../../domain/change-graph.ts'
import {
  type CallingConvention,
  compileError,
  findType,
  hasBaseClass,
  textOf,
} from '../common/calling-convention.ts'

export const calls: CallingConvention = {
  tooFew: true,
  tooMany: true,
  takesNames: true,
  outcome: compileError,
  hidesParameters: (symbol, lines) =>
    /\(\s*this\s/.test(textOf(symbol, lines)) ||
    hasBaseClass(symbol, lines) ||
    isPartial(symbol, lines),
}

/** Another part of a partial class may define the member with other parameters. */
function isPartial({ name }: ChangedSymbol, lines: readonly string[]): boolean {
  const owner = name.split('.').at(-2) ?? name
  return /\bpartial\b/.test(lines[findType(owner, lines)]?.slice(0, 300) ?? '')
}
