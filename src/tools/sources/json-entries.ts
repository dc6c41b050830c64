// Finds the things that a source tells of in its JSON, whatever they are wrapped in, and writes them down for a reader. Pure.
import { stringify } from 'yaml'

/** What things are called by, the first that is there. */
export const titleFields = ['title', 'summary', 'subject', 'name', 'message']
/** They say nothing about the thing. */
const ignoredFields = new Set([
  'self',
  'expand',
  'avatarUrls',
  'avatarUrl',
  'iconUrl',
  'avatar_url',
  'icon_url',
])

const maxDepth = 6
const maxNodes = 2_000
const maxItems = 50
const maxTextChars = 6_000

/** What has a title: the outermost ones, at most so many. */
export function findEntries(value: unknown, most: number, depth = 0): object[] {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return []
  if (!Array.isArray(value) && ownField(value, titleFields) !== undefined) return [value]
  const found: object[] = []
  for (const part of Object.values(value).slice(0, maxItems)) {
    found.push(...findEntries(part, most - found.length, depth + 1))
    if (found.length >= most) break
    // Of an object's parts, one holds the things.
    if (!Array.isArray(value) && found.length > 0) break
  }
  return found
}

/** The text of the first of these fields that it has itself, or in its `fields`, as trackers have it. */
export function ownField(entry: object, names: readonly string[]): string | undefined {
  const { fields } = entry as { fields?: unknown }
  const places = typeof fields === 'object' && fields !== null ? [entry, fields] : [entry]
  for (const place of places) {
    for (const name of names) {
      const field = (place as Record<string, unknown>)[name]
      if (typeof field === 'string' && field.trim() !== '') return field
    }
  }
  return undefined
}

/** What it says, as lines; without what is empty. */
export function formatEntry(entry: unknown): string {
  let left = maxNodes

  function prune(value: unknown, depth: number): unknown {
    left -= 1
    if (typeof value === 'string') return value.slice(0, maxTextChars).trim()
    if (typeof value !== 'object' || value === null) return value
    if (depth > maxDepth || left < 0) return undefined
    if (isRichText(value)) return readRichText(value).slice(0, maxTextChars).trim()
    if (Array.isArray(value)) return value.slice(0, maxItems).map((part) => prune(part, depth + 1))
    const parts = Object.entries(value).slice(0, maxItems)
    const kept = parts.flatMap(([name, part]) => {
      const pruned = ignoredFields.has(name) ? null : prune(part, depth + 1)
      return isEmpty(pruned) ? [] : [[name.slice(0, 100), pruned]]
    })
    return Object.fromEntries(kept)
  }

  return stringify(prune(entry, 0) ?? null, { lineWidth: 0, aliasDuplicateObjects: false })
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Atlassian's form of rich text. */
function isRichText(value: object): boolean {
  const { type, content } = value as { type?: unknown; content?: unknown }
  return type === 'doc' && Array.isArray(content)
}

interface DocumentNode {
  readonly type?: unknown
  readonly text?: unknown
  readonly content?: unknown
  readonly attrs?: { readonly text?: unknown; readonly url?: unknown }
}

const blocks = new Set([
  'paragraph',
  'heading',
  'codeBlock',
  'listItem',
  'taskItem',
  'tableRow',
  'blockquote',
  'rule',
])

/** Its text, a line for each block. */
function readRichText(root: object): string {
  let left = maxNodes

  function read(node: DocumentNode, depth: number): string {
    left -= 1
    if (left < 0 || depth > 50 || typeof node !== 'object' || node === null) return ''
    if (typeof node.text === 'string') return node.text
    if (node.type === 'hardBreak') return '\n'
    const inside = Array.isArray(node.content)
      ? node.content.map((part) => read(part, depth + 1)).join('')
      : ''
    const said =
      inside || [node.attrs?.text, node.attrs?.url].find((text) => typeof text === 'string') || ''
    return blocks.has(String(node.type)) ? `${String(said).replace(/\n$/, '')}\n` : String(said)
  }

  return read(root as DocumentNode, 0)
}
