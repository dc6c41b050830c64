// The rule about files that decide how later changes are reviewed: settings, attributes and code owners.
import { settingsPaths } from '../../config/repository-settings.ts'
import type { DiffLine, FileDiff } from '../../domain/diff.ts'
import type { FileHit, Rule } from './rule.ts'

interface SettingsFile {
  readonly path: RegExp
  /** Whether a line that was added or deleted alters a later review. */
  matters(line: DiffLine): boolean
}

const isStatement = ({ text }: DiffLine) => !/^\s*(?:#|$)/.test(text)
const excludesFiles = /\slinguist-(?:generated|vendored)(?:=(?!false(?:\s|$))\S*)?(?=\s|$)/
const includesFiles =
  /\s(?:[-!]linguist-(?:generated|vendored)|linguist-(?:generated|vendored)=false)(?=\s|$)/

const settingsFiles: readonly SettingsFile[] = [
  {
    path: new RegExp(`^(?:${settingsPaths.map((path) => RegExp.escape(path)).join('|')})$`),
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
  const find = (path: string) => settingsFiles.find((each) => each.path.test(path))
  const settings = find(file.path) ?? find(file.oldPath)
  if (!settings) return undefined
  const lines = file.hunks.flatMap((hunk) => hunk.lines).filter((line) => settings.matters(line))
  const line =
    lines.find(({ kind }) => kind === 'added') ?? lines.find(({ kind }) => kind === 'deleted')
  // A file that is moved to such a place, or away from it, may have no changed line at all.
  const isMoved = file.status !== 'added' && find(file.path) !== find(file.oldPath)
  if (!line && !isMoved) return undefined
  const number = line?.newLine ?? line?.oldLine ?? 1
  return {
    side: line?.kind === 'deleted' ? 'LEFT' : 'RIGHT',
    at: { startLine: number, endLine: number },
    title: 'This change alters how later changes are reviewed',
    body: 'When this is merged, other files, rules or people decide about the next changes: less may be read, less may block, or others are asked. See that it is meant.',
  }
}

export const reviewSettingsRules: readonly Rule[] = [
  {
    id: 'review-settings-change',
    summary:
      'The settings of the reviews or a CODEOWNERS file change, or `.gitattributes` takes more files out of reviews. One finding a file.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    file: checkSettings,
  },
]
