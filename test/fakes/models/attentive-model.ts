// Finds the canary (a planted defect) among the files of a request, like an attentive model.
//
// It recognizes canaries by the text of the request only, without their names or locations.
import { reviewInstructions } from '../../../src/reviewers/prompts/review-prompt.ts'
import { asRecord, type ModelRequest, type Reply } from './reply.ts'

/** A new file in a request, and its defect. */
export interface NoticedCanary {
  readonly path: string
  readonly lines: readonly string[]
  readonly title: string
}

const instructionsPrefix = reviewInstructions('').slice(0, 100)

/** Returns whether a request asks for the review of a round. */
export function isReviewRequest(request: ModelRequest): boolean {
  return request.system.includes(instructionsPrefix)
}

/** Classes of defects by patterns of their code. */
const defectPatterns: readonly (readonly [RegExp, string])[] = [
  [
    /discounted.*\n?[\s\S]*price \+ \$?price \*|discounted[\s\S]*\$1 \+ \$1 \*/i,
    'The discount is added to the price',
  ],
  [/is_?below[\s\S]*(?:> \d+|-gt \d+)/i, 'It is below its limit only above it'],
  [
    /may_?delete[\s\S]*(?:!==? ['"]admin|!role\.equals|strcmp\(role, "admin"\) != 0)/i,
    'Everybody but the admin may delete',
  ],
  [/may_?open[\s\S]*['"][a-z]{8}\d{2}['"]/i, 'The password stands in the code'],
  [/where id = (?:\?|\$item)/i, 'One query runs for each item'],
  [/refresh[\s\S]*select \* from \w+(?! where)/i, 'All rows are read for each item'],
  [/(\w+[( ]\d+\)?).*(?:==|,|!=|=|toBe\().*\1/, 'The test compares a value with itself'],
  [
    /\b(\d+)(?:, | == | != | = |\)\.toBe\(|\)->toBe\()\1\b/,
    'The test compares a constant with itself',
  ],
  [/Never more than \d+\.\s[\s\S]*\+ \d{4}/, 'The comment promises a limit that there is not'],
  [/in_?seconds[\s\S]*\* 60 \+/i, 'The name says seconds, and minutes are computed'],
  [
    new RegExp(
      [
        'retries: \\d{4}',
        'minimum: \\d{4}\\n {2}maximum',
        'verify_certificates: false',
        'password: [a-z]{8}[0-9]{2}',
        'rows_per_query: 1$',
        'poll_milliseconds: 1$',
        'ignore_failures: true',
        'skip: always',
        '# Keeps \\d+ days\\.\\n {2}days: \\d{4}',
        'in seconds\\.\\n {2}length: \\d{5}',
      ].join('|'),
      'm',
    ),
    'The setting can not be meant so',
  ],
]

/** Longer files are real ones. */
const maxCanaryLines = 9

/** Returns the canary in a request if a careful reader can see it; undefined without one. */
export function findCanary(text: string): NoticedCanary | undefined {
  const blocks = text.matchAll(
    /<data-([0-9a-f]+) origin="diff"[^\n]* path="([^"\n]+)">\nadded file\n@@\n([\s\S]*?)\n<\/data-\1>/g,
  )
  for (const [, , path = '', body = ''] of blocks) {
    const lines = body.split('\n').map((line) => line.replace(/^(?:\d+ )?\+/, ''))
    const code = lines.join('\n')
    // Real files don't consist of a known defect with the file's own name in it.
    const stem = keepLetters(path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')).replace(
      /^test|tests?$/g,
      '',
    )
    if (lines.length > maxCanaryLines || stem.length < 11 || !keepLetters(code).includes(stem))
      continue
    const found = defectPatterns.find(([pattern]) => pattern.test(code))
    if (found) return { path, lines, title: found[1] }
  }
  return undefined
}

function keepLetters(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/g, '')
}

/** The finding that an attentive model reports for it. */
export function toCanaryFinding({ path, lines, title }: NoticedCanary): object {
  const at = lines.findIndex((line) => /[a-z]/.test(line)) + 1
  return {
    ...{
      path,
      side: 'RIGHT',
      start_line: at,
      end_line: lines.length,
      quote: lines.slice(at - 1).join('\n'),
    },
    ...{
      severity: 'moderate',
      category: 'correctness',
      title,
      body: `When \`${path}\` is used, then it goes wrong.`,
    },
    ...{
      suggestion: null,
      evidence: [{ path, line: at, note: 'here' }],
      confidence: 0.9,
      rests_on: null,
    },
  }
}

/** Adds the canary to the findings of a scripted answer, if it has a list of findings. */
export function addCanaryFinding<R extends Reply>(request: ModelRequest, reply: R): R {
  const noticed = isReviewRequest(request) ? findCanary(request.text) : undefined
  if (noticed === undefined || !('json' in reply)) return reply
  const findings = asRecord(reply.json).findings
  if (!Array.isArray(findings)) return reply
  return {
    ...reply,
    json: { ...asRecord(reply.json), findings: [toCanaryFinding(noticed), ...findings] },
  }
}
