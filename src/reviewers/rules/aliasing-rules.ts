// Rules about one object that is shared by mistake: list elements, class attributes, defaults.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { outerParent } from '../../languages/rules/operations.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
  replaceInLine,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'

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

/** Whether the code changes an element of a list: sharing one that is only read is harmless. */
function isElementChanged({ node }: Match): boolean {
  const declaration = node.parent
  // In a chain such as `fill([]).map(…)`, later code never sees the shared element.
  if (!declaration || outerParent(node)?.type === 'member_expression') return false
  const name = fieldText(declaration, 'name') || fieldText(declaration, 'left')
  const scope = functionAround(declaration) ?? declaration.parent?.parent
  if (!/^[\w.]+$/.test(name) || !scope) return false
  return createElementChangePattern(name).test(scope.text.slice(0, 50_000))
}

/** Whether a multiplied element is an empty collection, or a row that is multiplied itself. */
function isEmptyOrRow(element: Node): boolean {
  const isRow = element.type === 'binary_operator' && field(element, 'left')?.type === 'list'
  return isRow || (isCollection(element) && element.namedChildCount === 0)
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
      const { receiver, name } = readCall(node)
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

/** Whether a default is a call whose result should differ each time. */
function isChangingCall(value: Node): boolean {
  return value.type === 'call' && changingFunctions.test(fieldText(value, 'function'))
}

/** Passes the function itself as the default of a column, which would be called each time. */
function suggestFunction({ get, text }: Match, file: ParsedFile): Partial<Hit> {
  const takesFunction = /Column$|mapped_column$/.test(text('FACTORY'))
  const callee = fieldText(get('VALUE'), 'function')
  return takesFunction && readCall(get('VALUE')).args.length === 0
    ? { suggestion: replaceInLine(get('VALUE'), file, callee) }
    : {}
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
    title: 'All elements of $MATCH are references to the same $ELEMENT',
    body:
      'When one element is modified, all of them change, because there is only one object. ' +
      'Create a new one for each element.',
    refine: isElementChanged,
    syntax: [
      {
        patterns: { javascript: ['$ARRAY.fill($ELEMENT, $$$)'] },
        where: {
          ARRAY: /^(?:new )?Array(?:<[^>]*>)?\(|^Array\.from\(/,
          ELEMENT: ({ type }) => /^(?:array|object|new_expression)$/.test(type),
        },
      },
      { patterns: { python: ['[$ELEMENT] * $_'] }, where: { ELEMENT: isEmptyOrRow } },
      {
        patterns: { python: ['dict.fromkeys($_, $ELEMENT, $$$)'] },
        where: { ELEMENT: isCollection },
      },
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
    title: '$VALUE is evaluated once, when the module is imported, not at each use',
    where: {
      VALUE: isChangingCall,
      FACTORY: /(?:^|\.)(?:\w*Field|field|Column|mapped_column)$/,
    },
    at: 'VALUE',
    syntax: [
      {
        patterns: {
          python: ['def f(«$_=$VALUE»): pass', 'def f(«$_: $_ = $VALUE»): pass'],
        },
        body:
          'When this default is used, it has the value from the import, the same every time. ' +
          'Use `None` as the default and call it inside.',
      },
      {
        patterns: {
          python: [
            '$FACTORY($$$, default=$VALUE, $$$)',
            '$FACTORY($$$, server_default=$VALUE, $$$)',
          ],
        },
        body:
          'When this default is used, it has the value from the import, the same every time. ' +
          'Pass the function: `default_factory`, or the callable itself.',
        refine: suggestFunction,
      },
    ],
  },
]
