// Reads what changed in a delivered merge request, and names it as the service does.
import { z } from 'zod'

const change = z.object({ previous: z.unknown(), current: z.unknown() }).optional().catch(undefined)

const label = z.object({ id: z.int(), title: z.string().min(1) })
const reviewer = z.object({
  id: z.int(),
  username: z.string().min(1),
  re_requested: z.boolean().catch(false),
})

function listOf<T>(item: z.ZodType<T>) {
  const items = z.array(item).catch([])
  return z.object({ previous: items, current: items }).optional().catch(undefined)
}

const changesSchema = z
  .object({
    title: change,
    target_branch: change,
    draft: change,
    labels: listOf(label),
    reviewers: listOf(reviewer),
  })
  .catch({})
type Changes = z.output<typeof changesSchema>

const attributes = z
  .object({
    action: z.string().min(1).max(100).nullable().catch(null),
    oldrev: z.string().nullable().catch(null),
  })
  .catch({ action: null, oldrev: null })

const actions: ReadonlyMap<string, string> = new Map([
  ['open', 'opened'],
  ['close', 'closed'],
  ['merge', 'closed'],
  ['reopen', 'reopened'],
])

/**
 * The action of a delivery. An update may change several things at once: what needs a review most
 * is named. `oldrev` is there for a push alone.
 */
export function readAction(objectAttributes: unknown, changes: unknown): string | null {
  const { action, oldrev } = attributes.parse(objectAttributes)
  if (action !== 'update') return action === null ? null : (actions.get(action) ?? action)
  return oldrev === null || oldrev === '' ? nameChange(changesSchema.parse(changes)) : 'synchronize'
}

function nameChange(changes: Changes): string {
  const { draft, title, target_branch: base } = changes
  if (draft !== undefined && draft.previous !== draft.current)
    return draft.current === false ? 'ready_for_review' : 'converted_to_draft'
  if (title !== undefined || base !== undefined) return 'edited'
  const kind = findNamedChange(changes)?.kind
  return kind === 'reviewer_requested' ? 'review_requested' : (kind ?? 'updated')
}

/** Whether the settings may decide otherwise now, or the diff is another one. */
export function changesBaseOrTitle(changes: unknown): boolean {
  const { title, target_branch: base } = changesSchema.parse(changes)
  return title !== undefined || base !== undefined
}

interface NamedChange {
  readonly kind: 'labeled' | 'unlabeled' | 'reviewer_requested'
  readonly subject: string
}

/** What may request something: a delivery can't name more than one, so the first is taken. */
export function readNamedChange(changes: unknown): NamedChange | null {
  return findNamedChange(changesSchema.parse(changes))
}

function findNamedChange({ labels, reviewers }: Changes): NamedChange | null {
  const asked = reviewers && findAdded(reviewers)
  if (asked) return { kind: 'reviewer_requested', subject: asked.username }
  if (labels === undefined) return null
  const added = findAdded(labels)
  if (added) return { kind: 'labeled', subject: added.title }
  const removed = findAdded({ previous: labels.current, current: labels.previous })
  return removed ? { kind: 'unlabeled', subject: removed.title } : null
}

function findAdded<T extends { id: number; re_requested?: boolean }>(list: {
  previous: readonly T[]
  current: readonly T[]
}): T | undefined {
  const known = new Set(list.previous.map(({ id }) => id))
  return list.current.find(({ id, re_requested: again }) => again || !known.has(id))
}
