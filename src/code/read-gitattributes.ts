// Reads what a repository's `.gitattributes` says about whose work its files are.
import { createGlobMatcher, createGlobMeter, type GlobMeter } from '../lib/glob.ts'

export const gitattributesPath = '.gitattributes'
/** Of a larger file nothing is read. */
export const maxGitattributesBytes = 64 * 1024
const maxRules = 200

/** What is said of a file; undefined where nothing is. */
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
  readonly mark: keyof LinguistAttributes
  readonly value: boolean | undefined
  readonly fits: (path: string) => boolean | undefined
}

/**
 * Reads `linguist-generated` and `linguist-vendored`, set, unset or taken back, as the file at the top of the
 * repository has them. Patterns in quotation marks and macros are passed over; where it gets too costly to tell which
 * fit, nothing is said.
 */
export function parseGitattributes(bytes: Uint8Array): ReadLinguistAttributes {
  const meter = createGlobMeter()
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/)
  const rules = lines
    .flatMap((line) => readLine(line, meter))
    .slice(-maxRules)
    .toReversed()
  if (rules.length === 0) return noLinguistAttributes
  // The last line that fits decides.
  const read = (path: string, mark: keyof LinguistAttributes) => {
    const rule = rules.find(
      (candidate) => candidate.mark === mark && candidate.fits(path) !== false,
    )
    return meter.remainingSteps > 0 ? rule?.value : undefined
  }
  return (path) => ({ generated: read(path, 'generated'), vendored: read(path, 'vendored') })
}

function readLine(line: string, meter: GlobMeter): AttributeRule[] {
  const [pattern = '', ...attributes] = line.trim().split(/[ \t]+/)
  if (/^(#|"|\[attr\]|$)/.test(pattern)) return []
  const marks = attributes.flatMap((attribute) => {
    const [, sign, mark, word] =
      /^([-!]?)linguist-(generated|vendored)(?:=(\w+))?$/.exec(attribute) ?? []
    if (mark === undefined) return []
    const value = sign === '!' ? undefined : sign !== '-' && word !== 'false'
    return [{ mark: mark as keyof LinguistAttributes, value }]
  })
  if (marks.length === 0) return []
  const fits = createGlobMatcher([pattern], { braces: false, meter })
  return marks.map((mark) => ({ ...mark, fits }))
}
