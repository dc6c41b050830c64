// Describes a change for the first spans of every round: pull request, files, issues, records.

import { toHostPath } from '../../contract/repository-name.ts'
import type { Change } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import type { ContextRecord } from '../../domain/live-context.ts'
import {
  isInDirectory,
  type PathInstructions,
  type RepositorySettings,
} from '../../domain/repository-settings.ts'
import { createGlobMatcher, createGlobMeter } from '../../lib/glob.ts'
import type { Citable, ContextSpan } from '../../reviewers/packed-context.ts'
import { type CountTokens, estimateTokens } from './count-tokens.ts'

interface Part {
  readonly origin: string
  readonly trust: ContextSpan['trust']
  /** Maximum share of a round's tokens, as its length depends on other people. */
  readonly share: number
  /** Writes the part. A detail of 1 is all of it, and smaller ones are shorter. */
  readonly write: (change: Change, detail: number) => string
  /** Whether it lists the changed files. */
  readonly isList?: boolean
  /** Returns what findings can cite at that detail. */
  readonly cite?: (change: Change, detail: number) => readonly Citable[]
}

const parts: readonly Part[] = [
  { origin: 'instructions', trust: 'base_branch', share: 1 / 8, write: listInstructions },
  { origin: 'pull_request', trust: 'untrusted', share: 1 / 16, write: describePullRequest },
  { origin: 'changed_files', trust: 'untrusted', share: 1 / 10, write: listFiles, isList: true },
  { origin: 'commits', trust: 'untrusted', share: 1 / 32, write: listCommits },
  { origin: 'issues', trust: 'untrusted', share: 1 / 20, write: listIssues },
  {
    origin: 'trackers_and_chats',
    trust: 'untrusted',
    share: 1 / 12,
    write: listRecords,
    cite: citeRecords,
  },
  { origin: 'earlier_findings', trust: 'untrusted', share: 1 / 20, write: listEarlier },
]

/** Returns the first spans of every round. Each part is shortened until it fits its share. */
export function describeChange(
  whole: Change,
  tokensPerRound: number,
  countTokens: CountTokens,
): ContextSpan[] {
  const instructions = chooseInstructions(whole)
  const change = { ...whole, settings: { ...whole.settings, ...instructions } }
  return parts.flatMap(({ origin, trust, share, write, isList, cite }) => {
    const written = shorten((detail) => write(change, detail), tokensPerRound * share, countTokens)
    const { text, tokens, detail } = written
    if (text === '') return []
    const renderWithFile = (file: FileDiff) =>
      write({ ...change, files: insertByPath(change.files, file) }, detail)
    const more = {
      ...(cite && { citable: cite(change, detail) }),
      ...(isList && { renderWithFile }),
    }
    return [{ origin, trust, path: null, text, tokens, ...more }]
  })
}

function insertByPath(files: readonly FileDiff[], file: FileDiff): FileDiff[] {
  const at = files.findIndex(({ path }) => path > file.path)
  return files.toSpliced(at === -1 ? files.length : at, 0, file)
}

interface Measured {
  readonly text: string
  readonly tokens: number
  readonly detail: number
}

function shorten(
  write: (detail: number) => string,
  maxTokens: number,
  countTokens: CountTokens,
): Measured {
  for (let detail = 1; ; detail /= 2) {
    const text = write(detail)
    // The estimate saves the tokenizer's time for text that is far below the limit.
    const estimate = Math.ceil(estimateTokens(text) * 1.5)
    const tokens = estimate <= maxTokens / 2 ? estimate : countTokens(text)
    if (tokens <= maxTokens || detail < 1 / 256) return { text, tokens, detail }
  }
}

