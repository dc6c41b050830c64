// Defines how canaries are written in a language: the few constructs that their defects use.

/** Joins words to one name. */
type NameStyle = (words: readonly string[]) => string

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

export const pascal: NameStyle = (words) => words.map(capitalize).join('')
export const camel: NameStyle = ([first = '', ...rest]) => first + pascal(rest)
export const snake: NameStyle = (words) => words.join('_')
export const kebab: NameStyle = (words) => words.join('-')

/** Kinds of values; each language has its own type for them. */
type ValueKind = 'number' | 'text' | 'list' | 'flag'

interface FunctionParameter {
  readonly name: string
  readonly kind: Exclude<ValueKind, 'flag'>
}

interface FunctionSpec {
  readonly name: string
  readonly parameter: FunctionParameter
  /** Undefined for a function without a result. */
  readonly returns?: 'number' | 'flag'
  readonly body: readonly string[]
}

/** How one language is written. Texts are lines without line ends. */
export interface Dialect {
  /** Makes the name of a file without its extension. */
  readonly stem: NameStyle
  readonly testStem: (stem: string) => string
  readonly name: NameStyle
  readonly comment: string
  /** Writes a reference to a parameter or a loop's item. */
  readonly variable: (name: string) => string
  readonly defineFunction: (definition: FunctionSpec) => string[]
  readonly returnValue: (expression: string, kind: 'number' | 'flag') => string
  readonly isGreater: (variable: string, number: number) => string
  readonly equalsText: (variable: string, text: string, negated?: boolean) => string
  readonly call: (name: string, number: number) => string
  readonly loop: (list: string, body: (item: string) => readonly string[]) => string[]
  /** Writes a statement that queries a database, with the item as its parameter. */
  readonly query: (sql: string, item?: string) => string
  readonly test: (name: string, body: readonly string[]) => string[]
  readonly assertEqual: (one: string, other: string) => string[]
  /** Adds what the language needs around the lines of a file. */
  readonly file: (lines: readonly string[], words: readonly string[]) => string[]
}

export const indent = (lines: readonly string[], by = '  ') => lines.map((line) => by + line)
export const block = (head: string, body: readonly string[], by?: string) => [
  `${head} {`,
  ...indent(body, by),
  '}',
]
/** Writes functions whose parameters and results have types. */
export function typedFunctions(
  types: Readonly<Record<ValueKind | 'nothing', string>>,
  writeHead: (name: string, parameter: string, type: string, result: string) => string,
  indentation?: string,
): Dialect['defineFunction'] {
  return ({ name, parameter, returns, body }) =>
    block(
      writeHead(name, parameter.name, types[parameter.kind], types[returns ?? 'nothing']),
      body,
      indentation,
    )
}

export const equalsPlainText = (variable: string, text: string, negated = false) =>
  `${variable} ${negated ? '!=' : '=='} "${text}"`

/** The syntax that most languages share. */
export const commonSyntax = {
  name: camel,
  comment: '//',
  variable: (name: string) => name,
  returnValue: (expression: string) => `return ${expression};`,
  isGreater: (variable: string, number: number) => `${variable} > ${number}`,
  equalsText: equalsPlainText,
  call: (name: string, number: number) => `${name}(${number})`,
  query: (sql: string, item?: string) =>
    `db.query("${sql}"${item === undefined ? '' : `, ${item}`});`,
  file: (lines: readonly string[]) => [...lines],
}
