// Finds loops without an exit, and loops whose rounds don't come closer to their end.
import type { Node } from 'web-tree-sitter'
import { wordPattern } from './function-code.ts'
import { statementsOfBody } from './statements.ts'
import type { Hit } from './syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  firstLine,
  nextCodeSibling,
  quoteCode,
} from './syntax-nodes.ts'
import { type Loop, plainCode } from './unchanged-loops.ts'

function endlessHit(at: Node, title: string, body: string): Hit {
  return { at: firstLine(at), title, body }
}

const exit =
  /\b(?:break|return|raise|throw|exit|goto|panic|die|abort|yield|StopIteration|fail|error|Fatal\w*)\b|\?\s*[;\n).]|\.next\b|!\(/

/** `loop do … page += 1 end; total`, where nothing in the loop leaves it. */
export function checkNoExit({ node, code, condition }: Loop): Hit | undefined {
  if (condition !== '' || exit.test(code)) return undefined
  const statement = /^expression_statement$/.test(node.parent?.type ?? '') ? node.parent! : node
  const next = nextCodeSibling(statement)
  if (!next || !/statement|expression|call|identifier|assignment|declaration/.test(next.type))
    return undefined
  return endlessHit(
    placeOfExit(node),
    'Nothing leaves this loop, so what comes after it never runs',
    'When the work is done, the loop goes on without end. Leave it when there is nothing left.',
  )
}

/** After the first statement, if that gets what the loop works with. */
function placeOfExit(loop: Node): Node {
  const [first = loop, second] = statementsOfBody(loop)
  return second && /=/.test(first.text) ? second : first
}

/** `queue.isNotEmpty()`, `len(queue) > 0`, `!empty($queue)`, and `until queue.empty?`. */
const nonEmpty =
  /^(?:!|not )?\s*(?:(?:len|count|empty|sizeof)\()?([$@]?\w+)\)?(?:(?:\.|->)(?:isEmpty|isNotEmpty|is_empty|size|length|Count|Any|empty\?|any\?|IsEmpty)(?:\(\))?)?(?:\s*(?:>|!==?)\s*0)?$/

/** What is done with a collection that never removes anything. */
const keeping =
  /^(?:(?:[?!]*\.|->)(?:first|peek|last|front|back|element|add\w*|push\w*|append\w*|extend|offer\w*|enqueue|size|length|len|count|isEmpty|isNotEmpty|is_empty|empty\?|any\?|at|get|Peek|First|Last|Count|Any|Add|Enqueue|Push)\b|\[-?\d|\s*(?:\+=|<<)|\)\s*(?:[><]|[!=]=|\[))/

const collection =
  /=\s*(?:new )?(?:[\w.]*(?:Deque|LinkedList|Queue|Stack|deque|list|List|Vec|array|Array|Of)\b|\[)/

/** `while (queue.isNotEmpty()) { next = queue.first(); … }`, where nothing is removed. */
export function checkNeverEmptied({ node, code, condition, owner, before }: Loop): Hit | undefined {
  const name = nonEmpty.exec(condition)?.[1]
  if (!name) return undefined
  const word = wordPattern(name)
  const declared = before.match(
    new RegExp(`${word}(?:\\s*:[^=\\n]{1,60})?\\s*:?=(?!=)[^\\n]*`),
  )?.[0]
  if (!declared || !collection.test(declared)) return undefined
  const rest = owner.slice(before.indexOf(declared) + declared.length)
  const follows = [...rest.matchAll(new RegExp(word, 'g'))].map(({ index }) =>
    rest.slice(index + name.length, index + name.length + 40),
  )
  if (!follows.every((text) => keeping.test(text))) return undefined
  const peek = new RegExp(`${word}(?:[?!]*\\.|->)?(?:first|peek|last|front|back|\\[|at|get)`, 'i')
  const row = code
    .replace(condition, '')
    .split('\n')
    .findIndex((line) => peek.test(line))
  if (row < 0) return undefined
  const line = node.startPosition.row + 1 + row
  return {
    at: { startLine: line, endLine: line },
    fallback: firstLine(node),
    title: `Infinite loop: nothing in it removes anything from ${quoteCode(name)}`,
    body:
      'When it has one element, each round takes the same one, and the loop never ends. Remove ' +
      'what was taken.',
  }
}

/** `while attempt < limit:`, where neither of them changes. */
export function checkFixedCondition({ node, condition, owner, before }: Loop): Hit | undefined {
  const [, name, other = ''] =
    /^\(?([$@]?[a-z]\w*)\s*(?:[<>]=?|!==?)\s*([$@\w.>:-]+)\)?$/.exec(condition) ?? []
  if (!name || !isLimit.test(other)) return undefined
  const word = wordPattern(name)
  const start = new RegExp(`${word}(?:\\s*:\\s*\\w+)?\\s*:?=\\s*\\d+\\s*(?:[;,\\n]|$)`).exec(before)
  if (!start) return undefined
  const rest = owner.slice(0, start.index) + owner.slice(start.index + start[0].length)
  if (changesOf(name).test(rest)) return undefined
  return endlessHit(
    node,
    `Infinite loop: nothing in it changes ${quoteCode(name)}`,
    `When a round ends without leaving the loop, the condition is the same: ${quoteCode(name)} ` +
      'limits nothing. Change it in each round.',
  )
}

/** A number, a constant, or a field with the number of rounds. */
const isLimit =
  /^(?:\d+|(?:\w+(?:\.|::))?[A-Z][A-Z\d_]+|[$@\w.>:-]*(?:max|limit|attempts|retries)\w*)$/i

/** Matches code that gives a variable another value. */
function changesOf(name: string): RegExp {
  const word = wordPattern(name)
  return new RegExp(
    `${word}\\s*(?:[-+*/%|&?]{0,2}=(?!=)|\\+\\+|--|:=|,[^=\\n;()]{0,40}=(?!=))|(?:\\+\\+|--|&|&mut |ref |out )\\s*${word}`,
  )
}

/** `for (;;) { attempts = 0; try … catch { attempts++; if (attempts > max) throw } }`. */
export function checkResetCounter({ node, code, condition }: Loop): Hit | undefined {
  if (condition !== '') return undefined
  const name = resetCounterOf(statementsOfBody(node), code)
  return name ? resetHit(node, name) : undefined
}

/** Ruby: the code that `retry` repeats sets the counter of the attempts. */
export function checkResetRetry(retry: Node): Hit | undefined {
  const handler = enclosingNode(retry, new Set(['rescue']))
  const body = handler?.parent
  if (!body) return undefined
  const first = codeChildren(body).filter(({ endIndex }) => endIndex <= handler.startIndex)
  const name = resetCounterOf(first, plainCode(body.text))
  return name ? resetHit(retry, name) : undefined
}

function resetCounterOf(statements: readonly Node[], code: string): string | undefined {
  for (const { text } of statements) {
    const name = /^(?:let |var |int |\$)?([a-z]\w*)(?:\s*:\s*\w+)?\s*:?=\s*[01];?$/.exec(text)?.[1]
    if (!name) continue
    const word = wordPattern(name).replace('[\\w$@]', '[\\w@.]')
    const counts = code.match(
      new RegExp(`${word}(?:\\+\\+|\\s*\\+= ?1\\b)|\\+\\+[$]?${name}\\b`, 'g'),
    )
    const isLimited = new RegExp(
      `\\b${name}\\s*(?:>=?|===?)\\s*(?:[$@\\w.>:-]*(?:max|limit|attempts|retries)|[2-9])`,
      'i',
    )
    const inner = /\n\s+(?:for|while|until|loop)\b/.test(code.slice(code.indexOf(text)))
    if (counts?.length === 1 && isLimited.test(code) && !inner) return name
  }
  return undefined
}

function resetHit(at: Node, name: string): Hit {
  return endlessHit(
    at,
    `Each round sets ${quoteCode(name)} to its start again, so it never reaches its limit`,
    'When the error lasts, this repeats without end. Set it before what is repeated.',
  )
}

/** How languages cut half of a number to an integer. */
const roundings: readonly (readonly [RegExp, RegExp])[] = [
  [/^python$/, /\/\/ ?2|>> ?1/],
  [/script|tsx|php/, /floor|trunc|intdiv|\(int\)|>>>? ?1/],
  [/^/, /\/ ?2(?!\.)|>>>? ?1/],
]

/** `while (low < high) { mid = (low + high) / 2; … low = mid }`. */
export function checkBisection({ node, code, condition }: Loop, language: string): Hit | undefined {
  const [, low, operator, high] = /^([$]?\w+)\s*(<=?)\s*([$]?\w+)$/.exec(condition) ?? []
  if (!low || !high) return undefined
  const [one, other] = [RegExp.escape(low), RegExp.escape(high)]
  const middle = new RegExp(
    `([$]?\\w+)(?: *: *\\w+)?\\s*:?=\\s*([^;\\n]*(?:${one}\\s*\\+\\s*\\(?${other}|${other}\\s*\\+\\s*${one})[^;\\n]*)`,
  ).exec(code)
  const [, name, value = ''] = middle ?? []
  const rounds = roundings.find(([languages]) => languages.test(language))![1]
  if (!name || !rounds.test(value) || /\+ ?1\b/.test(value)) return undefined
  const bound = operator === '<' ? one : `(?:${one}|${other})`
  const stuck = new RegExp(
    `(?:^|[\\s{;])(${bound})\\s*=\\s*${RegExp.escape(name)}\\s*(?:[;}]|$)`,
    'm',
  ).exec(code)
  if (!stuck) return undefined
  const line = node.startPosition.row + 1 + code.slice(0, stuck.index + 1).split('\n').length - 1
  return {
    at: { startLine: line, endLine: line },
    fallback: firstLine(node),
    title: `Infinite loop: with one element left, nothing changes ${quoteCode(stuck[1]!)}`,
    body: 'When the middle is rounded to it, the loop never ends. Go one further.',
  }
}

/** `for (i = last; i >= 0; i++)`, `while (n > 0) { n += k }`. */
export function checkDirection(loop: Loop): Hit | undefined {
  const { node, code, condition } = loop
  const [, name, operator] = /^([$]?\w+)\s*([<>])=?\s*[$\w.]+(?:\(\))?$/.exec(condition) ?? []
  if (!name || !operator) return undefined
  const word = wordPattern(name)
  const all = code.match(new RegExp(changesOf(name).source, 'g')) ?? []
  const wrong = operator === '<' ? '(?:--|\\s*-=)' : '(?:\\+\\+|\\s*\\+=)'
  if (all.length !== 1 || !new RegExp(`${word}${wrong}`).test(code) || exit.test(code))
    return undefined
  return endlessHit(
    node,
    `Each round moves ${quoteCode(name)} away from the end of this loop`,
    'When the condition holds once, it goes on to hold. Count in the other direction.',
  )
}

const ownObject = /^(?:this|self|\$this)$/

const nextOf =
  /([$]?\w+)(?:[?!]*\.|->)(?:(?:get_?)?(?:parent|manager|successor)\w*|(?:next|previous)\w*(?![\w(]))/i

/** Matches code that sets a variable, also as that of an inner loop. */
function setsOther(name: string): RegExp {
  const word = wordPattern(name)
  return new RegExp(`${word}\\s*(?::[^=\\n]{1,40})?:?=(?!=)|\\b(?:for|of|in|as)\\b[^\\n]*${word}`)
}

/** `while (current) { …; current = byId[category.parentId] }`: the next one is always the same. */
export function checkSameStep({ node, code, condition }: Loop): Hit | undefined {
  const name = /^!?\(?([$]?[a-z]\w*)(?:\s*(?:!==?|is not|!=)\s*\w+)?\)?$/.exec(condition)?.[1]
  if (!name || exit.test(code)) return undefined
  const sets = [...code.matchAll(new RegExp(`${wordPattern(name)}\\s*=(?!=)\\s*([^;\\n]+)`, 'g'))]
  const [set] = sets
  const base = nextOf.exec(set?.[1] ?? '')?.[1]
  if (sets.length !== 1 || !base || ownObject.test(base)) return undefined
  const isUsed = new RegExp(wordPattern(name)).test(set![1]!)
  if (isUsed || setsOther(base).test(code)) return undefined
  const row = code.slice(0, set!.index).split('\n').length
  const line = node.startPosition.row + row
  return {
    at: { startLine: line, endLine: line },
    fallback: firstLine(node),
    title: `${quoteCode(name)} always gets the same, because ${quoteCode(base)} stays the same`,
    body: `When that is not the end, the loop never ends. Go on from ${quoteCode(name)}.`,
  }
}
