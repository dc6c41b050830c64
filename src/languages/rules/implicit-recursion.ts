// Finds functions that a language calls for an operation on an object, and that do just that.
import type { Node } from 'web-tree-sitter'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { field, fieldText, firstLine, quoteCode } from './syntax-nodes.ts'

/** What runs a function again, by the languages and names of functions; `%` is the own object. */
const operations: readonly (readonly [grammars: string, names: string, code: string])[] = [
  ['go', 'UnmarshalJSON UnmarshalYAML UnmarshalText', String.raw`\.Unmarshal\([^()]*, &?%\)`],
  ['go', 'UnmarshalJSON UnmarshalYAML', String.raw`\.Decode\(&?%\)`],
  ['go', 'MarshalJSON MarshalYAML MarshalText', String.raw`\.Marshal(?:Indent)?\([&*]?%[,)]`],
  ['python', '__str__', String.raw`\bstr\(%\)|(?<!\.)\bformat\(%[,)]|f["'][^"'\n]*\{%(?:!s)?[:}]`],
  ['python', '__repr__', String.raw`\brepr\(%\)|f["'][^"'\n]*\{%!r`],
  ['python', '__eq__', String.raw`\b% == other\b`],
  ['python', '__hash__', String.raw`\bhash\(%\)`],
  ['python', '__len__', String.raw`\blen\(%\)`],
  ['python', '__bool__', String.raw`\bbool\(%\)|\bnot %(?![.\w])`],
  ['python', '__iter__', String.raw`\biter\(%\)|\bin %\s*[:\])]|\blist\(%\)`],
  ['python', '__contains__', String.raw`(?<!for )\b\w+ in %(?![.\w])`],
  ['python', '__getitem__', String.raw`%\[(?:key|item|name|index|i)\](?!\s*=)`],
  ['python', '__setitem__', String.raw`%\[(?:key|item|name|index|i)\]\s*=(?!=)`],
  ['python', '__setattr__', String.raw`\bsetattr\(%, (?:key|name|attr\w*),`],
  ['python', '__getattr__ __getattribute__', String.raw`\bgetattr\(%, (?:key|name|attr\w*)[,)]`],
  ['python', '__lt__', String.raw`\b% < other\b`],
  ['java kotlin', 'toString', String.raw`valueOf\(%\)|["] ?\+ ?%(?![.\w])|format\([^()]*\b%\)`],
  ['kotlin', 'toString', String.raw`"[^"\n]*\$(?:%(?![.\w])|\{%\})`],
  ['java kotlin', 'hashCode', String.raw`\bObjects\.hash(?:Code)?\(%\)|(?<![.\w])%\.hashCode\(\)`],
  ['java', 'equals', String.raw`\bObjects\.equals\(%, ?\w+\)`],
  ['kotlin', 'equals', String.raw`(?<![.\w])% == \w+`],
  ['kotlin', 'compareTo', String.raw`(?<![.\w])% [<>] \w+`],
  ['c-sharp', 'ToString', String.raw`\$"[^"\n]*\{%\}|["] ?\+ ?%(?![.\w])|Format\([^()]*\b%\)`],
  ['c-sharp', 'GetHashCode', String.raw`HashCode\.Combine\(%\)|(?<![.\w])%\.GetHashCode\(\)`],
  ['script', 'toJSON', String.raw`\bJSON\.stringify\(%[,)]`],
  ['script', 'toString', String.raw`\bString\(%\)|\$\{%\}|["'] ?\+ ?%(?![.\w])`],
  ['script', 'valueOf', String.raw`\bNumber\(%\)|(?<![\w)\]]\s*)\+%(?![.\w])`],
  ['script', '[Symbol.iterator]', String.raw`\[\.\.\.%\]|\bof %\)|yield\* %(?![.\w])`],
  ['php', '__toString', String.raw`\(string\) ?%(?![\w>-])|["'] ?\. ?%(?![\w>-])|strval\(%\)`],
  ['php', 'jsonSerialize', String.raw`json_encode\(%\b`],
  ['php', '__clone', String.raw`\bclone %\s*;`],
  ['php', 'getIterator', String.raw`foreach \(% as\b`],
  ['ruby', 'to_s', String.raw`#\{%\}|"\s*\+ %(?![.\w])|\bString\(%\)`],
  ['ruby', 'inspect', String.raw`#\{%\.inspect\}`],
  ['ruby', '==', String.raw`(?<![.\w])% == other\b`],
  ['ruby', '<=>', String.raw`(?<![.\w])% <=> other\b`],
  ['ruby', 'to_json as_json', String.raw`\bJSON\.(?:generate|dump)\(%\)`],
  ['ruby', 'method_missing', String.raw`(?<![.\w])(?:%\.)?(?:public_)?send\(name, \*args`],
  ['rust', 'eq', String.raw`(?<![*.])\b% == other\b`],
  ['rust', 'clone', String.raw`\b%\.clone\(\)`],
  ['rust', 'default', String.raw`\bSelf \{[^{}]*\.\.\s*(?:Self::|Default::)default\(\)`],
]

const ownObject: Readonly<Record<string, string>> = {
  python: 'self',
  ruby: 'self',
  rust: 'self',
  php: '\\$this',
}

const maxLength = 4_000

