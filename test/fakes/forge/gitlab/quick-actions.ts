// Lines of a note that are commands: they are carried out and removed (lib/gitlab/quick_actions).
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

/** Finds the commands of a text: whole lines, outside of code blocks and quotes. */
export function extractCommands(text: string): Extracted {
  const found: { name: string; text: string }[] = []
  let fence: string | null = null
  const kept = text.split('\n').filter((line) => {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) {
      if (fence === null) fence = mark
      else if (mark.startsWith(fence)) fence = null
      return true
    }
    const [, name, rest] = /^\/([a-z_]+)(?: +(.*))?$/i.exec(line.trimEnd()) ?? []
    if (fence !== null || name === undefined || !(name.toLowerCase() in commands)) return true
    found.push({ name: name.toLowerCase(), text: rest ?? '' })
    return false
  })
  return { body: found.length === 0 ? text : kept.join('\n').trim(), commands: found }
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
