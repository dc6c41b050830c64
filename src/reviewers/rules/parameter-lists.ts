// Reads the parameters of a definition and the arguments of a call from their text.
import { extname } from 'node:path'
import { hollowOut, splitList } from './split-list.ts'

export interface Parameter {
  readonly name: string
  /** How it can be passed; `rest` and `namedRest` take any number. */
  readonly by: 'either' | 'position' | 'name' | 'rest' | 'namedRest'
  readonly isRequired: boolean
  /** A keyword that C# requires in the call too. */
  readonly mark: '' | 'ref' | 'out'
}

export interface Argument {
  /** Of one that is passed by name. */
  readonly name: string | null
  readonly text: string
}

/** How a language writes parameters. */
interface Notation {
  readonly extensions: readonly string[]
  /** Has the groups `rest` and `name`, and matches an item whose brackets were emptied. */
  readonly item: RegExp
  /** Matches the name of the parameter in an argument that is passed by name. */
  readonly named?: RegExp
  /** Reads the whole list, in languages in which items depend on each other. */
  readonly read?: (items: readonly string[]) => Parameter[] | undefined
}

const behindType =
  /^(?:.*[\s*&\]>?])?(?<rest>\.{3})?\s*\b(?<name>[\p{L}_$][\w$]*)\s*(?:\[\]\s*)*$/su

const notations: readonly Notation[] = [
  {
    extensions: ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'],
    item: /^(?:(?:public|private|protected|readonly|override)\s+)*(?<rest>\.{3})?(?<name>[\p{L}_$][\w$]*)\s*\??\s*(?:[:=]|$)/u,
  },
  { extensions: ['.py', '.pyi'], item: /^$/, named: /^([\p{L}_]\w*)\s*=(?!=)/u, read: readPython },
  { extensions: ['.go'], item: /^$/, read: readGo },
  { extensions: ['.java'], item: behindType },
  { extensions: ['.cs'], item: behindType, named: /^@?([\p{L}_]\w*)\s*:(?!:)/u },
  {
    extensions: ['.php'],
    item: /^[^$=]*?(?<rest>\.{3})?\$(?<name>\w+)\s*(?:=|$)/,
    named: /^([\p{L}_]\w*)\s*:(?!:)/u,
  },
  { extensions: ['.c'], item: /^.*[\s*](?<name>[A-Za-z_]\w*)\s*(?:\[\]\s*)*$/s },
]

function notationOf(path: string): Notation | undefined {
  return notations.find(({ extensions }) => extensions.includes(extname(path).toLowerCase()))
}

/** Whether arguments can be passed by name in the language of a file. */
export function takesNames(path: string): boolean {
  return notationOf(path)?.named !== undefined
}

/**
 * The parameters of a definition, without the object that it is called on; undefined where they
 * can't be read.
 *
 * @param name of the function, without its class or module
 */
export function readParameters(
  path: string,
  signature: string,
  name: string,
): Parameter[] | undefined {
  const notation = notationOf(path)
  const from = findParameters(signature, name)
  const items = from === -1 || notation === undefined ? undefined : splitList(signature, from, true)
  if (notation === undefined || items === undefined) return undefined
  if (notation.read !== undefined) return notation.read(items)
  const isEmpty = items.length === 1 && items[0] === 'void'
  const parameters = (isEmpty ? [] : items).map((item) => readItem(notation, item))
  return parameters.every((parameter) => parameter !== undefined) ? parameters : undefined
}

/** The index of the opening bracket: after the name, or after a function that it is set to. */
function findParameters(signature: string, name: string): number {
  const own = RegExp.escape(name)
  const typeParameters = String.raw`(?:<[^()]*>|\[[^()]*\])?`
  const assignment = String.raw`(?:=\s*(?:async\s*)?(?:function\b\s*\*?\s*\w*\s*)?)?`
  const opening = new RegExp(String.raw`(?<![\w$.])${own}\s*${typeParameters}\s*${assignment}\(`)
  const found = opening.exec(signature)
  return found === null ? -1 : found.index + found[0].length - 1
}

function readItem({ item, named }: Notation, text: string): Parameter | undefined {
  const hollow = hollowOut(text)
  const isSet = /=(?!>)/.test(hollow)
  const bare = item === behindType ? hollow.replace(/=.*$/s, '').trim() : hollow
  const { name, rest } = item.exec(bare)?.groups ?? {}
  if (name === undefined) return undefined
  const mark =
    named === undefined
      ? ''
      : ((/^(?:scoped\s+)?(ref|out)\s/.exec(bare)?.[1] ?? '') as Parameter['mark'])
  const isRest = rest !== undefined || /^params\s/.test(bare)
  return { name, by: isRest ? 'rest' : 'either', isRequired: !isSet && !isRest, mark }
}

// oxlint-disable-next-line complexity -- to be replaced by the parser
function readPython(items: readonly string[]): Parameter[] | undefined {
  const parameters: Parameter[] = []
  let by: Parameter['by'] = 'either'
  for (const [index, item] of items.entries()) {
    if (item === '*') by = 'name'
    else if (item === '/')
      parameters.splice(
        0,
        index,
        ...parameters.map((each) => ({ ...each, by: 'position' as const })),
      )
    else {
      const [, stars, name] = /^(\*{0,2})([\p{L}_]\w*)\s*(?:[:=]|$)/u.exec(item) ?? []
      if (name === undefined || stars === undefined) return undefined
      if (index === 0 && (name === 'self' || name === 'cls')) continue
      const isRest = stars !== ''
      const kind = stars === '**' ? 'namedRest' : stars === '*' ? 'rest' : by
      parameters.push({
        name,
        by: kind,
        isRequired: !isRest && !/=/.test(hollowOut(item)),
        mark: '',
      })
      if (stars === '*') by = 'name'
    }
  }
  return parameters
}

/** `a, b int`: a name without a type has the type of the next one. */
function readGo(items: readonly string[]): Parameter[] | undefined {
  const words = items.map((item) => /^([\p{L}_]\w*)(?:\s+(.*))?$/su.exec(item))
  const isNamed = items.length === 0 || words.at(-1)?.[2] !== undefined
  if (!isNamed || words.some((found) => found === null)) return undefined
  return words.map((found) => {
    const isRest = found![2]?.startsWith('...') ?? false
    return { name: found![1]!, by: isRest ? 'rest' : 'position', isRequired: !isRest, mark: '' }
  })
}

/**
 * The arguments of the call of a name that begins on the first line of a text; undefined where
 * they can't be read, or the line has several calls of it.
 *
 * @param line the length of the first line
 */
export function readArguments(
  path: string,
  text: string,
  line: number,
  name: string,
): Argument[] | undefined {
  const notation = notationOf(path)
  const calls = [
    ...text.slice(0, line).matchAll(new RegExp(`(?<![\\w$])${RegExp.escape(name)}\\s*\\(`, 'g')),
  ]
  const [call] = calls
  if (notation === undefined || call === undefined || calls.length > 1) return undefined
  return splitList(text, call.index + call[0].length - 1)?.map((item) => {
    const found = notation.named?.exec(item)
    return found
      ? { name: found[1]!, text: item.slice(found[0].length).trim() }
      : { name: null, text: item }
  })
}
