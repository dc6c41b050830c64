// Finds sizes, distances, amounts and angles that are combined although their names have two units.
import type { Node } from 'web-tree-sitter'
import { codeFunctionTypes } from './function-code.ts'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import { enclosingNode, firstLine, quoteCode } from './syntax-nodes.ts'

const functions: ReadonlySet<string> = new Set(codeFunctionTypes)

/** The ends of names by their unit, in groups of units that measure the same. */
const measures: readonly (readonly (readonly [unit: string, ending: RegExp])[])[] = [
  [
    ['cents', /(?:^|_|[a-z])(?:[cC]ents|CENTS|minor_units?|MinorUnits?)$/],
    ['whole units', /(?:^|_|[a-z])(?:[dD]ollars|DOLLARS|[eE]uros|EUROS|major_units?|MajorUnits?)$/],
  ],
  [
    [
      'kilometers',
      /(?:^|_)(?:km|kilomet(?:er|re)s)$|[a-z](?:Km|KM|Kilomet(?:er|re)s)$|_KM$|\.(?:km|kilomet(?:er|re)s)$/,
    ],
    ['meters', /(?:^|_|\.)met(?:er|re)s$|[a-z]Met(?:er|re)s$|_MET(?:ER|RE)S$/],
    ['miles', /(?:^|_|\.)miles$|[a-z]Miles$|_MILES$/],
  ],
  [
    ['bytes', /(?:^|_|[a-z])(?:[bB]ytes|BYTES)$/],
    ['KB', /(?:_kb|_KB|[a-z](?:Kb|KB|KiB)|_kib|[kK]ilobytes)$/],
    ['MB', /(?:_mb|_MB|[a-z](?:Mb|MB|MiB)|_mib|[mM]egabytes)$/],
    ['GB', /(?:_gb|_GB|[a-z](?:Gb|GB|GiB)|_gib|[gG]igabytes)$/],
  ],
  [
    ['degrees', /(?:^|_|[a-z])(?:[dD]egrees|_deg|[a-z]Deg)$/],
    ['radians', /(?:^|_|[a-z])(?:[rR]adians|_rad|[a-z]Rad)$/],
  ],
]

const sides =
  /^\(?(?:const |let |var |val |mut )*["':]?([$@]?[\w.$>:?!-]{1,80}?)(?:["']|\(\))?\s*(?:[<>]=?|=>|:=|[-+]=?|=|:)(?!=)\s*([$@]?[A-Za-z_][\w.$>:?!-]{0,80}?)(?:\(\))?[;,)]?$/

function unitOf(name: string): readonly [measure: number, unit: string] | undefined {
  const plain = name.replace(/^get_?(?=[A-Z_])/, '')
  if (/per_|Per[A-Z]|_per$|to_|To[A-Z]/.test(plain)) return undefined
  for (const [index, measure] of measures.entries()) {
    const found = measure.find(([, ending]) => ending.test(plain))
    if (found) return [index, found[0]]
  }
  return undefined
}

/** `distanceKm <= MAX_METERS`, `{ amountCents: priceDollars }`. */
export function mixedUnits(nodes: readonly string[]): SyntaxCheck {
  return {
    nodes,
    check(node, { text }) {
      if (node.endIndex - node.startIndex > maxLength) return undefined
      const [, left, right] = sides.exec(node.text) ?? []
      return left && right ? mixOf(node, left, right, text) : undefined
    },
  }
}

function mixOf(node: Node, left: string, right: string, text: string): Hit | undefined {
  const isCharge = /^(?:unit_)?amount$/.test(left) && /stripe/i.test(text)
  const known = [isCharge ? unitOf('cents') : unitOf(left), unitOf(right)] as const
  if (!known[0] && !known[1]) return undefined
  const one = known[0] ?? unitOfValue(left, node)
  const other = known[1] ?? unitOfValue(right, node)
  return one && other && isMix(one, other)
    ? mixedHit(node, left, one[1], right, other[1])
    : undefined
}

type Measured = readonly [measure: number, unit: string]

function isMix([measure, unit]: Measured, [otherMeasure, otherUnit]: Measured): boolean {
  return measure === otherMeasure && unit !== otherUnit
}

const maxLength = 170

/** The unit of the value that a variable of the same function was set to. */
function unitOfValue(name: string, node: Node): readonly [number, string] | undefined {
  if (!/^[$@]?\w+$/.test(name)) return undefined
  const fn = enclosingNode(node, functions)
  const before = fn?.text.slice(0, Math.min(8_000, node.startIndex - fn.startIndex)) ?? ''
  const value = new RegExp(`(?<![\\w.])${RegExp.escape(name)}\\s*:?=\\s*([^\\n;]*[\\w)])`).exec(
    before,
  )?.[1]
  return value && /^[\w.$>()\s,-]*\.\w+$/.test(value) ? unitOf(value) : undefined
}

function mixedHit(node: Node, left: string, one: string, right: string, other: string): Hit {
  return {
    at: firstLine(node),
    title: `Wrong unit: ${quoteCode(left)} is in ${one}, and ${quoteCode(right)} in ${other}`,
    body: 'When this runs, one of them is wrong by a factor. Convert it, or correct its name.',
  }
}

const angle =
  /(?:^|\.)(?:sin|cos|tan)\(\s*([\w.]*?(?:[dD]egrees|_deg|[a-z]Deg))\s*\)$|^([\w.]*?(?:[dD]egrees|_deg))\.(?:sin|cos|tan)\(\)$/

/** `Math.sin(latitudeDegrees)`. */
export function unitOfAngles(nodes: readonly string[]): SyntaxCheck {
  return {
    nodes,
    check(node) {
      const match = angle.exec(node.text.slice(0, 120))
      const name = match?.[1] ?? match?.[2]
      if (!name || node.text.length > 120) return undefined
      return {
        at: firstLine(node),
        title: `Wrong unit: ${quoteCode(name)} is in degrees, but radians are expected`,
        body: 'When this runs, the result is that of another angle. Convert it to radians first.',
      }
    },
  }
}
