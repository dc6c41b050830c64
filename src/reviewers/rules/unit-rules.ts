// Rules about numbers whose names and uses disagree on their unit.
import type { Node } from 'web-tree-sitter'
import { readCall } from '../../languages/rules/calls.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import {
  describeUnit,
  differ,
  innerOf,
  lastNameOf,
  type Measured,
  unitNamed,
  unitOfName,
} from '../../languages/rules/measures.ts'
import { mixedMeasures } from '../../languages/rules/mixed-measures.ts'
import { outerParent } from '../../languages/rules/operations.ts'
import {
  codeChildren,
  fieldText,
  firstLine,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, Rule } from './rule.ts'

/** `time.Duration(options.TimeoutSeconds)` that isn't multiplied by a unit. */
function checkGoDuration(call: Node): Hit | undefined {
  const [value, ...others] = readCall(call).args
  if (fieldText(call, 'function') !== 'time.Duration' || !value || others.length > 0)
    return undefined
  const unit = unitOfName(lastNameOf(innerOf(value)) ?? '')
  if (unit?.kind !== 'time' || unit.scale < 1e-8) return undefined
  const product = productOf(call)
  if (product)
    return product.id === outerParent(call)?.id ? checkFactor(product, value, unit) : undefined
  if (isMultipliedLater(call)) return undefined
  return {
    at: firstLine(call),
    title: `Wrong unit of time: ${quoteCode(call.text)} is in nanoseconds`,
    body:
      `When ${quoteCode(value.text)} is in ${describeUnit(unit)}, this is too short. ` +
      'Multiply the duration by its unit, such as `time.Second`.',
  }
}

/** The largest product that an expression is a factor of: all of `-a * 24 * time.Hour`. */
function productOf(factor: Node): Node | undefined {
  let product: Node | undefined
  let node = outerParent(factor)
  while (node && /^(?:unary|binary)_expression$/.test(node.type)) {
    if (fieldText(node, 'operator') === '*') product = node
    node = outerParent(node)
  }
  return product
}

/** Whether a variable holds the duration, and another line multiplies it: `wait * time.Second`. */
function isMultipliedLater(call: Node): boolean {
  const list = outerParent(call)
  const statement = list?.type === 'expression_list' ? list.parent : undefined
  const name = statement && fieldText(statement, 'left')
  const fn = functionAround(call)
  return !!name && new RegExp(`\\b${name} *\\*|\\* *${name}\\b`).test(fn?.text ?? '')
}

/** `time.Duration(timeoutMs) * time.Second`. */
function checkFactor(product: Node, value: Node, unit: Measured): Hit | undefined {
  const factor = /\btime\.(\w*?)[sS]econd\b|\btime\.(Minute|Hour)\b/.exec(product.text)
  if (!factor) return undefined
  const used = unitNamed(`${factor[2] ?? `${factor[1]}second`}s`)!
  if (!differ(used, unit) || codeChildren(product).length !== 2) return undefined
  return {
    at: firstLine(product),
    title: `Wrong unit of time: ${quoteCode(value.text)} is multiplied by ${quoteCode(factor[0])}`,
    body:
      `When ${quoteCode(value.text)} is in ${describeUnit(unit)}, the duration is wrong ` +
      'by a factor. Multiply it by its own unit.',
  }
}

export const unitRules: readonly Rule[] = [
  {
    id: 'time-unit',
    summary:
      'A time, size or other measure is used in another unit than its name has, such as seconds ' +
      'as milliseconds.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [
      // Constants of C have short names that say little about their units.
      ...mixedMeasures.map((check) => ({ ...check, except: ['cpp'] as const })),
      { languages: ['go'], nodes: ['call_expression'], check: checkGoDuration },
    ],
  },
]
