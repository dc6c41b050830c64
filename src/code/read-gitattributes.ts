// Reads which files `.gitattributes` marks as generated or vendored.
import { createGlobMatcher, createGlobMeter, type GlobMeter } from '../lib/glob.ts'

export const gitattributesPath = '.gitattributes'
/** A larger file is ignored. */
export const maxGitattributesBytes = 64 * 1024
const maxRules = 200

/** A value is undefined if no rule sets it. */
export interface LinguistAttributes {
  readonly generated: boolean | undefined
  readonly vendored: boolean | undefined
}

export type ReadLinguistAttributes = (path: string) => LinguistAttributes

export const noLinguistAttributes: ReadLinguistAttributes = () => ({
  generated: undefined,
  vendored: undefined,
})

interface AttributeRule {
  readonly attribute: keyof LinguistAttributes
  readonly value: boolean | undefined
  readonly matches: (path: string) => boolean | undefined
}

/**
 * Parses the attributes `linguist-generated` and `linguist-vendored` of the repository's top-level
 * file. Quoted patterns and macros are skipped. If matching gets too costly, values are undefined.
 */
export function parseGitattributes(bytes: Uint8Array): ReadLinguistAttributes {
  const meter = createGlobMeter()
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/)
  // The last line that matches decides.
  const rules = lines
    .flatMap((line) => parseLine(line, meter))
    .slice(-maxRules)
    .toReversed()
  if (rules.length === 0) return noLinguistAttributes
  const read = (path: string, attribute: keyof LinguistAttributes) => {
    const rule = rules.find(
      (candidate) => candidate.attribute === attribute && candidate.matches(path) !== false,
    )
    return meter.remainingSteps > 0 ? rule?.value : undefined
  }
  return (path) => ({ generated: read(path, 'generated'), vendored: read(path, 'vendored') })
}

function parseLine(line: string, meter: GlobMeter): AttributeRule[] {
  const [pattern = '', ...settings] = line.trim().split(/[ \t]+/)
  if (/^(#|"|\[attr\]|$)/.test(pattern)) return []
  const attributes = settings.map(parseSetting).filter((setting) => setting !== undefined)
  if (attributes.length === 0) return []
  const matches = createGlobMatcher([pattern], { braces: false, meter })
  return attributes.map((attribute) => ({ ...attribute, matches }))
}

/** Parses `name`, `-name`, `!name` or `name=value` (gitattributes(5)). */
function parseSetting(setting: string): Pick<AttributeRule, 'attribute' | 'value'> | undefined {
  const match = /^([-!]?)linguist-(generated|vendored)(?:=(\w+))?$/.exec(setting)
  if (match === null) return undefined
  const [, sign, name, value] = match
  const attribute = name as keyof LinguistAttributes
  if (sign === '!') return { attribute, value: undefined }
  return { attribute, value: sign !== '-' && value !== 'false' }
}
