// The rule about files that control later reviews: settings, Git attributes and code owners.

import type { DiffLine, FileDiff } from '../../domain/diff.ts'
import { settingsPaths } from '../../domain/repository-settings.ts'
import type { FileHit, Rule } from './rule.ts'

interface SettingsFile {
  readonly path: RegExp
  /** Returns those of the added and deleted lines that change later reviews. */
  select(lines: readonly DiffLine[]): readonly DiffLine[]
}

const isStatement = ({ text }: DiffLine) => !/^\s*(?:#|$)/.test(text)

/** Attributes that take files out of reviews. */
const excludesFiles = /\slinguist-(?:generated|vendored)(?:=(?!false(?:\s|$))\S*)?(?=\s|$)/

/** Attributes that bring files back into reviews: deleting such a line excludes the files. */
const includesFiles =
  /\s(?:[-!]linguist-(?:generated|vendored)|linguist-(?:generated|vendored)=false)(?=\s|$)/

/** A line of CODEOWNERS: a pattern, in which a backslash escapes a space, and its owners. */
function readOwners({ text }: DiffLine): { pattern: string; owners: readonly string[] } {
  const [pattern, ...owners] = text
    .replace(/\s#.*/, '')
    .trim()
    .split(/(?<!\\)\s+/)
  return { pattern: pattern!, owners }
}

/** Selects the lines that take files from their owners. The last pattern that fits counts. */
function selectLostOwners(lines: readonly DiffLine[]): readonly DiffLine[] {
  const statements = lines.filter(isStatement).map((line) => ({ line, ...readOwners(line) }))
  const lost = statements.filter(({ line, pattern, owners }) => {
    const replaced = statements.filter(
      (other) => other.pattern === pattern && other.line.kind !== line.kind,
    )
    if (line.kind === 'deleted')
      return !replaced.some((other) => owners.every((owner) => other.owners.includes(owner)))
    const isSection = /^\^?\[/.test(pattern)
    return (owners.length === 0 && !isSection) || (pattern === '*' && replaced.length === 0)
  })
  return lost.map(({ line }) => line)
}

const settingsFiles: readonly SettingsFile[] = [
  {
    path: new RegExp(`(?:^|/)(?:${settingsPaths.map((path) => RegExp.escape(path)).join('|')})$`),
    select: (lines) => lines.filter(isStatement),
  },
  {
    path: /^(?:(?:\.github|\.gitlab|\.gitea|\.forgejo|docs)\/)?CODEOWNERS$/,
    select: selectLostOwners,
  },
  {
    path: /(?:^|\/)\.gitattributes$/,
    select: (lines) =>
      lines
        .filter(isStatement)
        .filter(({ kind, text }) => (kind === 'added' ? excludesFiles : includesFiles).test(text)),
  },
]

function checkSettings(file: FileDiff): FileHit | undefined {
  const settings = findSettingsFile(file.path) ?? findSettingsFile(file.oldPath)
  if (!settings) return undefined
  const line = findChangedLine(file, settings)
  if (!line && !isMovedToOrFromSettings(file)) return undefined
  const number = line?.newLine ?? line?.oldLine ?? 1
  return {
    side: line?.kind === 'deleted' ? 'LEFT' : 'RIGHT',
    at: { startLine: number, endLine: number },
    title: 'This change alters how later changes are reviewed',
    body:
      'When this is merged, other files, rules or people decide about the next changes: less may ' +
      'be read, less may block, or others are asked. Check that this is intended.',
  }
}

function findSettingsFile(path: string): SettingsFile | undefined {
  return settingsFiles.find((each) => each.path.test(path))
}

/** The first added line that matters, or else the first deleted one. */
function findChangedLine(file: FileDiff, settings: SettingsFile): DiffLine | undefined {
  const changed = file.hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind !== 'context')
  const lines = settings.select(changed)
  return lines.find(({ kind }) => kind === 'added') ?? lines.find(({ kind }) => kind === 'deleted')
}

/** A file that is moved to or from the path of settings may have no changed line. */
function isMovedToOrFromSettings({ status, path, oldPath }: FileDiff): boolean {
  return status !== 'added' && findSettingsFile(path) !== findSettingsFile(oldPath)
}

export const reviewSettingsRules: readonly Rule[] = [
  {
    id: 'review-settings-change',
    summary:
      'The review settings change, files lose owners in CODEOWNERS, or `.gitattributes` excludes ' +
      'more files from reviews. One finding per file.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    file: checkSettings,
  },
]