function cut(text: string, length: number, detail: number): string {
  const maxLength = Math.ceil(length * detail)
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`
}

/** Chooses instructions that apply, or may apply, to a changed file. */
function chooseInstructions({
  settings,
  files,
}: Change): Pick<RepositorySettings, 'instructions' | 'directories'> {
  const meter = createGlobMeter()
  const choose = (all: readonly PathInstructions[], inside: readonly string[]) =>
    all.filter(({ paths }) => {
      const test = createGlobMatcher(paths, { meter })
      return inside.some((path) => paths.length === 0 || test(path) !== false)
    })
  const changed = files.map(({ path }) => path)
  return {
    instructions: choose(settings.instructions, changed),
    directories: settings.directories.map((one) => {
      const inside = changed
        .filter((path) => isInDirectory(path, one.directory))
        .map((path) => path.slice(one.directory.length + 1))
      return { ...one, instructions: choose(one.instructions, inside) }
    }),
  }
}

function listInstructions({ settings }: Change, detail: number): string {
  const list = (scope: string, { paths, text }: PathInstructions) => {
    const scopes = [scope, paths.join(', ')].filter((one) => one !== '')
    const intro = scopes.length === 0 ? '' : `For ${scopes.join(', ')}: `
    return `${intro}${cut(text, 10_000, detail)}`
  }
  return [
    ...settings.instructions.map((each) => list('', each)),
    ...settings.directories.flatMap(({ directory, instructions }) =>
      instructions.map((each) => list(`files in ${directory}/`, each)),
    ),
  ].join('\n')
}

function describePullRequest({ pullRequest }: Change, detail: number): string {
  const { title, author, base, head, body } = pullRequest
  return [
    `Title: ${cut(title, 500, detail)}`,
    `Author: ${cut(author, 100, detail)}`,
    `Branch: ${cut(head.branch, 250, detail)} into ${cut(base.branch, 250, detail)}`,
    ...(body.trim() === '' ? [] : [`Description:\n${cut(body, 12_000, detail)}`]),
  ].join('\n')
}

/** Groups files by folder, which saves tokens. Less detail leaves out sizes, then file names. */
function listFiles({ files }: Change, detail: number): string {
  const folders = Map.groupBy(files, ({ path }) => path.slice(0, path.lastIndexOf('/') + 1))
  const lines = [...folders].map(([folder, inside]) => {
    const name = cut(folder, 200, detail)
    if (detail < 1 / 4) return `${name} ${inside.length} files`
    const list = inside.map((file) => describeFile(file, detail)).join(', ')
    return name === '' ? list : `${name} ${list}`
  })
  const maxLines = Math.ceil(400 * detail)
  const more = lines.length > maxLines ? [`and ${lines.length - maxLines} more folders`] : []
  return ['Changed files:', ...lines.slice(0, maxLines), ...more].join('\n')
}

const statusMarks: Readonly<Record<FileDiff['status'], string>> = {
  added: ' (new)',
  deleted: ' (deleted)',
  renamed: ' (renamed)',
  copied: ' (copied)',
  modified: '',
}

function describeFile(
  { path, oldPath, status, additions, deletions }: FileDiff,
  detail: number,
): string {
  const name = cut(path.slice(path.lastIndexOf('/') + 1), 200, detail)
  if (detail < 1) return name
  const from = oldPath === path ? '' : ` from ${oldPath}`
  return `${name}${statusMarks[status]}${from} +${additions} -${deletions}`
}

function listCommits({ commits }: Change, detail: number): string {
  const maxCommits = Math.ceil(50 * detail)
  return commits
    .slice(-maxCommits)
    .map(({ message }) => `- ${cut(message.trim(), 1_000, detail)}`)
    .join('\n')
}

function listIssues({ issues }: Change, detail: number): string {
  return issues
    .slice(0, Math.ceil(10 * detail))
    .map(({ repo, number, title, state, body }) => {
      const heading = `${toHostPath(repo)}#${number} (${state}): ${cut(title, 300, detail)}`
      return `${heading}\n${cut(body.trim(), 4_000, detail)}`
    })
    .join('\n\n')
}

function listRecords(change: Change, detail: number): string {
  return chooseRecords(change, detail)
    .map(({ source, key, title, text }, index) => {
      const origin = key === null ? source : `${source} ${key}`
      return `${nameRecord(index)} (${origin}): ${title}\n${cut(text, 4_000, detail)}`
    })
    .join('\n\n')
}

function chooseRecords({ liveContext }: Change, detail: number): readonly ContextRecord[] {
  return liveContext.records.slice(0, Math.ceil(12 * detail))
}

function nameRecord(index: number): string {
  return `R${index + 1}`
}

function citeRecords(change: Change, detail: number): Citable[] {
  return chooseRecords(change, detail).map(({ text: _, ...citation }, index) => ({
    name: nameRecord(index),
    citation,
  }))
}

function listEarlier({ earlier }: Change, detail: number): string {
  return earlier.findings
    .slice(0, Math.ceil(100 * detail))
    .map(
      ({ path, startLine, severity, state, title }) =>
        `- ${state}, ${severity}, ${path}:${startLine}: ${title}`,
    )
    .join('\n')
}
