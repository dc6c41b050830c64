// Weighs files and lines by how likely a bug in them is.

import type { DiffLine, FileDiff } from '../../domain/diff.ts'
import { languageOfPath } from '../../languages/linguist.ts'
import { isTestPath } from '../../languages/test-paths.ts'

/**
 * Errors in tests, markup, data and prose cost less than those in programs and are found sooner.
 */
const weightOfLanguage = { programming: 1, markup: 0.6, data: 0.3, prose: 0.15 } as const
const weightOfTests = 0.35
const weightOfDeletedFile = 0.2

/** Linguist classifies these languages as markup, but they contain code. */
const mixedLanguages = new Set([
  'Vue',
  'Svelte',
  'Astro',
  'HTML+ERB',
  'EJS',
  'Blade',
  'Twig',
  'Jinja',
])

export function weighFile(file: FileDiff): number {
  const language = languageOfPath(file.path)
  const kind =
    language && mixedLanguages.has(language.name) ? 'programming' : (language?.type ?? 'data')
  const weight = weightOfLanguage[kind] * (isTestPath(file.path) ? weightOfTests : 1)
  return file.status === 'deleted' ? weight * weightOfDeletedFile : weight
}

const comment =
  /^\s*(\/\/|\/\*|\*|#(?!\s*(if|else|elif|define|undef|pragma|include)\b)|--|<!--|;|%|"""|''')/
const importStatement =
  /^\s*(import|from\s+\S+\s+import|use|using|require|require_relative|#include|package|export \* from)\b/
/** Recognizes a line that is only a literal, or a key and a literal. */
const data =
  /^\s*(["'`]?[\w.-]+["'`]?\s*[:=]\s*)?(["'`][^"'`]*["'`]|[-+\d.xXa-fA-F_\s,]+)\s*[,;]?\s*$/
/** Only this many characters of a line are looked at. */
const maxWeighedLength = 300

/** Deleted and unchanged lines matter less, but help to understand the change. */
const weightOfKind: Readonly<Record<DiffLine['kind'], number>> = {
  added: 1,
  deleted: 0.4,
  context: 0.3,
}

export function weighLine({ kind, text }: DiffLine): number {
  return weightOfKind[kind] * weighText(text.slice(0, maxWeighedLength))
}

/** Whether a line is neither a comment nor an import. */
export function isStatement(text: string): boolean {
  return !comment.test(text) && !importStatement.test(text)
}

function weighText(text: string): number {
  if (!/\w/.test(text)) return 0.05
  if (comment.test(text) || importStatement.test(text)) return 0.25
  return data.test(text) ? 0.4 : 1
}
