// Reads what a repository's `.gitattributes` says about whose work its files are.
import { createGlobTest, type GlobMeter, startGlobMeter } from '../lib/glob.ts'

export const attributesPath = '.gitattributes'
/** Of a larger file nothing is read. */
export const maxAttributesBytes = 64 * 1024
const mostRules = 200

/** What is said of a file; undefined where nothing is. */
export interface FileMarks {
  readonly generated: boolean | undefined
  readonly vendored: boolean | undefined
}

export type ReadMarks = (path: string) => FileMarks

export const noMarks: ReadMarks = () => ({ generated: undefined, vendored: undefined })

interface MarkRule {
  readonly mark: keyof FileMarks
  readonly value: boolean | undefined
  readonly fits: (path: string) => boolean | undefined
}

/**
 * Reads `linguist-generated` and `linguist-vendored`, set, unset or taken back, as the file at the top of the
 * repository has them. Patterns in quotation marks and macros are passed over; where it gets too costly to tell which
 * fit, nothing is said.
 */
export function readAttributes(bytes: Uint8Array): ReadMarks {
  const meter = startGlobMeter()
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/)
  const rules = lines
    .flatMap((line) => readLine(line, meter))
    .slice(-mostRules)
    .toReversed()
  if (rules.length === 0) return noMarks
  // The last line that fits decides.
  const read = (path: string, mark: keyof FileMarks) => {
    const rule = rules.find(
      (candidate) => candidate.mark === mark && candidate.fits(path) !== false,
    )
    return meter.left > 0 ? rule?.value : undefined
  }
  return (path) => ({ generated: read(path, 'generated'), vendored: read(path, 'vendored') })
}

function readLine(line: string, meter: GlobMeter): MarkRule[] {
  const [pattern = '', ...attributes] = line.trim().split(/[ \t]+/)
  if (/^(#|"|\[attr\]|$)/.test(pattern)) return []
  const marks = attributes.flatMap((attribute) => {
    const [, sign, mark, word] =
      /^([-!]?)linguist-(generated|vendored)(?:=(\w+))?$/.exec(attribute) ?? []
    if (mark === undefined) return []
    const value = sign === '!' ? undefined : sign !== '-' && word !== 'false'
    return [{ mark: mark as keyof FileMarks, value }]
  })
  if (marks.length === 0) return []
  const fits = createGlobTest([pattern], { braces: false, meter })
  return marks.map((mark) => ({ ...mark, fits }))
}
