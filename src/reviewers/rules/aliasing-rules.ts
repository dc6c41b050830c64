// Rules about one object where several were meant: shared elements, class attributes, defaults.
import type { Node } from 'web-tree-sitter'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  enclosingFunction,
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  outerParent,
  quoteCode,
  replaceInLine,
} from './syntax-nodes.ts'

/** Reported only where an element is changed: a shared one that is only read does no harm. */
function sharedHit(at: Node, what: Node): Hit | undefined {
  const declaration = at.parent
  const name = declaration && (fieldText(declaration, 'name') || fieldText(declaration, 'left'))
  const scope = declaration && (enclosingFunction(declaration) ?? declaration.parent?.parent)
  if (!name || !/^[\w.]+$/.test(name) || !scope) return undefined
  const element = `${name.replaceAll('.', '\\.')}\\[[^\\]\\n]{1,100}\\]`
  const change = new RegExp(
    `\\b${element}(?:(?:\\[[^\\]\\n]{1,100}\\]|\\.\\w+)\\s*[-+*/|]?=(?!=)|\\.(?:push|append|extend|add|update|insert|unshift|splice|set|setdefault)\\()`,
  )
  if (!change.test(scope.text.slice(0, 50_000))) return undefined
  return {
    at: firstLine(at),
    title: `All elements of ${quoteCode(at.text)} are one and the same ${quoteCode(what.text)}`,
    body:
      'When one element is changed, all of them change, because there is only one object. Make a ' +
      'new one for each.',
  }
}

/** `new Array(3).fill([])`. */
function checkFill(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  const [value] = argumentsOf(call)
  if (name !== 'fill' || !value || !/^(?:array|object|new_expression)$/.test(value.type))
    return undefined
  if (!receiver || !/^(?:new )?Array(?:<[^>]*>)?\(|^Array\.from\(/.test(receiver.text))
    return undefined
  // Mapped to something else at once, the shared element is never seen.
  return outerParent(call)?.type === 'member_expression' ? undefined : sharedHit(call, value)
}

/** `[[]] * 3`, `dict.fromkeys(keys, [])`. */
function checkRepeated(node: Node): Hit | undefined {
  if (node.type === 'call') {
    const value = fieldText(node, 'function') === 'dict.fromkeys' ? argumentsOf(node)[1] : undefined
    return value && isCollection(value) ? sharedHit(node, value) : undefined
  }
  const list = field(node, 'left')
  if (field(node, 'operator')?.type !== '*' || list?.type !== 'list' || list.namedChildCount !== 1)
    return undefined
  const element = list.namedChild(0)!
  const isRow = element.type === 'binary_operator' && field(element, 'left')?.type === 'list'
  return isRow || (isCollection(element) && element.namedChildCount === 0)
    ? sharedHit(node, element)
    : undefined
}

function isCollection(node: Node): boolean {
  return /^(?:list|dictionary|set)$/.test(node.type) || /^(?:list|dict|set)\(\)$/.test(node.text)
}

/** `items = []` in a class body, changed through `self`. */
function checkClassAttribute(assignment: Node): Hit | undefined {
  const name = fieldText(assignment, 'left')
  const value = field(assignment, 'right')
  const body = assignment.parent?.parent
  const owner = body?.parent
  if (
    owner?.type !== 'class_definition' ||
    !value ||
    field(assignment, 'type') ||
    !isCollection(value)
  )
    return undefined
  if (
    value.namedChildCount > 1 ||
    !/^_*[a-z]\w*$/.test(name) ||
    /cache|registry|instances|shared/i.test(name)
  )
    return undefined
  const own = new RegExp(`^self\\.${name}$`)
  if (findNodes(owner, 'assignment').some((other) => own.test(fieldText(other, 'left'))))
    return undefined
  const change = findNodes(owner, 'call', 'subscript').find((node) => {
    const target = node.type === 'call' ? calleeOf(node).receiver : field(node, 'value')
    if (!target || !own.test(target.text)) return false
    if (node.type === 'call')
      return /^(?:append|extend|insert|add|update|setdefault)$/.test(calleeOf(node).name)
    return node.parent?.type === 'assignment' && field(node.parent, 'left')?.id === node.id
  })
  if (!change) return undefined
  return {
    at: firstLine(assignment),
    fallback: firstLine(change),
    title:
      `${quoteCode(name)} belongs to the class, so all its objects share and change one ` +
      `${quoteCode(value.text)}`,
    body:
      `When two objects of this class exist, what one puts into ${quoteCode(`self.${name}`)} is ` +
      'found in the other. Make it in `__init__`.',
    evidence: [{ line: lineOf(change), note: 'it is changed through one object here' }],
  }
}

const evaluatedOnce =
  /^(?:(?:datetime\.)?datetime\.(?:now|utcnow|today)|(?:datetime\.)?date\.today|timezone\.now|time\.(?:time|time_ns|monotonic|perf_counter)|uuid\.uuid[14]|uuid[14]|random\.\w+|secrets\.token_\w+)$/

/** `def f(at=datetime.now())`, `Field(default=uuid4())`. */
function checkDefault(node: Node, file: ParsedFile): Hit | undefined {
  const value = field(node, 'value')
  if (value?.type !== 'call' || !evaluatedOnce.test(fieldText(value, 'function'))) return undefined
  const name = fieldText(node, 'name')
  if (node.type === 'keyword_argument') {
    const callee = fieldText(node.parent?.parent ?? node, 'function')
    if (
      !/^(?:server_)?default$/.test(name) ||
      !/(?:^|\.)(?:\w*Field|field|Column|mapped_column)$/.test(callee)
    )
      return undefined
  }
  return {
    at: firstLine(node),
    title: `${quoteCode(value.text)} is called once, when the module is loaded, not at each use`,
    body:
      'When this default is used, it is the value from the start of the program, the same every ' +
      'time. ' +
      `${node.type === 'keyword_argument' ? `Pass the function: ${quoteCode(`default_factory`)}, or the callable itself.` : 'Use `None` as the default and call it inside.'}`,
    suggestion:
      node.type === 'keyword_argument' &&
      /Column$|mapped_column$/.test(fieldText(node.parent!.parent!, 'function')) &&
      argumentsOf(value).length === 0
        ? replaceInLine(value, file, fieldText(value, 'function'))
        : undefined,
  }
}

export const aliasingRules: readonly Rule[] = [
  {
    id: 'shared-element',
    summary: 'A list is filled with one and the same object.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      { languages: javascriptFamily, nodes: ['call_expression'], check: checkFill },
      { languages: ['python'], nodes: ['binary_operator', 'call'], check: checkRepeated },
    ],
  },
  {
    id: 'shared-class-attribute',
    summary: 'Python: a list, dict or set of the class is changed through its objects.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [
      {
        languages: ['python'],
        nodes: ['assignment'],
        wholeFunction: true,
        check: checkClassAttribute,
      },
    ],
  },
  {
    id: 'default-made-once',
    summary: 'Python: a default such as `datetime.now()` is made once, when the module is loaded.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: ['python'],
        nodes: ['default_parameter', 'typed_default_parameter', 'keyword_argument'],
        check: checkDefault,
      },
    ],
  },
]
