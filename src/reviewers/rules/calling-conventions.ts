// How each language treats calls with too few or too many arguments.
import { extname } from 'node:path'
import type { CallSite, ChangedSymbol } from '../../domain/change-graph.ts'

/** How a language treats a call whose arguments don't fit the parameters. */
export interface CallingConvention {
  readonly extensions: readonly string[]
  /** Whether a missing argument is an error. */
  readonly tooFew: boolean
  /** Whether a surplus argument is an error. */
  readonly tooMany: boolean
  /** What happens to the call, as a clause without a subject. */
  readonly outcome: string
  /** Whether callers see other parameters than the definition has in the `lines` of its file. */
  readonly hidesParameters?: (symbol: ChangedSymbol, lines: readonly string[]) => boolean
  /** Whether a call passes other arguments than its syntax shows. */
  readonly hidesArguments?: (call: CallSite, name: string) => boolean
}

const compileError = 'does not compile'
const runtimeError = 'fails with an error when it runs'

const conventions: readonly CallingConvention[] = [
  {
    extensions: ['.ts', '.tsx', '.mts', '.cts'],
    tooFew: true,
    tooMany: true,
    outcome: compileError,
    // Callers don't pass a first parameter called `this`, and may omit one that can be void.
    hidesParameters: (symbol, lines) =>
      /\(\s*this\s*:|\w\s*:(?:[^,():={}>]*\|)?\s*void\s*[|,)]/.test(textOf(symbol, lines)),
  },
  // Any number of arguments is legal, but one may bind to another parameter than before.
  {
    extensions: ['.js', '.jsx', '.mjs', '.cjs'],
    tooFew: false,
    tooMany: false,
    outcome: 'fails when it runs',
  },
  {
    extensions: ['.py', '.pyi'],
    tooFew: true,
    tooMany: true,
    outcome: runtimeError,
    // A decorator may replace the function by any other one.
    hidesParameters: hasForeignDecorator,
    // `Base.load(self, …)` passes the object, which a call on an object doesn't.
    hidesArguments: ({ text }, name) =>
      new RegExp(`\\b${name}\\s*\\(\\s*(?:self|cls)\\b`).test(text),
  },
  {
    extensions: ['.go'],
    tooFew: true,
    tooMany: true,
    outcome: compileError,
    // `f(g())` passes all that g returns.
    hidesArguments: ({ text, arguments: count }, name) =>
      count === 1 && new RegExp(`\\b${name}(?:\\[[^\\]]*\\])?\\s*\\([^()]*\\(`).test(text),
  },
  {
    extensions: ['.java'],
    tooFew: true,
    tooMany: true,
    outcome: compileError,
    hidesParameters: (symbol, lines) =>
      hasBaseClass(symbol, lines) || hasGeneratedConstructor(symbol, lines),
  },
  {
    extensions: ['.cs'],
    tooFew: true,
    tooMany: true,
    outcome: compileError,
    hidesParameters: (symbol, lines) =>
      /\(\s*this\s/.test(textOf(symbol, lines)) ||
      hasBaseClass(symbol, lines) ||
      isPartial(symbol, lines),
  },
  {
    extensions: ['.rs'],
    tooFew: true,
    tooMany: true,
    outcome: compileError,
    // `Type::method(object, …)` passes the object as an argument.
    hidesArguments: ({ text }, name) => new RegExp(`::${name}\\s*\\(`).test(text),
  },
  { extensions: ['.c'], tooFew: true, tooMany: true, outcome: compileError },
  {
    extensions: ['.php'],
    tooFew: true,
    tooMany: false,
    outcome: runtimeError,
  },
  {
    extensions: ['.rb'],
    tooFew: true,
    tooMany: true,
    outcome: runtimeError,
    // Keywords without braces may be one argument or several.
    hidesArguments: ({ text }) => /\w:\s|=>/.test(text),
  },
]

/** Returns undefined for languages where every call is legal, or whose calls aren't checked. */
export function conventionOf(path: string): CallingConvention | undefined {
  return conventions.find(({ extensions }) => extensions.includes(extname(path).toLowerCase()))
}

function textOf({ startLine, endLine }: ChangedSymbol, lines: readonly string[]): string {
  return lines
    .slice(startLine - 1, Math.min(endLine, startLine + 9))
    .map((line) => line.slice(0, 300))
    .join('\n')
}

/** Decorators of Python that keep the parameters of their function. */
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

/** Whether the type of a member has a base, which may define the member with other parameters. */
function hasBaseClass({ name }: ChangedSymbol, lines: readonly string[]): boolean {
  const owner = name.split('.').at(-2)
  if (owner === undefined) return false
  const at = findType(owner, lines)
  if (at === -1) return true
  const declaration = lines.slice(at, at + 4).join(' ')
  const head = declaration.split('{', 1)[0]!
  return /\bextends\b|\bimplements\b|:/.test(head)
}

/** Returns the index of the line that declares a type, or -1. */
function findType(name: string, lines: readonly string[]): number {
  const opening = new RegExp(`\\b(?:class|record|struct|interface)\\s+${RegExp.escape(name)}\\b`)
  return lines.findIndex((line) => opening.test(line.slice(0, 300)))
}

/** Another part of a partial class of C# may define the member with other parameters. */
function isPartial({ name }: ChangedSymbol, lines: readonly string[]): boolean {
  const owner = name.split('.').at(-2) ?? name
  return /\bpartial\b/.test(lines[findType(owner, lines)]?.slice(0, 300) ?? '')
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
