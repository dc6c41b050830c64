// Parses one GraphQL operation: fields, aliases, arguments and variables, but no fragments.

/** A field of an operation, its arguments with the variables substituted. */
export interface Field {
  readonly name: string
  readonly alias: string
  readonly input: Readonly<Record<string, unknown>>
  readonly fields: readonly Field[]
}

export interface Operation {
  readonly kind: 'query' | 'mutation'
  readonly fields: readonly Field[]
}

export class GraphqlSyntaxError extends Error {}

// Strings, numbers, names, variables and marks; white space, commas and comments are between them.
const tokenPattern =
  /"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?|\$?[A-Za-z_]\w*|\.\.\.|[{}()[\]:!=@]|#[^\n]*|[\s,\ufeff]+|./gu

interface Reader {
  readonly tokens: readonly string[]
  readonly variables: Readonly<Record<string, unknown>>
  at: number
}

/** Parses a document with one operation. Throws GraphqlSyntaxError. */
export function parseOperation(
  text: string,
  variables: Readonly<Record<string, unknown>>,
): Operation {
  const tokens = (text.match(tokenPattern) ?? []).filter((token) => !/^[#\s,\ufeff]/.test(token))
  const reader: Reader = { tokens, variables, at: 0 }
  const kind = peek(reader) === 'mutation' ? 'mutation' : 'query'
  if (peek(reader) !== '{') {
    if (!['query', 'mutation'].includes(take(reader))) throw unexpected(reader, -1)
    if (/^\w/.test(peek(reader))) take(reader)
    if (peek(reader) === '(') skipDefinitions(reader)
  }
  const fields = readFields(reader)
  if (reader.at < tokens.length) throw unexpected(reader)
  return { kind, fields }
}

const peek = (reader: Reader): string => reader.tokens[reader.at] ?? ''

function take(reader: Reader, wanted?: string): string {
  const token = peek(reader)
  if (token === '' || (wanted !== undefined && token !== wanted)) throw unexpected(reader)
  reader.at += 1
  return token
}

function unexpected(reader: Reader, offset = 0): GraphqlSyntaxError {
  const token = reader.tokens[reader.at + offset]
  return new GraphqlSyntaxError(
    token === undefined ? 'Unexpected end of document' : `Expected something other than "${token}"`,
  )
}

/** The types of variables aren't checked: the values come with the request. */
function skipDefinitions(reader: Reader): void {
  let depth = 0
  do {
    const token = take(reader)
    if (token === '(') depth += 1
    if (token === ')') depth -= 1
  } while (depth > 0)
}

function readFields(reader: Reader): Field[] {
  take(reader, '{')
  const fields: Field[] = []
  while (peek(reader) !== '}') fields.push(readOneField(reader))
  take(reader, '}')
  return fields
}

function readName(reader: Reader): string {
  if (!/^[A-Za-z_]\w*$/.test(peek(reader))) throw unexpected(reader)
  return take(reader)
}

function readOneField(reader: Reader): Field {
  const alias = readName(reader)
  let name = alias
  if (peek(reader) === ':') {
    take(reader)
    name = readName(reader)
  }
  const input = peek(reader) === '(' ? readPairs(reader, '(', ')') : {}
  return { name, alias, input, fields: peek(reader) === '{' ? readFields(reader) : [] }
}

function readPairs(reader: Reader, open: string, close: string): Record<string, unknown> {
  const pairs: [string, unknown][] = []
  take(reader, open)
  while (peek(reader) !== close) {
    const name = readName(reader)
    take(reader, ':')
    const value = readValue(reader)
    // An argument with a variable without a value counts as missing.
    if (value !== undefined && value !== null) pairs.push([name, value])
  }
  take(reader, close)
  return Object.fromEntries(pairs)
}

function readValue(reader: Reader): unknown {
  const token = peek(reader)
  if (token === '{') return readPairs(reader, '{', '}')
  if (token === '[') {
    const items: unknown[] = []
    take(reader)
    while (peek(reader) !== ']') items.push(readValue(reader))
    take(reader)
    return items
  }
  take(reader)
  if (token.startsWith('$')) return reader.variables[token.slice(1)]
  if (/^["\d-]/.test(token)) return JSON.parse(token)
  if (!/^\w+$/.test(token)) throw unexpected(reader, -1)
  if (token === 'null') return null
  return token === 'true' || (token === 'false' ? false : token)
}
