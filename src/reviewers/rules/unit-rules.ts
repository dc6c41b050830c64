// Rules about numbers whose names and uses disagree on the unit of time.
import type { Node } from 'web-tree-sitter'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  argumentsOf,
  calleeOf,
  callTypes,
  codeChildren,
  enclosingFunction,
  field,
  fieldText,
  firstLine,
  outerParent,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import {
  assignedUnit,
  type Unit,
  unitOf,
  unitOfArguments,
  unitOfClaims,
  unitOfOptions,
  unitOfSizes,
  unitOfTokenTimes,
} from '../../languages/rules/time-units.ts'
import { mixedUnits, unitOfAngles } from '../../languages/rules/value-units.ts'
import { readComparison } from './equality.ts'
import { allRuleLanguages, type Hit, type Rule } from './rule.ts'

/** Describes a value that has another unit than its use expects. */
function expectUnit(expected: Unit): (match: Match) => Partial<Hit> | undefined {
  return ({ node, get }) => {
    const value = get('VALUE')
    const unit = unitOf(value)
    if (!unit || unit === expected) return undefined
    const code = quoteCode(value.text)
    return {
      at: firstLine(value),
      title: `Wrong unit of time: ${code} is used as ${expected}`,
      body:
        `When ${quoteCode(node.text)} runs, ${code} is in ${unit} by its name, but ${expected} ` +
        'are expected. Convert it, or correct its name.',
    }
  }
}

/** What gets a value and the value: `timeoutMs = retry.seconds`. */
function readAssignment(node: Node): [Node | undefined, Node | undefined] {
  const target = field(node, 'name') ?? field(node, 'left') ?? field(node, 'key')
  const value = field(node, 'value') ?? field(node, 'right')
  return [singleOf(target), singleOf(value)]
}

/** Go's lists are unwrapped if they have one element. */
function singleOf(node: Node | undefined): Node | undefined {
  if (node?.type !== 'expression_list') return node
  return node.namedChildCount === 1 ? (node.namedChild(0) ?? undefined) : undefined
}

function checkAssignedUnit(node: Node): Hit | undefined {
  const [target, value] = readAssignment(node)
  // `seconds += MINUTE` may count in steps of another unit.
  if (!/^(?:|=|:=)$/.test(fieldText(node, 'operator'))) return undefined
  if (!target || !value) return undefined
  const [wanted, given] = [unitOf(target), unitOf(value)]
  return wanted && given && wanted !== given ? assignedUnit(target.text, value, wanted) : undefined
}

function checkMixedUnits(node: Node): Hit | undefined {
  const { left, right, operator } = readComparison(node) ?? {}
  if (!left || !right || !operator || !/^(?:[-+]|[<>]=?)$/.test(operator)) return undefined
  const units = [unitOf(left), unitOf(right)]
  if (!units[0] || !units[1] || units[0] === units[1]) return undefined
  // Clocks show hours, minutes and seconds, which may be compared.
  if (!units.some((unit) => unit && /^(?:milli|micro|nano)/.test(unit))) return undefined
  return {
    at: firstLine(node),
    title: `Wrong unit of time: ${quoteCode(node.text)} mixes ${units[0]} and ${units[1]}`,
    body:
      'When this runs, one of the operands is wrong by a factor of a thousand or more. Convert ' +
      'one of them, or correct its name.',
  }
}

