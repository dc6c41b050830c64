// What the lines of a change are worth to a reviewer: where faults are likely, and rarely elsewhere.

import { isTestPath, languageOfPath } from '../../code/languages.ts'
import type { DiffLine, FileDiff } from '../../domain/diff.ts'

/** Faults stand in programs first; what tests, pages, data and prose get wrong costs less and is seen sooner. */
const weightOfLanguage = { programming: 1, markup: 0.6, data: 0.3, prose: 0.15 } as const
const weightOfTests = 0.35
const weightOfDeletedFile = 0.2

/** Languages that linguist files under markup, but that hold programs. */
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
const imports =
  /^\s*(import|from\s+\S+\s+import|use|using|require|require_relative|#include|package|export \* from)\b/
/** A literal, alone or under a key: a line of a table. */
const data =
  /^\s*(["'`]?[\w.-]+["'`]?\s*[:=]\s*)?(["'`][^"'`]*["'`]|[-+\d.xXa-fA-F_\s,]+)\s*[,;]?\s*$/
/** Longer lines are looked at from their beginning only. */
const longestWeighed = 300

/** What is gone can do little harm, but shows what was before; what stayed shows what the change is about. */
const weightOfKind: Readonly<Record<DiffLine['kind'], number>> = {
  added: 1,
  deleted: 0.4,
  context: 0.3,
}

/** The worth of a line to whoever looks for faults. */
export function weighLine({ kind, text }: DiffLine): number {
  return weightOfKind[kind] * weighText(text.slice(0, longestWeighed))
}

function weighText(text: string): number {
  if (!/\w/.test(text)) return 0.05
  if (comment.test(text) || imports.test(text)) return 0.25
  return data.test(text) ? 0.4 : 1
}
