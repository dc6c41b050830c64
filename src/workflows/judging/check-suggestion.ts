// Checks suggested replacements: applies them in memory, parses the file, fixes or rejects them.

import type { SyntaxParser } from '../../code/syntax-parser.ts'
import type { Finding } from '../../domain/finding.ts'
import type { FileLines } from '../../git/line-reader.ts'
import { addsCommand } from './adds-command.ts'
import type { ChangeFiles } from './change-files.ts'
import { listUnpaired } from './list-unpaired.ts'

type SuggestedEdit = Pick<
  Finding,
  'rule' | 'path' | 'side' | 'startLine' | 'endLine' | 'suggestion'
>

/** Returns the suggestion that can be committed, or null if it was rejected. */
export type SuggestionCheck = (finding: SuggestedEdit) => Promise<string | null>

/** Models repeat up to this many lines around the range that they replace. */
const maxRepeatedLines = 4

/**
 * Creates the check for the suggestions of one change. It rejects a suggestion for deleted lines,
 * one that changes nothing, and one that adds syntax errors to the file. Without a grammar, or in a
 * file that already has errors, brackets and quotes must stay paired as they were.
 *
 * A suggestion by a model must also keep the indentation of its first line and must not add a
 * command, an action or a script. Lines that it repeats from around its range are removed.
 */
export function createSuggestionCheck(
  syntax: Pick<SyntaxParser, 'countErrors'>,
  files: ChangeFiles,
): SuggestionCheck {
  const errorCounts = new WeakMap<readonly string[], Promise<number | undefined>>()
  const countBefore = (path: string, lines: readonly string[]) => {
    const count = errorCounts.get(lines) ?? syntax.countErrors(path, lines.join('\n'))
    errorCounts.set(lines, count)
    return count
  }
  const isSound = async (path: string, edit: Edit): Promise<boolean> => {
    const before = await countBefore(path, edit.lines)
    const after = before === undefined ? undefined : await syntax.countErrors(path, applyEdit(edit))
    if (before === undefined || after === undefined) return edit.isRule || keepsPairs(edit)
    return after <= before && (before === 0 || edit.isRule || keepsPairs(edit))
  }
  return async (finding) => {
    const lines = finding.side === 'RIGHT' ? await files.head(finding.path) : null
    const edit = toEdit(finding, lines)
    if (edit === null) return null
    const candidates = edit.isRule ? [edit] : removeRepeats(edit)
    for (const candidate of candidates) {
      const isAccepted =
        hasEffect(candidate) &&
        keepsIndentation(candidate) &&
        !addsCommandByModel(candidate) &&
        (await isSound(finding.path, candidate))
      if (isAccepted) return candidate.replacement.join('\n')
    }
    return null
  }
}

interface Edit {
  readonly lines: readonly string[]
  /** Replaces the lines from index `from` up to, but without, index `to`. */
  readonly from: number
  readonly to: number
  readonly replacement: readonly string[]
  readonly isRule: boolean
}

function toEdit(
  { rule, startLine, endLine, suggestion }: SuggestedEdit,
  lines: FileLines,
): Edit | null {
  if (suggestion === null || !lines) return null
  const isInFile = startLine >= 1 && startLine <= endLine && endLine <= lines.length
  if (!isInFile) return null
  const replacement = suggestion.split(/\r?\n/)
  if (replacement.length > 1 && replacement.at(-1) === '') replacement.pop()
  return { lines, from: startLine - 1, to: endLine, replacement, isRule: rule !== null }
}

const listReplaced = ({ lines, from, to }: Edit): readonly string[] => lines.slice(from, to)

function applyEdit({ lines, from, to, replacement }: Edit): string {
  return [...lines.slice(0, from), ...replacement, ...lines.slice(to)].join('\n')
}

function addsCommandByModel(edit: Edit): boolean {
  return !edit.isRule && addsCommand(edit.replacement.join('\n'), listReplaced(edit).join('\n'))
}

/** Whether an edit changes more than the white space at the ends of lines. */
function hasEffect(edit: Edit): boolean {
  const normalize = (lines: readonly string[]) => lines.map((line) => line.trimEnd()).join('\n')
  return normalize(edit.replacement) !== normalize(listReplaced(edit))
}

/**
 * Returns the edit without the lines that it repeats from before or after its range, which models
 * add as context. If those lines are only brackets, the edit may be right as it is and comes first.
 */
function removeRepeats(edit: Edit): Edit[] {
  const { lines, from, to, replacement } = edit
  const before = lines.slice(Math.max(0, from - maxRepeatedLines), from)
  const head = countRepeated(replacement, before, listReplaced(edit))
  const rest = replacement.slice(head)
  const after = lines.slice(to, to + maxRepeatedLines)
  const tail = countRepeated(rest.toReversed(), after.toReversed(), listReplaced(edit).toReversed())
  if (head + tail === 0) return [edit]
  const trimmed = { ...edit, replacement: rest.slice(0, rest.length - tail) }
  const repeated = [...replacement.slice(0, head), ...rest.slice(rest.length - tail)]
  const isDistinctive = repeated.some((line) => /[\p{L}\p{N}]{2}/u.test(line))
  return [...(isDistinctive ? [] : [edit]), ...(trimmed.replacement.length > 0 ? [trimmed] : [])]
}

/**
 * Counts the first lines that equal the last ones of the context; 0 if `replaced` begins so too.
 */
function countRepeated(
  lines: readonly string[],
  context: readonly string[],
  replaced: readonly string[],
): number {
  for (let count = Math.min(context.length, lines.length); count > 0; count--) {
    const last = context.slice(context.length - count)
    const isPrefixOf = (other: readonly string[]) =>
      last.every((line, at) => other[at]?.trimEnd() === line.trimEnd())
    const hasText = last.some((line) => line.trim() !== '')
    if (hasText && isPrefixOf(lines)) return isPrefixOf(replaced) ? 0 : count
  }
  return 0
}

function keepsIndentation(edit: Edit): boolean {
  const readIndentation = (line: string | undefined) => /^[ \t]*/.exec(line ?? '')![0]
  const [firstReplaced] = listReplaced(edit)
  return edit.isRule || readIndentation(edit.replacement[0]) === readIndentation(firstReplaced)
}

/** Whether no bracket or quote loses its partner. */
function keepsPairs(edit: Edit): boolean {
  const unpairedAfter = listUnpaired(edit.replacement.join('\n'))
  const unpairedBefore = listUnpaired(listReplaced(edit).join('\n'))
  if (unpairedAfter === unpairedBefore) return true
  return listUnpaired(applyEdit(edit)).length < listUnpaired(edit.lines.join('\n')).length
}