/** `time.Duration(options.TimeoutSeconds)` that isn't multiplied by a unit. */
function checkGoDuration(call: Node): Hit | undefined {
  const [value, ...others] = argumentsOf(call)
  if (fieldText(call, 'function') !== 'time.Duration' || !value || others.length > 0)
    return undefined
  const unit = unitOf(value)
  if (!unit || unit === 'nanoseconds') return undefined
  const product = productOf(call)
  if (product)
    return product.id === outerParent(call)?.id ? checkFactor(product, value, unit) : undefined
  if (isMultipliedLater(call)) return undefined
  return {
    at: firstLine(call),
    title: `Wrong unit of time: ${quoteCode(call.text)} is in nanoseconds`,
    body:
      `When ${quoteCode(value.text)} is in ${unit}, as its name has it, this is far too short. ` +
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
  const fn = enclosingFunction(call)
  return !!name && new RegExp(`\\b${name} *\\*|\\* *${name}\\b`).test(fn?.text ?? '')
}

/** `time.Duration(timeoutMs) * time.Second`. */
function checkFactor(product: Node, value: Node, unit: Unit): Hit | undefined {
  const factor = /\btime\.(Milli|Micro|Nano)?[sS]econd\b/.exec(product.text)
  if (!factor) return undefined
  const used = `${factor[1] ?? ''}seconds`.toLowerCase()
  if (used === unit || codeChildren(product).length !== 2) return undefined
  return {
    at: firstLine(product),
    title: `Wrong unit of time: ${quoteCode(value.text)} is multiplied by ${quoteCode(factor[0])}`,
    body:
      `When ${quoteCode(value.text)} is in ${unit}, as its name has it, the duration is wrong by ` +
      'a factor. Multiply it by its own unit.',
  }
}

/** Whether `timeout` is in seconds: Playwright's is in milliseconds. */
function takesSeconds({ text }: Node): boolean {
  return /^(?:requests|httpx|subprocess|socket|urllib|asyncio)\b/.test(text)
}

export const unitRules: readonly Rule[] = [
  {
    id: 'time-unit',
    summary:
      'A time or size is used in another unit than its name has, such as seconds as milliseconds.',
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    title: 'Wrong unit of time',
    body: 'When this runs, the time is wrong by a factor.',
    syntax: [
      {
        patterns: {
          javascript: [
            'setTimeout($_, $VALUE)',
            'setInterval($_, $VALUE)',
            'AbortSignal.timeout($VALUE)',
            'new Date($VALUE)',
            'Date.now() + $VALUE',
            'Date.now() - $VALUE',
          ],
          java: [
            'Thread.sleep($VALUE)',
            'System.currentTimeMillis() + $VALUE',
            'System.currentTimeMillis() - $VALUE',
            'Instant.ofEpochMilli($VALUE)',
            'TimeUnit.MILLISECONDS.sleep($VALUE)',
          ],
          python: ['timedelta(milliseconds=$VALUE)', 'datetime.timedelta(milliseconds=$VALUE)'],
          go: ['time.UnixMilli($VALUE)'],
        },
        refine: expectUnit('milliseconds'),
      },
      {
        patterns: {
          python: [
            'time.sleep($VALUE)',
            'asyncio.sleep($VALUE)',
            'asyncio.wait_for($_, $VALUE)',
            'time.time() + $VALUE',
            'time.time() - $VALUE',
            'time.monotonic() + $VALUE',
            'timedelta(seconds=$VALUE)',
            'datetime.timedelta(seconds=$VALUE)',
            'datetime.fromtimestamp($VALUE, $$$)',
          ],
          java: ['Instant.ofEpochSecond($VALUE)', 'TimeUnit.SECONDS.sleep($VALUE)'],
          go: ['time.Unix($VALUE, $_)'],
        },
        refine: expectUnit('seconds'),
      },
      {
        patterns: { python: ['$CALLEE($$$, timeout=$VALUE, $$$)'] },
        where: { CALLEE: takesSeconds },
        refine: expectUnit('seconds'),
      },
      {
        languages: allRuleLanguages,
        nodes: [
          'variable_declarator',
          'assignment_expression',
          'assignment',
          'short_var_declaration',
          'assignment_statement',
          'keyed_element',
          'pair',
          'keyword_argument',
        ],
        check: checkAssignedUnit,
      },
      {
        languages: allRuleLanguages,
        nodes: ['binary_expression', 'binary_operator', 'comparison_operator'],
        check: checkMixedUnits,
      },
      { languages: ['go'], nodes: ['call_expression'], check: checkGoDuration },
      {
        languages: allRuleLanguages,
        ...unitOfArguments({
          calls: callTypes,
          calleeOf(call) {
            const { receiver, name } = calleeOf(call)
            return receiver ? `${receiver.text}.${name}` : name
          },
          argumentsOf,
        }),
      },
      {
        languages: allRuleLanguages,
        ...unitOfClaims(['pair', 'keyed_element', 'keyword_argument']),
      },
      {
        languages: allRuleLanguages,
        ...unitOfOptions(['pair', 'keyed_element', 'keyword_argument']),
      },
      { languages: allRuleLanguages, ...unitOfTokenTimes(['binary_expression']) },
      {
        languages: allRuleLanguages,
        ...mixedUnits([
          'binary_expression',
          'comparison_operator',
          'pair',
          'assignment',
          'assignment_expression',
          'variable_declarator',
          'keyword_argument',
        ]),
      },
      { languages: allRuleLanguages, ...unitOfAngles(callTypes) },
      {
        languages: allRuleLanguages,
        ...unitOfSizes(['binary_expression', 'comparison_operator']),
      },
    ],
  },
]
