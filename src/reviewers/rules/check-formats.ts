// Runs the checks of formats that no grammar reads on the hunks of a file.
import type { DiffHunk, FileDiff } from '../../domain/diff.ts'
import { type Rule, type RuleFinding, toRuleFinding } from './rule.ts'
import type { FormatCheck, ShownText, TextFormat } from './text-format.ts'
import { textFormats } from './text-formats.ts'

/** Characters of a hunk that are read; larger ones are usually data. */
const maxText = 64 * 1024
const maxFindings = 200

interface ShownHunk extends ShownText {
  /** For each line of the text, its number at the head if it was added. */
  readonly added: readonly (number | undefined)[]
}

export async function checkFormats(file: FileDiff): Promise<RuleFinding[]> {
  const format = textFormats.find(({ files }) => files.test(file.path))
  if (!format) return []
  // Loading all rules takes time, and most files have none of these formats.
  const { rules } = await import('./index.ts')
  const rulesById = new Map(rules.map((rule) => [rule.id, rule]))
  const found = new Map<string, RuleFinding>()
  for (const hunk of file.hunks) {
    const shown = readHunk(hunk, file.path, format)
    for (const check of format.checks)
      for (const finding of runCheck(rulesById.get(check.rule)!, check, shown)) {
        const key = `${finding.rule}:${finding.startLine}`
        if (found.size < maxFindings && !found.has(key)) found.set(key, finding)
      }
  }
  return [...found.values()]
}

/** Joins the lines of a hunk at the head. Comments become spaces, so that offsets stay. */
function readHunk(hunk: DiffHunk, path: string, format: TextFormat): ShownHunk {
  const lines = hunk.lines.filter(({ kind }) => kind !== 'deleted')
  const joined = lines
    .map(({ text }) => text.replace(/\r$/, ''))
    .join('\n')
    .slice(0, maxText)
  const code = joined.replace(format.comment, (comment) => comment.replace(/[^\n]/g, ' '))
  return {
    path,
    text: format.continuesLines ? code.replaceAll('\\\n', '  ') : code,
    isStart: hunk.newStart <= 1,
    added: lineNumbersByOffset(joined, lines),
  }
}

/** Returns for each character the number of its line if that was added. */
function lineNumbersByOffset(
  text: string,
  lines: readonly { readonly kind: string; readonly newLine: number | null }[],
): (number | undefined)[] {
  const numbers: (number | undefined)[] = []
  let line = 0
  for (const character of text.split('')) {
    const { kind, newLine } = lines[line]!
    numbers.push(kind === 'added' ? newLine! : undefined)
    if (character === '\n') line += 1
  }
  return numbers
}

function* runCheck(rule: Rule, check: FormatCheck, shown: ShownHunk): Generator<RuleFinding> {
  for (const match of shown.text.matchAll(check.pattern)) {
    const start = match.index + /^[\s;]*/.exec(match[0])![0].length
    const line = shown.added[start]
    if (line === undefined || check.accept?.(match, shown) === false) continue
    const insert = (text: string) =>
      text.replace(/\$([12])/g, (_, group: string) => cutValue(match[Number(group)] ?? ''))
    yield toRuleFinding(rule, {
      at: { startLine: line, endLine: line },
      title: insert(check.title),
      body: insert(check.body),
      severity: check.severity,
    })
  }
}

function cutValue(text: string): string {
  return text
    .replace(/[`\s]+/g, ' ')
    .trim()
    .slice(0, 80)
}
