// Rules about Java: `equals` without `hashCode`, and formats that threads share.
import type { Node } from 'web-tree-sitter'
import { field, fieldText, firstLine, quoteCode } from '../../languages/common/syntax-nodes.ts'
import type { Hit, Rule } from './rule.ts'

function checkEquals(method: Node): Hit | undefined {
  const parameters = field(method, 'parameters')
  if (fieldText(method, 'name') !== 'equals' || parameters?.namedChildCount !== 1) return undefined
  if (fieldText(parameters.namedChild(0)!, 'type') !== 'Object') return undefined
  const classBody = method.parent
  if (classBody?.type !== 'class_body' || !classBody.parent) return undefined
  const hasHash = classBody.namedChildren.some((member) => fieldText(member, 'name') === 'hashCode')
  if (hasHash || mayInheritHash(classBody.parent)) return undefined
  return {
    at: firstLine(method),
    title: 'This class overrides `equals` but not `hashCode`',
    body:
      'When two equal objects are put into a `HashMap` or `HashSet`, they have different ' +
      "hash codes, so a lookup doesn't find the equal object. Implement `hashCode` over the " +
      'same fields.',
  }
}

/** Whether a superclass or an annotation of Lombok may provide `hashCode`. */
function mayInheritHash(owner: Node): boolean {
  return (
    field(owner, 'superclass') !== undefined ||
    /@(?:Data|EqualsAndHashCode|Value)\b/.test(owner.text.slice(0, 500))
  )
}

const unsafeFormats = /^(?:SimpleDateFormat|DateFormat|DecimalFormat|NumberFormat)$/

function checkSharedFormat(declaration: Node): Hit | undefined {
  const modifiers = declaration.namedChildren.find((child) => child.type === 'modifiers')
  if (!modifiers || !/\bstatic\b/.test(modifiers.text)) return undefined
  if (!unsafeFormats.test(fieldText(declaration, 'type'))) return undefined
  const name = quoteCode(fieldText(field(declaration, 'declarator') ?? declaration, 'name'))
  return {
    at: firstLine(declaration),
    title: `${name} is shared between threads, but is not thread-safe`,
    body:
      'When two threads use it at the same time, they silently mix up numbers and dates. Use ' +
      '`DateTimeFormatter`, or create one for each use.',
  }
}

export const javaRules: readonly Rule[] = [
  {
    id: 'equals-without-hash',
    summary: 'A class overrides `equals` without `hashCode`.',
    seeAlso: ['CWE-581', 'SpotBugs `HE_EQUALS_NO_HASHCODE`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: ['java'], nodes: ['method_declaration'], check: checkEquals }],
  },
  {
    id: 'shared-format',
    summary:
      "A `SimpleDateFormat` or other format that isn't thread-safe is shared between threads.",
    seeAlso: ['SpotBugs `STCAL_STATIC_SIMPLE_DATE_FORMAT_INSTANCE`'],
    severity: 'moderate',
    category: 'concurrency',
    confidence: 0.85,
    syntax: [{ languages: ['java'], nodes: ['field_declaration'], check: checkSharedFormat }],
  },
]
