// Defines what the static reviewer checks in C and C++.
import type { Node } from 'web-tree-sitter'
import { callees } from '../rules/callee-words.ts'
import { readCall } from '../rules/calls.ts'
import { checkCalls } from '../rules/danger-checks.ts'
import { functionAround, functionTypes } from '../rules/functions.ts'
import type { LanguageRules } from '../rules/language-rules.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
} from '../rules/syntax-nodes.ts'

/** The name of a function of the standard library, also in its namespace. */
function calledName(call: Node): string {
  return readCall(call).plain.replace(/^std\./, '')
}

/** Finds the size of an array that is a local variable, or a member of a type of the file. */
function arraySizeOf(target: Node, text: string): string | undefined {
  const name = /^(?:[\w.]+(?:->|\.))?(\w+)$/.exec(target.text)?.[1]
  if (name === undefined) return undefined
  return new RegExp(
    `\\bchar\\s+(?:[\\w\\[\\], ]*\\s)?${name}\\s*\\[([^\\]\\n]{1,80})\\]\\s*[;=,]`,
  ).exec(text)?.[1]
}

/** Returns the variable that a call copies, where `%s` takes a text of any length. */
function copiedText(call: Node): Node | undefined {
  const { args } = readCall(call)
  const isFormatted = calledName(call) === 'sprintf'
  const value = isFormatted ? args[2 + stringVerbIndex(args[1]!.text)] : args[1]
  return value &&
    /^(?:identifier|field_expression)$/.test(value.type) &&
    !/^[A-Z_\d]+$/.test(value.text)
    ? value
    : undefined
}

/** Reports a text of any length that is copied into an array of a fixed one. */
function checkCopy(call: Node, file: ParsedFile): Partial<Hit> | boolean {
  const [target, source] = readCall(call).args
  const size = target && arraySizeOf(target, file.text)
  const value = source && copiedText(call)
  if (!size || !value || !/^[\w.>()*-]+$/.test(value.text)) return false
  const fn = functionAround(call)
  const before = fn?.text.slice(0, call.startIndex - fn.startIndex) ?? ''
  // Code that looks at the length has decided.
  const isMeasured = /\bstrn?len\b|sizeof|_MAX\b|_SIZE\b|_LEN\b/.test(before)
  if (isMeasured || (fn && arraySizeOf(value, fn.text))) return false
  return {
    title: `${quoteCode(target.text)} has a fixed size, and ${quoteCode(value.text)} may be longer`,
  }
}

const formatPosition: Readonly<Record<string, number>> = {
  printf: 0,
  fprintf: 1,
  sprintf: 1,
  snprintf: 2,
  syslog: 1,
  dprintf: 1,
  vprintf: 0,
  warn: 0,
  errx: 1,
  err: 1,
}

/** Reports a variable as the format, if no values follow. */
function checkFormat(call: Node, file: ParsedFile): boolean {
  const { args } = readCall(call)
  const position = formatPosition[calledName(call)]!
  const format = args[position]
  if (!format || args.length !== position + 1 || format.type !== 'identifier') return false
  const name = format.text
  // Constants in capitals and literals that were given a name are fixed.
  if (/^[A-Z_\d]+$/.test(name) || /fmt|format|usage|help|msg_/i.test(name)) return false
  return !new RegExp(`\\b${name}\\s*(?:\\[[^\\]]*\\])?\\s*=\\s*(?:"|[^;]*\\?[^;]*")`).test(
    file.text,
  )
}

/** Reports `if (a = CONSTANT)`; with parentheses of its own it is meant. */
function checkAssignment(node: Node): Hit | undefined {
  const condition = field(node, 'condition')
  const value = condition && field(condition, 'value')
  if (value?.type !== 'assignment_expression' || field(value, 'operator')?.type !== '=')
    return undefined
  const right = fieldText(value, 'right')
  if (!/^(?:[A-Z][A-Z0-9_]*|-?\d+|true|false|'.{1,2}'|k[A-Z]\w*|nullptr)$/.test(right))
    return undefined
  return {
    at: firstLine(value),
    title: `${quoteCode(value.text)} in the condition assigns instead of comparing`,
    body:
      `When this runs, \`${fieldText(value, 'left')}\` becomes \`${right}\`, and the condition ` +
      'always has the same result. Use `==`.',
  }
}

/** Reports `memset(p, 0, sizeof(p))` for a pointer `p`: it is the size of an address. */
function checkPointerSize(call: Node): Hit | undefined {
  const { args } = readCall(call)
  const target = args[0]
  if (!/^(?:memset|memcpy|memmove|strncpy|snprintf|bzero|fgets|read)$/.test(calledName(call)))
    return undefined
  if (target?.type !== 'identifier') return undefined
  const size = args.find(({ text }) => text.replace(/[\s()]/g, '') === `sizeof${target.text}`)
  const fn = functionAround(call)
  if (!size || !fn || !isPointer(target.text, fn)) return undefined
  return {
    at: firstLine(size),
    title: `${quoteCode(size.text)} is the size of a pointer, not of what it points to`,
    body:
      `When \`${target.text}\` points to more than 8 bytes, the rest is left as it was. Pass the ` +
      'size of the buffer.',
  }
}

function isPointer(name: string, fn: Node): boolean {
  const declarators = findNodes(
    fn,
    'pointer_declarator',
    'array_declarator',
    'reference_declarator',
  )
  const own = declarators.filter((each) => field(each, 'declarator')?.text === name)
  return own.length === 1 && own[0]!.type === 'pointer_declarator'
}

