// Reads the parameters that a definition names and the arguments that a call passes, from their text. Pure.
import { extname } from 'node:path'
import { hollowOut, splitList } from './split-list.ts'

export interface Parameter {
  readonly name: string
  /** How it can be passed; `rest` and `namedRest` take any number. */
  readonly by: 'either' | 'position' | 'name' | 'rest' | 'namedRest'
  readonly isRequired: boolean
  /** What stands before the argument in the call too: C#'s `ref` and `out`. */
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
  /** Groups `rest` and `name`, of an item without what stands in its brackets. */
  readonly item: RegExp
  /** What of an argument names its parameter. */
  readonly named?: RegExp
  /** Lists are read as a whole. */
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
 * The parameters of a definition, without the object that it is called on; undefined where they can't be read.
 *
 * @param name of the function, without what it is defined in
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

/** Where the list of parameters opens: behind the name, or behind what the name is set to. */
function findParameters(signature: string, name: string): number {
  const own = RegExp.escape(name)
  const opening = new RegExp(
    `(?<![\\w$.])${own}\\s*(?:<[^()]*>|\\[[^()]*\\])?\\s*(?:=\\s*(?:async\\s*)?(?:function\\b\\s*\\*?\\s*\\w*\\s*)?)?\\(`,
  )
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

/** `a, b int`: names stand alone where a later one has the type. */
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
 * The arguments of the only call of a name that begins in a text; undefined where they can't be read.
 *
 * @param line how long the first line of the text is: there the call begins
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
