// Recognizes calls that store or send something, and code that says that this was done.
import type { Node } from 'web-tree-sitter'
import { bindingTypes, mentionsName, readVariable } from './bindings.ts'
import { callAndNewTypes, isCall, readCall } from './calls.ts'
import { field, fieldText, findNodes, nextCodeSibling } from './syntax-nodes.ts'

/** Names of functions without which later work is wrong. */
const storing =
  /^(?:_?(?:async_)?)(?:save|store|insert|upsert|persist|write|put|upload|charge|capture|transfer|refund|pay|payout|withdraw|deposit|credit|debit|replace|archive|copy|move|rename|import|push|sync|record|append|book|reserve|register|create|update|revoke|migrate|export|provision|submit|apply|restore|backup|commit|finali[sz]e|settle|issue|approve|activate)(?=$|[_!A-Z?\d]|s$)(?!(?:Log|_log|Metric|Listener|Element|Component|Callback|Event))/i

/** Names of functions that notify somebody; their failure often does no harm. */
const sending =
  /^(?:_?(?:async_)?)(?:send|deliver|publish|post|dispatch|notify|emit|enqueue|email)(?=$|[_!A-Z]|Async)/i

const removing = /^(?:_?)(?:delete|remove|destroy|unlink|purge|drop)(?=$|[_!A-Z])/i

/** Objects whose failure may be ignored. */
const harmlessOwner =
  /cache|metric|log(?:ger)?\b|trac(?:er|ing)|analytics|telemetry|stats|progress|monitor|listener|history|classList|localStorage|sessionStorage|posthog|sentry|span|style|clipboard|toast|console|(?:^|[._])(?:out|err|stdout|stderr|tx|sender|chan(?:nel)?|w|buf\w*|sb|builder|screen|ui|view|router|list|items?|results?|rows|names|values|params|args|map|set)$/i

type Effect = 'store' | 'send' | 'remove'

/** Returns what a call does to the world, as far as its name says. */
export function effectOf(call: Node): Effect | undefined {
  if (/creation|^new_/.test(call.type)) return undefined
  const { name, receiver, args } = readCall(call)
  const owner = receiver?.text.slice(-60) ?? ''
  if (harmlessOwner.test(owner)) return undefined
  if (!receiver && !/_|[a-z][A-Z]|^(?:copy|rename|move_uploaded_file|mail)$/.test(name))
    return undefined
  if (args.length === 0 && /^(?:put|write|append|create|copy|apply|import|record)$/i.test(name))
    return undefined
  if (storing.test(name)) return 'store'
  if (sending.test(name)) return 'send'
  return removing.test(name) ? 'remove' : undefined
}

/** Lists the calls in code that store or send something. */
export function effectsIn(code: Node): { call: Node; effect: Effect }[] {
  const calls = isCall(code) ? [code] : []
  return [...calls, ...code.descendantsOfType([...callAndNewTypes])].flatMap((call) => {
    const effect = effectOf(call)
    return effect ? [{ call, effect }] : []
  })
}

const doneWords =
  '(?:paid|sent|done|succe\\w*|complete\\w*|processed|synced|archived|delivered|published|shipped|refunded|uploaded|imported|exported|transferred|charged|booked|saved|stored|confirmed|revoked|migrated)'

const doneValue = new RegExp(
  `(?:^|[^a-z])${doneWords}(?:$|[^a-z])|[a-z](?:Paid|Sent|Done|Synced|Processed|Shipped)\\b|_at\\b`,
  'i',
)

const done =
  /^(?:mark\w*|ack\w*|complete\w*|commit\w*|advance\w*|confirm\w*|finish\w*|set\w*(?:Done|Sent|Processed|Offset|Complete\w*))!?$/i

/** Whether a statement says that the work before it was done, or builds on it. */
export function saysDone(statement: Node, effect: Effect): boolean {
  const inner = statement.type === 'expression_statement' ? statement.namedChild(0)! : statement
  const text = inner.text.slice(0, 400)
  if (/assignment|augmented/.test(inner.type)) return isDoneAssignment(inner)
  if (/^return/.test(inner.type))
    return isSuccess(inner.namedChild(0)) || saysDoneByCall(inner, text, effect)
  return saysDoneByCall(inner, text, effect)
}

function isDoneAssignment(assignment: Node): boolean {
  const target = fieldText(assignment, 'left')
  if (!/[.[>@]/.test(target)) return false
  return doneValue.test(target) || doneValue.test(fieldText(assignment, 'right').slice(0, 100))
}

function saysDoneByCall(node: Node, text: string, effect: Effect): boolean {
  const call = callIn(node)
  if (!call) return false
  const { name } = readCall(call)
  if (done.test(name)) return true
  const isStored = effectOf(call) !== undefined
  if (effect === 'send') return isStored && /sent|deliver|notif|publish/i.test(text)
  if (effect === 'remove') return false
  return (
    isStored &&
    (removing.test(name) || doneValue.test(text) || /^(?:save|update|publish)/i.test(name))
  )
}

/** The call that a statement makes, after `await` and `return`. */
function callIn(node: Node): Node | undefined {
  let inner: Node | null = node
  while (inner && !isCall(inner)) {
    if (!/^(?:await|return|try_expression|expression_list|argument_list)/.test(inner.type))
      return undefined
    inner = inner.namedChild(0)
  }
  return inner ?? undefined
}

/** Whether a returned value says that the work succeeded. */
export function isSuccess(value: Node | null | undefined): boolean {
  const text = value?.text.slice(0, 300) ?? ''
  return (
    /^(?:true|True)$/.test(text) ||
    /\b(?:ok|success|status|accepted|sent)["']?\s*(?::|=>|=)\s*(?:true|True|["'](?:ok|success|accepted|sent|done)["'])/i.test(
      text,
    ) ||
    /\b(?:Result|Outcome)\.(?:[sS]uccess|ok|Ok)\(/.test(text) ||
    /^[\w\\]+(?:::|\.)(?:SUCCESS|Success|OK|Ok|DONE|Done)$/.test(text)
  )
}

/** The code of a handler or `try`, in any language. */
export function blockOf(node: Node): Node | undefined {
  return (
    field(node, 'body') ??
    node.namedChildren.find(({ type }) => /^(?:block|then|compound_statement)$/.test(type))
  )
}

/** Whether the code after `try` tests a variable that is set in it, such as for null. */
export function isTestedAfter(tried: Node): boolean {
  const next = tried.parent && nextCodeSibling(tried.parent)
  const test = next && (field(next, 'condition') ?? findNodes(next, 'conditional_expression')[0])
  return findNodes(tried, ...bindingTypes).some((node) => {
    const name = readVariable(node)?.name
    return test && name !== undefined && mentionsName(test.text, name)
  })
}
