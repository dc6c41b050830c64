// Reads the code of a function as a text without comments, for checks that compare its statements.
import type { Node } from 'web-tree-sitter'
import { listVariables } from './bindings.ts'
import { functionTypes } from './functions.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { enclosingNode, findNodes } from './syntax-nodes.ts'

/** Larger functions are not read, so that the work is bounded. */
const maxLength = 8_000

const commentTypes = ['comment', 'line_comment', 'block_comment', 'multiline_comment']

/** It is the code of a function whose comments are blank; other indexes are unchanged. */
export interface FunctionCode {
  readonly node: Node
  readonly text: string
  /** The number of the line of an index of the text. */
  lineAt(index: number): number
}

/** Makes a check that reports the first hit in the code of a function. */
export function checkFunctions(
  ...finders: readonly ((code: FunctionCode, file: ParsedFile) => Hit | undefined)[]
): SyntaxCheck {
  return {
    nodes: [...functionTypes],
    wholeFunction: true,
    check(node, file) {
      const code = codeOf(node, file)
      if (!code) return undefined
      for (const find of finders) {
        const hit = find(code, file)
        if (hit) return hit
      }
      return undefined
    },
  }
}

const readCodes = new WeakMap<ParsedFile, Map<number, FunctionCode | undefined>>()

/** Reads the code of a function once for all checks. */
function codeOf(node: Node, file: ParsedFile): FunctionCode | undefined {
  const codes = readCodes.get(file) ?? new Map<number, FunctionCode | undefined>()
  readCodes.set(file, codes)
  if (!codes.has(node.id)) codes.set(node.id, readFunctionCode(node))
  return codes.get(node.id)
}

/** Returns the code of a function, unless that of the function around it is read as well. */
function readFunctionCode(node: Node): FunctionCode | undefined {
  if (!isShort(node)) return undefined
  const outer = enclosingNode(node, functionTypes)
  if (outer && isShort(outer)) return undefined
  let { text } = node
  for (const comment of findNodes(node, ...commentTypes)) {
    const start = comment.startIndex - node.startIndex
    const end = comment.endIndex - node.startIndex
    text = text.slice(0, start) + text.slice(start, end).replace(/\S/g, ' ') + text.slice(end)
  }
  const firstLine = node.startPosition.row + 1
  return { node, text, lineAt: (index) => firstLine + text.slice(0, index).split('\n').length - 1 }
}

function isShort({ startIndex, endIndex }: Node): boolean {
  return endIndex - startIndex <= maxLength
}

/** It is a variable that gets a value. */
export interface BoundText {
  readonly name: string
  readonly value: string
  readonly start: number
  readonly end: number
}

const maxValueLength = 500

/** Lists what variables are set to, in the order of the text. */
export function listBindings({ node, text }: FunctionCode): BoundText[] {
  return listVariables(node).map(({ name, targets, value }) => {
    const [from, end] = [value.startIndex, value.endIndex].map((index) => index - node.startIndex)
    const start = targets[0]!.startIndex - node.startIndex
    return {
      name,
      value: text.slice(from, Math.min(end!, from! + maxValueLength)),
      start,
      end: end!,
    }
  })
}

/** Escapes a name for a regular expression, in which it is a whole word. */
export function wordPattern(name: string): string {
  return `(?<![\\w$@])${RegExp.escape(name)}(?!\\w)`
}
