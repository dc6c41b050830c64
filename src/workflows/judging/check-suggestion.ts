// Whether a suggested replacement may be offered to be committed as it is: applied in memory, parsed, mended or refused.

import type { SyntaxParser } from '../../code/syntax-parser.ts'
import type { Finding } from '../../domain/finding.ts'
import type { FileLines } from '../../git/line-reader.ts'
import { addsCommand } from './adds-command.ts'
import type { ChangeFiles } from './change-files.ts'
import { listUnpaired } from './list-unpaired.ts'

/** The parts of a finding that say what is to be replaced by what. */
export type SuggestedEdit = Pick<
  Finding,
  'rule' | 'path' | 'side' | 'startLine' | 'endLine' | 'suggestion'
>

/** Returns the suggestion as it may be offered; null when it may not. */
export type SuggestionCheck = (finding: SuggestedEdit) => Promise<string | null>

/** Most lines around its range that a suggestion repeats by mistake. */
const maxRepeated = 4

/**
 * Makes the check for the suggestions of one change. One is refused on the old side, without any change, and where the
 * file with it has more errors of syntax than before. Without a grammar for the file, or where it had errors already,
 * brackets and quotes must have the partners that they had before. A model's must begin at the indentation of what it
 * replaces, and lines that it repeats from around its range are taken out. One of a model's that brings a command, an
 * action or a script that runs is refused: it is a proposal to read, and not one to commit with a click.
 */
export function createSuggestionCheck(
  syntax: Pick<SyntaxParser, 'countErrors'>,
  files: ChangeFiles,
): SuggestionCheck {
  const errorsBefore = new WeakMap<readonly string[], Promise<number | undefined>>()
  const countBefore = (path: string, lines: readonly string[]) => {
    const known = errorsBefore.get(lines) ?? syntax.countErrors(path, lines.join('\n'))
    errorsBefore.set(lines, known)
    return known
  }
  const isSound = async (path: string, edit: Edit): Promise<boolean> => {
    const before = await countBefore(path, edit.lines)
    const after = before === undefined ? undefined : await syntax.countErrors(path, applyEdit(edit))
    if (before === undefined || after === undefined) return edit.isRule || hasPartners(edit)
    return after <= before && (before === 0 || edit.isRule || hasPartners(edit))
  }
  return async (finding) => {
    const edit = editOf(finding, finding.side === 'RIGHT' ? await files.head(finding.path) : null)
    if (edit === null) return null
    for (const mended of edit.isRule ? [edit] : withoutRepeats(edit)) {
      const isOffered =
        changes(mended) &&
        isIndented(mended) &&
        !runs(mended) &&
        (await isSound(finding.path, mended))
      if (isOffered) return mended.replacement.join('\n')
    }
    return null
  }
}

/** Some lines of a file, and what is to stand instead of them. */
interface Edit {
  readonly lines: readonly string[]
  /** Index of the first line that is replaced, and of the first after them. */
  readonly from: number
  readonly to: number
  readonly replacement: readonly string[]
  readonly isRule: boolean
}

function editOf(
  { rule, startLine, endLine, suggestion }: SuggestedEdit,
  lines: FileLines,
): Edit | null {
  if (
    suggestion === null ||
    !lines ||
    startLine < 1 ||
    startLine > endLine ||
    endLine > lines.length
  )
    return null
  const replacement = suggestion.split(/\r?\n/)
  if (replacement.length > 1 && replacement.at(-1) === '') replacement.pop()
  return { lines, from: startLine - 1, to: endLine, replacement, isRule: rule !== null }
}

const replacedOf = ({ lines, from, to }: Edit): readonly string[] => lines.slice(from, to)

function applyEdit({ lines, from, to, replacement }: Edit): string {
  return [...lines.slice(0, from), ...replacement, ...lines.slice(to)].join('\n')
}

/** Whether a model's edit brings something that runs. */
function runs(edit: Edit): boolean {
  return !edit.isRule && addsCommand(edit.replacement.join('\n'), replacedOf(edit).join('\n'))
}

/** White space at the ends of lines is no change. */
function changes(edit: Edit): boolean {
  const plain = (lines: readonly string[]) => lines.map((line) => line.trimEnd()).join('\n')
  return plain(edit.replacement) !== plain(replacedOf(edit))
}

/**
 * The edit without the lines that it repeats from before or after its range, as models do that show where a line goes.
 * Where those lines say nothing by themselves (a closing bracket), it may be meant as it stands: that comes first.
 */
function withoutRepeats(edit: Edit): Edit[] {
  const { lines, from, to, replacement } = edit
  const before = lines.slice(Math.max(0, from - maxRepeated), from)
  const head = countRepeated(replacement, before, replacedOf(edit))
  const rest = replacement.slice(head)
  const flip = (some: readonly string[]) => some.toReversed()
  const tail = countRepeated(
    flip(rest),
    flip(lines.slice(to, to + maxRepeated)),
    flip(replacedOf(edit)),
  )
  if (head + tail === 0) return [edit]
  const mended = { ...edit, replacement: rest.slice(0, rest.length - tail) }
  const repeated = [...replacement.slice(0, head), ...rest.slice(rest.length - tail)]
  const isTelling = repeated.some((line) => /[\p{L}\p{N}]{2}/u.test(line))
  return [...(isTelling ? [] : [edit]), ...(mended.replacement.length > 0 ? [mended] : [])]
}

/** How many first lines are the last ones of the context; 0 where what is replaced began with them too. */
function countRepeated(
  lines: readonly string[],
  context: readonly string[],
  replaced: readonly string[],
): number {
  for (let count = Math.min(context.length, lines.length); count > 0; count--) {
    const last = context.slice(context.length - count)
    const begins = (some: readonly string[]) =>
      last.every((line, at) => some[at]?.trimEnd() === line.trimEnd())
    if (last.some((line) => line.trim() !== '') && begins(lines))
      return begins(replaced) ? 0 : count
  }
  return 0
}

function isIndented(edit: Edit): boolean {
  const indentationOf = (line: string | undefined) => /^[ \t]*/.exec(line ?? '')![0]
  return edit.isRule || indentationOf(edit.replacement[0]) === indentationOf(replacedOf(edit)[0])
}

/** Whether no bracket or quote lost its partner. */
function hasPartners(edit: Edit): boolean {
  if (listUnpaired(edit.replacement.join('\n')) === listUnpaired(replacedOf(edit).join('\n')))
    return true
  return listUnpaired(applyEdit(edit)).length < listUnpaired(edit.lines.join('\n')).length
}
