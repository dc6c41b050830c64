// Describes how calls of Python must fit parameters.
import type { ChangedSymbol } from '../../domain/change-graph.ts'
import { type CallingConvention, runtimeError } from '../common/calling-convention.ts'

export const calls: CallingConvention = {
  tooFew: true,
  tooMany: true,
  takesNames: true,
  outcome: runtimeError,
  // A decorator may replace the function by any other one.
  hidesParameters: hasForeignDecorator,
  // `Base.load(self, …)` passes the object, which a call on an object doesn't.
  hidesArguments: ({ text }, name) => new RegExp(`\\b${name}\\s*\\(\\s*(?:self|cls)\\b`).test(text),
}

/** Decorators that keep the parameters of their function. */
const plainDecorators = new RegExp(
  String.raw`^@(?:${[
    'staticmethod',
    'classmethod',
    String.raw`(?:abc\.)?abstractmethod`,
    String.raw`(?:typing\.)?(?:override|final)`,
    String.raw`(?:functools\.)?(?:lru_cache|cache)(?:\(.*\))?`,
    String.raw`(?:contextlib\.)?(?:async)?contextmanager`,
    String.raw`(?:functools\.)?wraps\(.*\)`,
  ].join('|')})\s*(?:#.*)?$`,
)

/** Limits the lines that are searched for decorators, above a definition and from its start. */
const maxDecoratorLines = 20

/** Searches above a definition and at its start, because some grammars include decorators. */
function hasForeignDecorator({ startLine }: ChangedSymbol, lines: readonly string[]): boolean {
  const indent = indentOf(lines[startLine - 1] ?? '')
  const isPart = (line = '') =>
    line.trim() !== '' && (indentOf(line) > indent || /^\s*[@)\]}#]/.test(line))
  const candidates: string[] = []
  for (let at = startLine - 2; at > startLine - maxDecoratorLines && isPart(lines[at]); at--) {
    candidates.push(lines[at]!)
  }
  for (let at = startLine - 1; at < startLine + maxDecoratorLines && isPart(lines[at]); at++) {
    candidates.push(lines[at]!)
  }
  return candidates.some(
    (line) => indentOf(line) === indent && /^\s*@/.test(line) && !isPlainDecorator(line),
  )
}

function isPlainDecorator(line: string): boolean {
  return plainDecorators.test(line.trim().slice(0, 200))
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
