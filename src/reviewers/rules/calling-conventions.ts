// What languages make of a call with too few or too many arguments, and which calls can't be counted by their syntax.
import { extname } from 'node:path'
import type { CallSite, ChangedSymbol } from '../../domain/change-graph.ts'

/** What a language says to a call that doesn't fit. */
export interface CallingConvention {
  readonly extensions: readonly string[]
  /** Whether such a call is an error: JavaScript takes all of them, PHP those with too many. */
  readonly tooFew: boolean
  readonly tooMany: boolean
  /** What happens to it, behind "it". */
  readonly outcome: string
  /** Signatures that callers don't see as they are written. `lines` are those of the file, `start` the definition's. */
  readonly hidesParameters?: (symbol: ChangedSymbol, lines: readonly string[]) => boolean
  /** Calls that pass something else than their syntax shows. */
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
    // A first parameter called `this` is none, and one that may be void can be left out.
    hidesParameters: (symbol, lines) =>
      /\(\s*this\s*:|\w\s*:(?:[^,():={}>]*\|)?\s*void\s*[|,)]/.test(textOf(symbol, lines)),
  },
  // Any number can be passed; what is taken for another parameter shows nevertheless.
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
    // A decorator may give callers any other function.
    hidesParameters: hasForeignDecorator,
    // `Base.load(self, …)` passes what a call on an object doesn't.
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
    // `Type::method(object, …)` passes the object too.
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
    // Keywords without braces may be one argument, or several, or none.
    hidesArguments: ({ text }) => /\w:\s|=>/.test(text),
  },
]

/** How a definition is called; undefined where any call is legal, or nobody can tell. */
export function conventionOf(path: string): CallingConvention | undefined {
  return conventions.find(({ extensions }) => extensions.includes(extname(path).toLowerCase()))
}

/** The first lines of a definition. */
function textOf({ startLine, endLine }: ChangedSymbol, lines: readonly string[]): string {
  return lines
    .slice(startLine - 1, Math.min(endLine, startLine + 9))
    .map((line) => line.slice(0, 300))
    .join('\n')
}

/** Those that leave the parameters as they are. */
const plainDecorators =
  /^@(?:staticmethod|classmethod|(?:abc\.)?abstractmethod|(?:typing\.)?(?:override|final)|(?:functools\.)?(?:lru_cache|cache)(?:\(.*\))?|(?:contextlib\.)?(?:async)?contextmanager|(?:functools\.)?wraps\(.*\))\s*(?:#.*)?$/

/** Lines of decorators that are looked through. */
const maxDecoratorLines = 20

/** Decorators stand above the definition, or at its beginning where they are taken for a part of it. */
function hasForeignDecorator({ startLine }: ChangedSymbol, lines: readonly string[]): boolean {
  const indent = indentOf(lines[startLine - 1] ?? '')
  const isPart = (line = '') =>
    line.trim() !== '' && (indentOf(line) > indent || /^\s*[@)\]}#]/.test(line))
  const decorators: string[] = []
  for (let at = startLine - 2; at > startLine - maxDecoratorLines && isPart(lines[at]); at--)
    decorators.push(lines[at]!)
  for (let at = startLine - 1; at < startLine + maxDecoratorLines && isPart(lines[at]); at++)
    decorators.push(lines[at]!)
  return decorators.some(
    (line) => indentOf(line) === indent && /^\s*@/.test(line) && !isPlainDecorator(line),
  )
}

function isPlainDecorator(line: string): boolean {
  return plainDecorators.test(line.trim().slice(0, 200))
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** What it inherits may have the name with other parameters. */
function hasBaseClass({ name }: ChangedSymbol, lines: readonly string[]): boolean {
  const owner = name.split('.').at(-2)
  if (owner === undefined) return false
  const at = findType(owner, lines)
  if (at === -1) return true
  const head = lines
    .slice(at, at + 4)
    .join(' ')
    .split('{', 1)[0]!
  return /\bextends\b|\bimplements\b|:/.test(head)
}

/** The index of the line on which a type is opened; -1 where there is none. */
function findType(name: string, lines: readonly string[]): number {
  const opening = new RegExp(`\\b(?:class|record|struct|interface)\\s+${RegExp.escape(name)}\\b`)
  return lines.findIndex((line) => opening.test(line.slice(0, 300)))
}

/** The other parts of its class may have it with other parameters. */
function isPartial({ name }: ChangedSymbol, lines: readonly string[]): boolean {
  const owner = name.split('.').at(-2) ?? name
  return /\bpartial\b/.test(lines[findType(owner, lines)]?.slice(0, 300) ?? '')
}

/** Lines above a class that are looked through for annotations. */
const maxAnnotationLines = 12

/** Lombok writes constructors for its class, beside those that stand there. */
function hasGeneratedConstructor({ name }: ChangedSymbol, lines: readonly string[]): boolean {
  const [own = '', owner = own] = name.split('.').reverse()
  const at = own === owner ? findType(owner, lines) : -1
  const above = lines
    .slice(Math.max(0, at - maxAnnotationLines), at + 1)
    .map((line) => line.slice(0, 300))
  return above.some((line) =>
    /@(?:lombok\.(?:\w+\.)?)?(?:(?:All|Required|No)ArgsConstructor|Data|Value|(?:Super)?Builder)\b/.test(
      line,
    ),
  )
}
