// The rule about files that control later reviews: settings, Git attributes and code owners.

import type { DiffLine, FileDiff } from '../../domain/diff.ts'
import { settingsPaths } from '../../domain/repository-settings.ts'
import type { FileHit, Rule } from './rule.ts'

interface SettingsFile {
  readonly path: RegExp
  /** Whether an added or deleted line changes later reviews. */
  matters(line: DiffLine): boolean
}

const isStatement = ({ text }: DiffLine) => !/^\s*(?:#|$)/.test(text)

/** Attributes that take files out of reviews. */
const excludesFiles = /\slinguist-(?:generated|vendored)(?:=(?!false(?:\s|$))\S*)?(?=\s|$)/

/** Attributes that bring files back into reviews: deleting such a line excludes the files. */
const includesFiles =
  /\s(?:[-!]linguist-(?:generated|vendored)|linguist-(?:generated|vendored)=false)(?=\s|$)/

const settingsFiles: readonly SettingsFile[] = [
  {
    path: new RegExp(`(?:^|/)(?:${settingsPaths.map((path) => RegExp.escape(path)).join('|')})$`),
    matters: isStatement,
  },
  { path: /^(?:(?:\.github|\.gitlab|\.gitea|\.forgejo|docs)\/)?CODEOWNERS$/, matters: isStatement },
  {
    path: /(?:^|\/)\.gitattributes$/,
    matters: (line) =>
      isStatement(line) && (line.kind === 'added' ? excludesFiles : includesFiles).test(line.text),
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
  const lines = file.hunks.flatMap((hunk) => hunk.lines).filter((line) => settings.matters(line))
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
      'The review settings or a CODEOWNERS file change, or `.gitattributes` excludes more ' +
      'files from reviews. One finding per file.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    file: checkSettings,
  },
]