function checkOperation(fn: Node, { language }: ParsedFile): Hit | undefined {
  const name = fieldText(fn, 'name')
  const grammar = /script$|^tsx$/.test(language) ? 'script' : language
  const own = operations.filter(
    ([grammars, names]) => grammars.split(' ').includes(grammar) && names.split(' ').includes(name),
  )
  const body = field(fn, 'body') ?? fn.namedChildren.at(-1)
  if (own.length === 0 || !body || body.endIndex - body.startIndex > maxLength) return undefined
  const object = /^\(\s*(\w+)/.exec(fieldText(fn, 'receiver'))?.[1] ?? ownObject[grammar] ?? 'this'
  for (const [, , pattern] of own) {
    const code = new RegExp(pattern.replaceAll('%', object))
    const match = code.exec(body.text)
    if (match && !isOtherObject(body.text, object)) return operationHit(body, match, name)
  }
  return undefined
}

/** Whether the code gives the name of the object to another one. */
function isOtherObject(body: string, object: string): boolean {
  return new RegExp(`(?:^|[\\s{;])${object}\\s*:?=(?!=)`).test(body)
}

function operationHit(body: Node, match: RegExpExecArray, name: string): Hit {
  const line = body.startPosition.row + body.text.slice(0, match.index + 1).split('\n').length
  return {
    at: { startLine: line, endLine: line },
    title: `Infinite recursion: ${quoteCode(match[0])} calls ${quoteCode(name)} again`,
    body:
      `When ${quoteCode(name)} runs, this does so for the same object, until the stack ` +
      'overflows. Use its fields, or convert it to a type without this function.',
  }
}

/** C#: `operator ==` that tests `left == null`. */
function checkOperator(operator: Node): Hit | undefined {
  const [, sign, one, other] =
    /\boperator\s*([=!]=)\s*\(\s*[\w<>?.]+\s+(\w+),\s*[\w<>?.]+\s+(\w+)\s*\)/.exec(operator.text) ??
    []
  const body = field(operator, 'body')
  if (!sign || !body) return undefined
  const test = new RegExp(`(?<![\\w.)])(?:${one}|${other}) ${sign} (?:null|${one}|${other})\\b`)
  const match = test.exec(body.text)
  return match ? operationHit(body, match, `operator ${sign}`) : undefined
}

/** `set size(value) { this.size = value }`, and the same of C#, Kotlin, Python and Ruby. */
function checkSetter(setter: Node): Hit | undefined {
  const name = setterNameOf(setter)
  if (!name || setter.endIndex - setter.startIndex > maxLength) return undefined
  const object = /^(?:def|@)/.test(setter.text) ? 'self\\.' : '(?:this\\.)'
  const optional = /^(?:set|init)\b(?!\s+\w)/.test(setter.text) ? '?' : ''
  const start = setter.text.search(/[{=:)]/)
  // Behind a parenthesis or comma, it is the name of an argument.
  const set = new RegExp(`(?<![.\\w]|[(,]\\s*)${object}${optional}${name}\\s*=(?![=>])`).exec(
    setter.text.slice(start + 1),
  )
  const isInLambda =
    set && /\w\s*\{[^{}]*$/.test(setter.text.slice(start + 1, start + 1 + set.index))
  if (!set || isInLambda) return undefined
  const line =
    setter.startPosition.row + setter.text.slice(0, start + 2 + set.index).split('\n').length
  return {
    at: { startLine: line, endLine: line },
    fallback: firstLine(setter),
    title: `Infinite recursion: the setter of ${quoteCode(name)} sets ${quoteCode(name)}`,
    body:
      'When the property is set, its setter calls itself until the stack overflows. Set the ' +
      'field behind it.',
  }
}

/** The name of the property that a function sets, in the code of the function or before it. */
const setterNames: Readonly<Record<string, RegExp>> = {
  method_definition: /^(?:\w+ )*set (\w+)\(/,
  method: /^def (\w+)=\s*\(/,
  function_definition: /@(\w+)\.setter\s*$/,
}

function setterNameOf(setter: Node): string | undefined {
  const { text, type, parent } = setter
  if (Object.hasOwn(setterNames, type)) {
    const before = parent?.text.slice(0, setter.startIndex - parent.startIndex) ?? ''
    return setterNames[type]!.exec(type === 'function_definition' ? before : text)?.[1]
  }
  if (!/^(?:set|init)\b/.test(text)) return undefined
  const owner = type === 'setter' ? propertyOf(setter) : setter.parent?.parent
  return owner ? nameOfProperty(owner) : undefined
}

function nameOfProperty(owner: Node): string | undefined {
  return (
    (field(owner, 'name') ?? owner.namedChildren.find(isVariable)?.namedChild(0))?.text ?? undefined
  )
}

function isVariable({ type }: Node): boolean {
  return type === 'variable_declaration'
}

/** Kotlin has the accessors in the property or after it. */
function propertyOf({ parent, previousNamedSibling }: Node): Node | undefined {
  if (parent?.type === 'property_declaration') return parent
  return previousNamedSibling?.type === 'property_declaration' ? previousNamedSibling : undefined
}

export const implicitRecursion: readonly SyntaxCheck[] = [
  {
    nodes: [
      ...['method_definition', 'method_declaration', 'function_definition', 'function_declaration'],
      ...['method', 'function_item'],
    ],
    wholeFunction: true,
    check: (node, file) => checkOperation(node, file) ?? checkSetter(node),
  },
  { nodes: ['operator_declaration'], wholeFunction: true, check: checkOperator },
  { nodes: ['accessor_declaration', 'setter'], wholeFunction: true, check: checkSetter },
]
