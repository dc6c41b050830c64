// Lines of a note that are commands: they are carried out, and removed from it.
import { accountPermission, permits } from '../access.ts'
import type { PullRequest, User } from '../entities.ts'
import { closePull, editPull, reopenPull, setDraft } from '../pull-requests.ts'
import { addLabel, removeLabel } from '../rest-labels.ts'
import type { ForgeState } from '../state.ts'
import { approve } from './approvals.ts'

type Run = (state: ForgeState, pull: PullRequest, by: User, text: string) => unknown

/** The label names of `~bug ~"needs work"`. */
const labelsIn = (text: string) =>
  [...text.matchAll(/~(?:"([^"]+)"|(\S+))/g)].map(([, quoted, plain]) => quoted ?? plain!)

/** Those of the commands that a reviewed text could contain by accident or by somebody's wish. */
const commands: Readonly<Record<string, Run>> = {
  close: (state, pull, by) => closePull(state, pull, by),
  reopen: (state, pull, by) => reopenPull(state, pull, by),
  draft: (state, pull, by) => setDraft(state, pull, true, by),
  ready: (state, pull, by) => setDraft(state, pull, false, by),
  title: (state, pull, by, text) => editPull(state, pull, { title: text }, by),
  label: (state, pull, by, text) =>
    labelsIn(text).forEach((name) => void addLabel(state, pull, name, by)),
  unlabel: (state, pull, by, text) =>
    labelsIn(text).forEach((name) => void removeLabel(state, pull, name, by)),
  approve: (state, pull, by) => approve(state, pull, by),
}

interface Extracted {
  /** The text without its commands. */
  readonly body: string
  readonly commands: readonly { readonly name: string; readonly text: string }[]
}

/**
 * The blocks that commands aren't looked for in: code with backticks, `>>>` quotes and HTML, where
 * their ends are there (lib/gitlab/quick_actions/extractor.rb). Tildes protect nothing.
 */
const blocks: readonly (readonly [begin: RegExp, end: RegExp])[] = [
  [/^```/, /^```$/],
  [/^>>>$/, /^>>>$/],
  [/^<[^>]+>$/, /^<\/[^>]+>$/],
]

/** Returns the line after the block that begins at a line; the same one where none does. */
function skipBlock(lines: readonly string[], start: number): number {
  const block = blocks.find(([begin]) => begin.test(lines[start]!))
  const end = lines.findIndex((line, index) => index > start && block?.[1].test(line))
  return block === undefined || end < 0 ? start : end + 1
}

/** Finds the commands of a text: whole lines, outside of blocks. */
export function extractCommands(text: string): Extracted {
  const found: { name: string; text: string }[] = []
  const lines = text.replaceAll('\r', '').split('\n')
  const kept: string[] = []
  for (let index = 0; index < lines.length; ) {
    const next = skipBlock(lines, index)
    const [, name = '', rest = ''] = /^\/([a-z_]+)(?: (.*))?$/i.exec(lines[index]!.trimEnd()) ?? []
    if (next > index) kept.push(...lines.slice(index, next))
    else if (name.toLowerCase() in commands) found.push({ name: name.toLowerCase(), text: rest })
    else kept.push(lines[index]!)
    index = Math.max(next, index + 1)
  }
  return { body: found.length === 0 ? text : kept.join('\n').trimEnd(), commands: found }
}

/** Carries commands out, where the account may. Returns the names of those that were. */
export async function runCommands(
  state: ForgeState,
  pull: PullRequest,
  by: User,
  { commands: found }: Extracted,
): Promise<string[]> {
  const mayChange = by === pull.author || permits(accountPermission(by, pull.repository), 'write')
  if (!mayChange) return []
  for (const { name, text } of found) await commands[name]!(state, pull, by, text)
  return found.map(({ name }) => name)
}