/** Reports `p = realloc(p, n)`: the old buffer leaks if it fails. */
function checkRealloc(node: Node): Hit | undefined {
  const value = field(node, 'right')
  const call = value?.type === 'cast_expression' ? field(value, 'value') : value
  if (call?.type !== 'call_expression' || calledName(call) !== 'realloc') return undefined
  const left = fieldText(node, 'left')
  if (readCall(call).args[0]?.text !== left) return undefined
  const fn = functionAround(node)
  const rest =
    fn?.text.slice(node.endIndex - fn.startIndex, node.endIndex - fn.startIndex + 200) ?? ''
  // A program that ends has no leak.
  const handled = /^\s*;\s*if\s*\(/.exec(rest)
  if (!handled || /\b(?:abort|exit|die|fatal|panic|err)\w*\s*\(/.test(rest)) return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(left)} is lost if \`realloc\` fails`,
    body:
      'When memory is short, `realloc` returns NULL and the old buffer stays allocated without ' +
      'a pointer to it. Assign the result to another variable first.',
  }
}

/** Reports `delete p` for what `new T[n]` made, and `delete[] p` for what `new T` made. */
function checkDelete(node: Node, { text }: ParsedFile): Hit | undefined {
  const target = codeChildren(node).at(-1)
  if (!target || !/^\w+$/.test(target.text)) return undefined
  const isArray = /^(?:::)?delete\s*\[/.test(node.text)
  const made = [
    ...text.matchAll(
      new RegExp(`\\b${target.text}\\s*(?:=|\\(|\\{)\\s*new\\s+[\\w:<>, *]+(\\[)?`, 'g'),
    ),
  ]
  if (made.length === 0 || made.some(([, bracket]) => (bracket !== undefined) === isArray))
    return undefined
  return {
    at: firstLine(node),
    title:
      `\`${isArray ? 'delete[]' : 'delete'}\` doesn't fit how ` +
      `${quoteCode(target.text)} was allocated`,
    body:
      'When this runs, the behavior is undefined: memory leaks or the heap is damaged. Use ' +
      `\`${isArray ? 'delete' : 'delete[]'}\`, or a smart pointer.`,
  }
}

/** Reports `throw e;` for the caught `e`: it throws a copy of the declared type. */
function checkRethrow(node: Node): Hit | undefined {
  const thrown = node.namedChild(0)
  const clause = enclosingNode(node, new Set(['catch_clause', ...functionTypes]))
  if (thrown?.type !== 'identifier' || clause?.type !== 'catch_clause') return undefined
  const parameters = fieldText(clause, 'parameters')
  if (!new RegExp(`[&\\s]${thrown.text}\\s*\\)$`).test(parameters)) return undefined
  return {
    at: firstLine(node),
    title: `\`throw ${thrown.text};\` throws a copy, which loses the type of the error`,
    body: 'When the error is of a derived type, callers catch only its base. Use `throw;`.',
  }
}

/** Reports a pointer into a local string that is returned. */
function checkReturnedText(node: Node): Hit | undefined {
  const name = /^return\s+(\w+)\.c_str\(\)\s*;$/.exec(node.text)?.[1]
  const fn = functionAround(node)
  if (!name || !fn) return undefined
  const body = fieldText(fn, 'body')
  if (
    !new RegExp(
      `(?:^|[;{}]\\s*)(?:const\\s+)?(?:std::)?(?:w?string|ostringstream)\\s+${name}\\s*[=;({]`,
    ).test(body)
  )
    return undefined
  return {
    at: firstLine(node),
    title: `The returned pointer is into ${quoteCode(name)}, which is destroyed on return`,
    body: 'When the caller reads it, the memory may hold something else. Return the string.',
  }
}

/** Returns the position of the first `%s` in a format; it is beyond all values without one. */
function stringVerbIndex(format: string): number {
  const verbs = format.match(/%[-+ #0-9.*]*l*[a-zA-Z]/g) ?? []
  const index = verbs.findIndex((verb) => /^%-?\d*s$/.test(verb))
  return index < 0 ? 1_000 : index
}

export const rules: LanguageRules = {
  checks: {
    'buffer-overflow': [
      checkCalls({
        callees: callees('{std.,}gets'),
        title: '`gets` writes past the end of its buffer',
        body: 'When a line is longer than the buffer, it overwrites memory. Use `fgets`.',
        when: (call) => readCall(call).args.length === 1,
      }),
      checkCalls({
        callees: callees('{std.,}{strcpy,strcat,sprintf}'),
        title: '',
        body:
          'When it is longer, memory behind the buffer is overwritten. Use `snprintf` with the ' +
          'size of the buffer, and handle a text that is cut.',
        when: checkCopy,
      }),
    ],
    'format-string': [
      checkCalls({
        callees: callees(`{std.,}{${Object.keys(formatPosition).join()}}`),
        title: '$CALL uses a variable as the format',
        body: 'When the text contains `%n`, memory is written. Use `"%s"` as the format.',
        when: checkFormat,
      }),
    ],
    'pointer-size': [{ nodes: ['call_expression'], check: checkPointerSize }],
    'lost-allocation': [{ nodes: ['assignment_expression'], check: checkRealloc }],
    'mismatched-delete': [{ nodes: ['delete_expression'], check: checkDelete }],
    'dangling-pointer': [{ nodes: ['return_statement'], check: checkReturnedText }],
    'rethrown-copy': [{ nodes: ['throw_statement'], check: checkRethrow }],
    'assignment-in-condition': [{ nodes: ['if_statement'], check: checkAssignment }],
  },
}
