// Finds loops that repeat the same step: with the same page, the same state, or without a limit.
import type { Node } from 'web-tree-sitter'
import { wordPattern } from './function-code.ts'
import { functionTypes } from './functions.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
} from './syntax-nodes.ts'

const maxLength = 4_000

export interface Loop {
  readonly node: Node
  /** The code without comments and texts. */
  readonly code: string
  /** Empty if the loop has no end of its own. */
  readonly condition: string
  /** The code of the function around it, and the part of it before the loop. */
  readonly owner: string
  readonly before: string
}

/** Removes comments, and what is between quotation marks. */
export function plainCode(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(?:\/\/(?! ?\d)|(?<=\s)#(?=\s)).*$/gm, '')
    .replace(/(["'])(?:\\.|(?!\1)[^\\\n])*\1/g, '$1$1')
}

export function readLoop(node: Node): Loop | undefined {
  const { text } = node
  if (text.length > maxLength || !isLoop(node)) return undefined
  const fn = enclosingNode(node, functionTypes)
  if (!fn || fn.text.length > 4 * maxLength) return undefined
  const owner = plainCode(fn.text)
  return {
    node,
    code: plainCode(text),
    condition: conditionOf(node),
    owner,
    before: plainCode(fn.text.slice(0, node.startIndex - fn.startIndex)),
  }
}

function isLoop(node: Node): boolean {
  if (!node.isNamed) return false
  if (node.type === 'call') return field(node, 'method')?.text === 'loop' && !!field(node, 'block')
  // Only `for {`, `for (;;)` and Go's `for condition {` are like `while`.
  const head = node.text.slice(0, 300)
  return (
    node.type !== 'for_statement' ||
    (/^for\s*(?:\{|\(\s*;\s*;\s*\)|[^;{(][^;{]*\{)/.test(head) &&
      !/^for\s[^\n{]*\b(?:in|range)\b/.test(head))
  )
}

/** What has to hold for another round; empty for `while (true)`, `for (;;)` and `loop`. */
function conditionOf(node: Node): string {
  if (/^loop|^call$/.test(node.type)) return ''
  const isGo = node.type === 'for_statement'
  const condition = field(node, 'condition') ?? (isGo ? bareConditionOf(node) : undefined)
  const code = (condition?.text ?? '').replace(/^\(([\s\S]*)\)$/, '$1').trim()
  return /^(?:true|True|1|TRUE|;(?:\s*;)?)?$/.test(code) ? '' : code
}

/** The condition of Go's `for i < n {`. */
export function bareConditionOf(node: Node): Node | undefined {
  const first = node.namedChild(0)
  return first && !/block|clause|body/.test(first.type) ? first : undefined
}

/** Variables that say which part of a list is read. */
const cursorName =
  '(?:page(?:_?(?:number|num|no|index|token|able|request))?|offset|start(?:_?(?:at|index))?|skip|cursor|after|since|marker|(?:next_?)?(?:page_?)?token|continuation(?:_?token)?|position|from(?:_?id)?|last_?id)'

/** Code whose next run may well get something else. */
const waiting =
  /sleep|delay|\bpoll|(?<!a)wait|tick|interval|recv|receive|accept|subscribe|consume|dequeue|\bpop|shift\(|take\(|lease|claim/i

/** `while (true) { items = api.list(page); if (!items.length) break }`, without `page += 1`. */
function checkSamePage(loop: Loop): Hit | undefined {
  const { code, before, node } = loop
  if (waiting.test(code)) return undefined
  const names = [cursorName, ...countersBefore(loop)].join('|')
  const passed = new RegExp(
    `(?:[(,]\\s*(?:\\w+\\s*[:=]\\s*)?|[{,]\\s*(?:\\w+|["']{2})\\s*(?::|=>)\\s*|[{,]\\s*)[$&]?(${names})(?=\\s*[,)}])`,
    'gi',
  )
  for (const match of code.matchAll(passed)) {
    const name = match[1]!
    const word = wordPattern(name).replace('[\\w$@]', '[\\w@.]')
    const call = code.slice(Math.max(0, match.index - 120), match.index + 1)
    const isRequest = /(?:=|return|in|of)\s[^;\n]*\w[!?]?\([^()]*$|=\s*[{[][^}]*$/.test(call)
    const declared = new RegExp(
      `${word}(?:\\s*:[^=\\n]{1,40})?\\s*:?=\\s*(?:0|1|null|None|nil|undefined|""|''|[\\w.$]+)`,
    ).test(before)
    if (!isRequest || !declared || changes(word).test(code)) continue
    if (!leaves.test(code) && loop.condition === '') continue
    return sameStateHit(node, name, 'page')
  }
  return checkSameKey(loop)
}

/** `options["StartAfter"] = prefix`, where `prefix` is the same in each round. */
function checkSameKey({ node, code, owner }: Loop): Hit | undefined {
  const sets = plainCode(node.text) === code ? node.text.matchAll(cursorSet) : []
  for (const { 0: text, 1: name, index } of sets) {
    const word = wordPattern(name!).replace('[\\w$@]', '[\\w@.]')
    if (changes(word).test(code.replace(text, ''))) continue
    if (!new RegExp(`(?:def|function|fun|func|fn)\\b[^{:]*${word}|${word}\\s*:?=`).test(owner))
      continue
    const line = node.startPosition.row + node.text.slice(0, index).split('\n').length
    const hit = sameStateHit(node, name!, 'page')
    return { ...hit, at: { startLine: line, endLine: line }, fallback: hit.at }
  }
  return undefined
}

/** A key or field that says where the next page starts gets the value of a variable. */
const cursorSet =
  /(?:\[:?["']|\.|->)\w*(?:after|cursor|marker|token|offset|page)["']?\]?\s*=\s*([$]?[a-z]\w*)(?=;?$)/gim

/** Variables that start at 0 or 1 and count nothing, because the function never changes them. */
function countersBefore({ before, owner, condition, code }: Loop): string[] {
  const counter =
    /(?<!(?:const|val|final) (?:int |long )?)(?<![\w.@>])[$]?([a-z]\w*)(?:\s*:\s*\w+)?\s*:?=\s*[01]\s*(?:;|$)/gm
  return [...before.matchAll(counter)]
    .map((match) => match[1]!)
    .filter((name) => {
      const used = new RegExp(`([$]?\\b\\w+)\\s*:?=(?!=)[^;\\n]*\\(\\s*[$]?${name}\\s*[,)]`).exec(
        code,
      )
      const sets =
        owner.match(
          new RegExp(
            `${wordPattern(name).replace('[\\w$@]', '[\\w@.]')}\\s*(?:[-+*]?=(?!=)|:=|\\+\\+|--)|(?:\\+\\+|--)[$]?${name}\\b`,
            'g',
          ),
        ) ?? []
      return (
        sets.length === 1 && used !== null && condition.includes(used[1]!) && !noCounter.test(name)
      )
    })
}

const noCounter =
  /limit|size|timeout|delay|retr|attempt|max|min|status|flag|level|mode|type|width|height|total|count|id$/i

const leaves = /\b(?:break|return|raise|throw)\b/

/** Matches code that may change a variable. */
function changes(word: string): RegExp {
  const reference = `(?:\\+\\+|--|[(,\\s]&(?:mut )?|\\b(?:ref|out) )[$]?${word}`
  const assigned = `${word}\\s*(?:[-+*/|&?]{0,2}=(?![=>~])|\\+\\+|--|:=|,[^=\\n;()]{0,40}=(?!=)|\\[[^\\]]*\\]\\s*=(?!=))`
  const called = `${word}\\.(?:next|increment|add|incr|advance|set)\\w*\\(`
  return new RegExp(
    `${assigned}|${reference}|${called}|,\\s*[$]?${word}\\s*[\\]})]?\\s*:?=(?!=)|\\bfor\\b[^\\n]*${word}`,
  )
}

function sameStateHit(node: Node, name: string, kind: 'page' | 'state'): Hit {
  const code = quoteCode(name)
  return {
    ...lastStatementOf(node),
    title: `Infinite loop: nothing in it changes ${code}`,
    body:
      kind === 'page'
        ? `When there is more than one page, each round reads the one of the same ${code}, and ` +
          'the loop never ends. Set it to the next one.'
        : 'When the condition holds once, it holds in each round, because nothing in the loop ' +
          `sets ${code} again, and the loop never ends. Read it again in the loop.`,
  }
}

/** What is reported if something is missing before the next round. */
function lastStatementOf(loop: Node): Pick<Hit, 'at' | 'fallback' | 'evidence'> {
  const body = field(loop, 'body') ?? field(loop, 'block') ?? loop.namedChildren.at(-1) ?? loop
  const list = /^(?:do_block|block)$/.test(body.type) ? (field(body, 'body') ?? body) : body
  const inner = list.namedChildren.find(({ type }) => type === 'statement_list') ?? list
  const last = codeChildren(inner).at(-1) ?? loop
  return {
    at: { startLine: last.endPosition.row + 1, endLine: last.endPosition.row + 1 },
    fallback: firstLine(loop),
    evidence: [{ line: lineOf(loop), note: 'the loop' }],
  }
}

const readFlag =
  /^!?\(?\s*\$?([a-z]\w*)(?:(?:\.|->|\?\.)\w+)?(?:\s*(?:===?|!==?|<|>|is(?: not)?)\s*[\w."':]+)?\s*\)?$/

/** What others change, to ask the loop to end. */
const stopState =
  /cancel|abort|stop|interrupt|shut_?down|clos(?:ed|ing)|dispos|running|alive|valid|active/i

/** `while (job.status == "pending") { sleep() }`: the job is never read again. */
function checkSameState(loop: Loop): Hit | undefined {
  const { code, condition, before, node, owner } = loop
  const name = readFlag.exec(condition)?.[1]
  if (!name || /^(?:this|self|true|false|running|ctx)$/.test(name)) return undefined
  if (stopState.test(condition)) return undefined
  const word = wordPattern(name).replace('[\\w$@]', '[\\w@.]')
  const body = code.replace(condition, '')
  if (leaves.test(body) || /\b(?:yield|exit|goto|panic|die)\b/.test(body)) return undefined
  const declared = new RegExp(`${word}(?:\\s*:[^=\\n(),]{1,60})?\\s*:?=(?!=)\\s*[^\\n;]*\\(`).exec(
    before,
  )
  const all = owner.match(new RegExp(`${word}\\s*(?::[^=\\n]{1,60})?:?=(?![=>])`, 'g')) ?? []
  if (!declared || all.length > 1 || mayChange(word).test(body)) return undefined
  return sameStateHit(node, name, 'state')
}

function mayChange(word: string): RegExp {
  return new RegExp(
    `${word.replace('[\\w@.]', '[\\w@]')}(?:\\.|->)\\w+[ (]|${word}\\s*(?:[-+*/|&?]{0,2}=(?![=>~])|\\+\\+|--|:=|\\[|,[^=\\n;]{0,40}=(?!=))|${word}!?(?:\\.|->|\\?\\.)(?:\\w+!?\\(|\\w+\\s*(?:[-+]?=(?!=)|\\+\\+|--))|(?:\\+\\+|--|&|&mut )[$]?${word}|[(,]\\s*[&*]?[$]?${word}\\s*[,)]`,
  )
}

const attemptName =
  '(?:max_?)?(?:attempts?|retries|tries|retry_?count|attempt_?count|tries_?left|attempts_?left)'

/** `for (;;) { try { return await f() } catch { sleep(250 * 2 ** attempt) } }`. */
function checkUnlimited(loop: Loop, { language }: ParsedFile): Hit | undefined {
  const { node, owner, code } = loop
  if (loop.condition !== '' || !/catch|except|rescue|err\b|Err\(/.test(code)) return undefined
  const name = new RegExp(`(?<![\\w.])[$@]?(${attemptName})\\b`, 'i').exec(owner)?.[1]
  const handler = /(?:\bcatch\b|\bexcept\b|\bErr\(|err != nil)[\s\S]*/.exec(code)?.[0] ?? ''
  if (!name || leaves.test(handler)) return undefined
  if (
    !new RegExp(
      `\\b${name}\\b(?:\\s*:\\s*\\w+)?\\s*:?=\\s*\\d|[(,]\\s*(?:\\w+ )?${name}(?:\\s*[:=,)]| u?int| \\w+[,)])`,
    ).test(owner)
  )
    return undefined
  const word = new RegExp(
    `(?<![\\w])${name}\\s*(?:[-+*]?=(?!=)(?!\\s*[01]\\s*(?:[,;)\\n]|$))|\\+\\+|--|[<>]|[=!]==?)|(?:\\+\\+|--|[<>]=?\\s*|[=!]==?\\s*)[$@]?${name}\\b|\\bin\\b[^\\n]*${name}|range\\(|\\.${name}\\b`,
    'i',
  )
  const rest = owner.replace(new RegExp(`\\b${name}\\b(?:\\s*:\\s*\\w+)?\\s*:?=\\s*\\d+`, 'gi'), '')
  if (word.test(rest) || language === 'ruby') return undefined
  const pause = /^.*\b(?:\w*[sS]leep\w*|delay|Delay|backoff\w*|wait)\b.*\(/m.exec(node.text)
  const row =
    node.startPosition.row +
    1 +
    (pause ? node.text.slice(0, pause.index).split('\n').length - 1 : 0)
  return { ...unlimitedHit({ startLine: row, endLine: row }, name), fallback: firstLine(node) }
}

function unlimitedHit(at: Hit['at'], name: string): Hit {
  return {
    at,
    title: `Unlimited retries: nothing counts ${quoteCode(name)}`,
    body:
      'When the error lasts, the loop repeats forever. Count the attempts, and fail after the ' +
      'last one.',
  }
}

/** `while (!queue.isEmpty()) { m = queue.remove(); try … catch { queue.add(m) } }`. */
function checkRefilled(loop: Loop): Hit | undefined {
  const { code, condition } = loop
  if (/attempt|retr(?:y|ies)|tries|count|limit|max/i.test(code)) return undefined
  const taken =
    /([$@]?\w+)(?:\s*:[^=\n]{1,40})?\s*:?=\s*([$@\w.>-]+?)(?:\.|->)(?:dequeue|pop|popleft|pop_front|popFirst|shift|poll|remove|removeFirst|removeAt|Dequeue|Pop)\w*\(?/.exec(
      code,
    )
  const [, item, queue] = taken ?? []
  if (!item || !queue || !(condition === '' || condition.includes(queue))) return undefined
  const handler = /\b(?:catch|except|rescue)\b[\s\S]*$/.exec(code)
  const back = new RegExp(
    `${RegExp.escape(queue)}(?:\\.|->)(?:enqueue|push\\w*|append\\w*|add\\w*|offer\\w*|unshift|Enqueue|Push)\\(?\\s*${RegExp.escape(item)}\\b|${RegExp.escape(queue)}\\s*<<\\s*${RegExp.escape(item)}\\b`,
  ).exec(handler?.[0] ?? '')
  if (!handler || !back || /\b(?:break|throw|raise|return)\b/.test(handler[0])) return undefined
  const line = loop.node.startPosition.row + 1
  const row = plainRow(loop.node, back[0])
  return {
    at: { startLine: line + row, endLine: line + row },
    fallback: firstLine(loop.node),
    title: `Unlimited retries: ${quoteCode(item)} goes back into ${quoteCode(queue)} when it fails`,
    body:
      'When one element always fails, it is taken and put back forever, and the loop never ends. ' +
      'Count its attempts, and give it up after some.',
  }
}

/** How many lines after the start of a loop a part of its code is. */
function plainRow(node: Node, part: string): number {
  const index = node.text.lastIndexOf(part)
  return index < 0 ? 0 : node.text.slice(0, index).split('\n').length - 1
}

/** Parameters that say when work has to end. */
const stopParameter =
  /\bCancellationToken\s+(\w+)|\b(ctx)\s+context\.Context|\b(\w+)\??\s*:\s*(?:AbortSignal|CancellationToken)\b/

/** A worker's loop that reads neither its stop signal nor anything else that ends it. */
function checkStopSignal(loop: Loop, file: ParsedFile): Hit | undefined {
  const { node, code, owner, condition } = loop
  if (
    condition !== '' ||
    leaves.test(code.replace(/\bthrow new\b/g, '')) ||
    /\bexit\b|\?;|\?\n/.test(code)
  )
    return undefined
  const parameter = stopParameter
    .exec(owner.slice(0, 600))
    ?.slice(1)
    .find((each) => each)
  const name = parameter ?? stopFlagOf(file.text)
  if (!name || new RegExp(`\\b${name}\\b`).test(parameter ? code : owner)) return undefined
  if (
    !parameter &&
    !/\b(?:run|loop|work|process|consume|poll|execute|main)\w*\s*\(/i.test(owner.slice(0, 200))
  )
    return undefined
  return {
    at: firstLine(node),
    title: `Ignored shutdown: this loop never tests ${quoteCode(name)}`,
    body:
      'When the program is asked to stop, the loop goes on, so that the shutdown hangs or ends ' +
      `in the middle of the work. Test ${quoteCode(name)} in each round.`,
  }
}

/** The field that a method such as `stop` sets. */
function stopFlagOf(text: string): string | undefined {
  return /\b(?:stop|shutdown|shut_down|close|cancel|terminate|dispose)\w*\s*\([^)]*\)[^{:=\n]*[{:]?\s*(?:this\.|self\.|@)?(_?[a-z]\w*)(?:\s*=\s*(?:true|false|True|False)\b|\.set\((?:true)?\)|\.set\(False\))/i.exec(
    text,
  )?.[1]
}

/** Ruby: `rescue Timeout::Error`, `retry` without a limit. */
export function checkRetry(node: Node): Hit | undefined {
  if (node.text !== 'retry' || !node.isNamed) return undefined
  const handler = enclosingNode(node, new Set(['rescue']))
  if (
    !handler ||
    /RecordNotUnique|Deadlock|StaleObject|EINTR|Interrupt|SerializationFailure/.test(handler.text)
  )
    return undefined
  const code = plainCode(handler.text)
  if (
    /\b(?:if|unless|raise|return|while|until)\b|[-+]=|[<>]|\bretr(?:y_?(?!$)\w+|ies)|attempts?\.|wait|sleep/.test(
      code.replace(/=>/g, ''),
    )
  )
    return undefined
  const owner = enclosingNode(node, functionTypes)
  if (owner && findNodes(owner, 'retry').length > 2) return undefined
  return unlimitedHit(firstLine(node), 'the attempts')
}

/** Reports loops that repeat the same step. */
export function checkUnchanged(loop: Loop, file: ParsedFile): Hit | undefined {
  return (
    checkSamePage(loop) ??
    checkSameState(loop) ??
    checkUnlimited(loop, file) ??
    checkRefilled(loop) ??
    checkStopSignal(loop, file)
  )
}
