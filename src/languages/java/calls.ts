// Describes how calls of Java must fit parameters.
import type { ChangedSymbol } from '../../domain/change-graph.ts'
import {
  type CallingConvention,
  compileError,
  findType,
  hasBaseClass,
} from '../common/calling-convention.ts'

export const calls: CallingConvention = {
  tooFew: true,
  tooMany: true,
  outcome: compileError,
  hidesParameters: (symbol, lines) =>
    hasBaseClass(symbol, lines) || hasGeneratedConstructor(symbol, lines),
}

/** Limits the lines above a class that are searched for annotations. */
const maxAnnotationLines = 12

/** Annotations with which Lombok generates constructors for a class. */
const constructorAnnotation = new RegExp(
  String.raw`@(?:lombok\.(?:\w+\.)?)?` +
    String.raw`(?:(?:All|Required|No)ArgsConstructor|Data|Value|(?:Super)?Builder)\b`,
)

/** Whether Lombok adds constructors next to those in the source. */
function hasGeneratedConstructor({ name }: ChangedSymbol, lines: readonly string[]): boolean {
  const [own = '', owner = own] = name.split('.').reverse()
  const at = own === owner ? findType(owner, lines) : -1
  return lines
    .slice(Math.max(0, at - maxAnnotationLines), at + 1)
    .some((line) => constructorAnnotation.test(line.slice(0, 300)))
}
