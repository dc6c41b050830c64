// Rules about one object that is shared by mistake: list elements, class attributes, defaults.
import type { Node } from 'web-tree-sitter'
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
} from '../../languages/common/syntax-nodes.ts'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'

const mutatingMethods = [
  'push',
  'append',
  'extend',
  'add',
  'update',
  'insert',
  'unshift',
  'splice',
  'set',
  'setdefault',
]

/** Matches code that changes an element of the list, such as `list[0].push(` or `list[0].a = `. */
function createElementChangePattern(listName: string): RegExp {
  const index = String.raw`\[[^\]\n]{1,100}\]`
  const element = listName.replaceAll('.', String.raw`\.`) + index
  const assignment = String.raw`(?:${index}|\.\w+)\s*[-+*/|]?=(?!=)`
  const call = String.raw`\.(?:${mutatingMethods.join('|')})\(`
  return new RegExp(String.raw`\b${element}(?:${assignment}|${call})`)
}

/** Reports only elements that the code changes: sharing one that is only read is harmless. */
function reportSharedElement(list: Node, element: Node): Hit | undefined {
  const declaration = list.parent
  if (!declaration) return undefined
  const name = fieldText(declaration, 'name') || fieldText(declaration, 'left')
  const scope = enclosingFunction(declaration) ?? declaration.parent?.parent
  if (!/^[\w.]+$/.test(name) || !scope) return undefined
  if (!createElementChangePattern(name).test(scope.text.slice(0, 50_000))) return undefined
  return {
    at: firstLine(list),
    title:
      `All elements of ${quoteCode(list.text)} are references to the same ` +
      `${quoteCode(element.text)}`,
    body:
      'When one element is modified, all of them change, because there is only one object. ' +
      'Create a new one for each element.',
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
  // In a chain such as `fill([]).map(…)`, later code never sees the shared element.
  if (outerParent(call)?.type === 'member_expression') return undefined
  return reportSharedElement(call, value)
}

/** Python: `dict.fromkeys(keys, [])`. */
function checkFromKeys(call: Node): Hit | undefined {
  if (fieldText(call, 'function') !== 'dict.fromkeys') return undefined
  const value = argumentsOf(call)[1]
  return value && isCollection(value) ? reportSharedElement(call, value) : undefined
}

/** Python: `[[]] * 3`. */
function checkMultipliedList(product: Node): Hit | undefined {
  if (field(product, 'operator')?.type !== '*') return undefined
  const list = field(product, 'left')
  if (list?.type !== 'list' || list.namedChildCount !== 1) return undefined
  const element = list.namedChild(0)!
  const isRow = element.type === 'binary_operator' && field(element, 'left')?.type === 'list'
  const isEmptyCollection = isCollection(element) && element.namedChildCount === 0
  return isRow || isEmptyCollection ? reportSharedElement(product, element) : undefined
}

function isCollection(node: Node): boolean {
  return /^(?:list|dictionary|set)$/.test(node.type) || /^(?:list|dict|set)\(\)$/.test(node.text)
}

/** Python: `items = []` in a class body that a method changes through `self`. */
function checkClassAttribute(assignment: Node): Hit | undefined {
  const name = fieldText(assignment, 'left')
  const value = field(assignment, 'right')
  const owner = assignment.parent?.parent?.parent
  if (owner?.type !== 'class_definition' || !value || field(assignment, 'type')) return undefined
  if (!isCollection(value) || value.namedChildCount > 1 || isMeantToBeShared(name)) return undefined
  const attribute = `self.${name}`
  const isOwnedByObject = findNodes(owner, 'assignment').some(
    (other) => fieldText(other, 'left') === attribute,
  )
  if (isOwnedByObject) return undefined
  const change = findChange(owner, attribute)
  if (!change) return undefined
  return {
    at: firstLine(assignment),
    fallback: firstLine(change),
    title:
      `${quoteCode(name)} is a mutable class attribute, so all instances share one ` +
      `${quoteCode(value.text)}`,
    body:
      `When one instance changes ${quoteCode(attribute)}, all other instances see it. Create ` +
      'it in `__init__`.',
    evidence: [{ line: lineOf(change), note: 'it is changed through one instance here' }],
  }
}

/** Whether an attribute is a constant in capitals, or its name announces that objects share it. */
function isMeantToBeShared(name: string): boolean {
  return !/^_*[a-z]\w*$/.test(name) || /cache|registry|instances|shared/i.test(name)
}

/** Finds the first call or item assignment in a class that changes the collection `attribute`. */
function findChange(owner: Node, attribute: string): Node | undefined {
  return findNodes(owner, 'call', 'subscript').find((node) => {
    if (node.type === 'call') {
      const { receiver, name } = calleeOf(node)
      const isMutation = /^(?:append|extend|insert|add|update|setdefault)$/.test(name)
      return receiver?.text === attribute && isMutation
    }
    if (fieldText(node, 'value') !== attribute) return false
    return node.parent?.type === 'assignment' && field(node.parent, 'left')?.id === node.id
  })
}

/** Functions of Python whose result is meant to differ at each call. */
const changingFunctions = new RegExp(
  `^(?:${[
    String.raw`(?:datetime\.)?datetime\.(?:now|utcnow|today)`,
    String.raw`(?:datetime\.)?date\.today`,
    String.raw`timezone\.now`,
    String.raw`time\.(?:time|time_ns|monotonic|perf_counter)`,
    String.raw`uuid\.uuid[14]`,
    'uuid[14]',
    String.raw`random\.\w+`,
    String.raw`secrets\.token_\w+`,
  ].join('|')})$`,
)

/** Finds a default that is a call whose result should differ each time. */
function findChangingDefault(node: Node): Node | undefined {
  const value = field(node, 'value')
  if (value?.type !== 'call') return undefined
  return changingFunctions.test(fieldText(value, 'function')) ? value : undefined
}

/** Python: `def f(at=datetime.now())`. */
function checkParameterDefault(parameter: Node): Hit | undefined {
  const value = findChangingDefault(parameter)
  return value && describeDefault(parameter, value, 'Use `None` as the default and call it inside.')
}

/** Python: `Field(default=uuid4())`. */
function checkFieldDefault(argument: Node, file: ParsedFile): Hit | undefined {
  const value = findChangingDefault(argument)
  if (!value || !/^(?:server_)?default$/.test(fieldText(argument, 'name'))) return undefined
  const callee = fieldText(argument.parent?.parent ?? argument, 'function')
  if (!/(?:^|\.)(?:\w*Field|field|Column|mapped_column)$/.test(callee)) return undefined
  const takesFunction = /Column$|mapped_column$/.test(callee) && argumentsOf(value).length === 0
  return {
    ...describeDefault(
      argument,
      value,
      'Pass the function: `default_factory`, or the callable itself.',
    ),
    suggestion: takesFunction
      ? replaceInLine(value, file, fieldText(value, 'function'))
      : undefined,
  }
}

function describeDefault(at: Node, value: Node, remedy: string): Hit {
  return {
    at: firstLine(at),
    title:
      `${quoteCode(value.text)} is evaluated once, when the module is imported, not at each ` +
      'use',
    body:
      'When this default is used, it has the value from the import, the same every time. ' +
      `${remedy}`,
  }
}

export const aliasingRules: readonly Rule[] = [
  {
    id: 'shared-element',
    summary:
      'All elements of a list are references to the same object, as in `Array(3).fill([])` or ' +
      '`[[]] * 3`.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [
      { languages: javascriptFamily, nodes: ['call_expression'], check: checkFill },
      { languages: ['python'], nodes: ['binary_operator'], check: checkMultipliedList },
      { languages: ['python'], nodes: ['call'], check: checkFromKeys },
    ],
  },
  {
    id: 'shared-class-attribute',
    summary:
      'A mutable class attribute (list, dict or set) is changed through an instance, so all ' +
      'instances share it.',
    seeAlso: ['Ruff `RUF012`'],
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
    summary: 'A default such as `datetime.now()` is evaluated once, when the module is imported.',
    seeAlso: ['Ruff `B008`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.95,
    syntax: [
      {
        languages: ['python'],
        nodes: ['default_parameter', 'typed_default_parameter'],
        check: checkParameterDefault,
      },
      { languages: ['python'], nodes: ['keyword_argument'], check: checkFieldDefault },
    ],
  },
]
