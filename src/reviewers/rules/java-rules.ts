// Rules about Java: `equals` without `hashCode`, and formats that threads share.

import type { Node } from 'web-tree-sitter'
import type { Match } from '../../languages/rules/pattern-check.ts'
import { field, fieldText } from '../../languages/rules/syntax-nodes.ts'
import type { Rule } from './rule.ts'

function lacksHash({ node }: Match): boolean {
  const owner = node.parent
  if (owner?.type !== 'class_body' || !owner.parent) return false
  const hasHash = owner.namedChildren.some((member) => fieldText(member, 'name') === 'hashCode')
  return !hasHash && !mayInheritHash(owner.parent)
}

/** Whether a superclass or an annotation of Lombok may provide `hashCode`. */
function mayInheritHash(owner: Node): boolean {
  return (
    field(owner, 'superclass') !== undefined ||
    /@(?:Data|EqualsAndHashCode|Value)\b/.test(owner.text.slice(0, 500))
  )
}

const unsafeFormats = /^(?:SimpleDateFormat|DateFormat|DecimalFormat|NumberFormat)$/

function isStatic({ type, text }: Node): boolean {
  return type === 'modifiers' && /\bstatic\b/.test(text)
}

export const javaRules: readonly Rule[] = [
  {
    id: 'equals-without-hash',
    summary: 'A class overrides `equals` without `hashCode`.',
    seeAlso: ['CWE-581', 'SpotBugs `HE_EQUALS_NO_HASHCODE`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    title: 'This class overrides `equals` but not `hashCode`',
    body:
      'When two equal objects are put into a `HashMap` or `HashSet`, they have different ' +
      "hash codes, so a lookup doesn't find the equal object. Implement `hashCode` over the " +
      'same fields.',
    patterns: { java: ['boolean equals(Object $_) { $$$; }'] },
    refine: lacksHash,
  },
  {
    id: 'shared-format',
    summary:
      "A `SimpleDateFormat` or other format that isn't thread-safe is shared between threads.",
    seeAlso: ['SpotBugs `STCAL_STATIC_SIMPLE_DATE_FORMAT_INSTANCE`'],
    severity: 'moderate',
    category: 'concurrency',
    confidence: 0.85,
    title: '$NAME is shared between threads, but is not thread-safe',
    body:
      'When two threads use it at the same time, they silently mix up numbers and dates. Use ' +
      '`DateTimeFormatter`, or create one for each use.',
    patterns: { java: ['class C { «$FORMAT $NAME = $_;» }', 'class C { «$FORMAT $NAME;» }'] },
    where: { FORMAT: unsafeFormats },
    refine: ({ node }) => node.namedChildren.some(isStatic),
  },
]
