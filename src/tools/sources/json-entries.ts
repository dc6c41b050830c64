// Finds the entries in a source's JSON, in whatever wrappers, and formats them as text.
import { stringify } from 'yaml'

/** Fields that hold the title of an entry, in order of preference. */
export const titleFields = ['title', 'summary', 'subject', 'name', 'message']
/** Links and images that user interfaces need. */
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
const maxNameChars = 100
const maxRichTextDepth = 50

/** Finds the outermost objects that have a title, at most `limit`. */
export function findEntries(value: unknown, limit: number, depth = 0): object[] {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return []
  if (!Array.isArray(value) && ownField(value, titleFields) !== undefined) return [value]
  const found: object[] = []
  for (const part of Object.values(value).slice(0, maxItems)) {
    found.push(...findEntries(part, limit - found.length, depth + 1))
    if (found.length >= limit) break
    // A wrapper object has one property with the entries; the others hold metadata.
    if (!Array.isArray(value) && found.length > 0) break
  }
  return found
}

/** Finds the first non-empty text of these fields, in the entry or in its `fields` (Jira). */
export function ownField(entry: object, names: readonly string[]): string | undefined {
  const { fields } = entry as { fields?: unknown }
  const holders = typeof fields === 'object' && fields !== null ? [entry, fields] : [entry]
  for (const holder of holders) {
    for (const name of names) {
      const field = (holder as Record<string, unknown>)[name]
      if (typeof field === 'string' && field.trim() !== '') return field
    }
  }
  return undefined
}

/** Formats an entry as YAML, without empty values, and bounded in depth and size. */
export function formatEntry(entry: unknown): string {
  let remainingNodes = maxNodes

  function prune(value: unknown, depth: number): unknown {
    remainingNodes -= 1
    if (typeof value === 'string') return value.slice(0, maxTextChars).trim()
    if (typeof value !== 'object' || value === null) return value
    if (depth > maxDepth || remainingNodes < 0) return undefined
    if (isRichText(value)) return readRichText(value).slice(0, maxTextChars).trim()
    if (Array.isArray(value)) return value.slice(0, maxItems).map((part) => prune(part, depth + 1))
    const properties = Object.entries(value).slice(0, maxItems)
    const prunedProperties = properties.flatMap(([name, part]) => {
      const pruned = ignoredFields.has(name) ? null : prune(part, depth + 1)
      return isEmpty(pruned) ? [] : [[name.slice(0, maxNameChars), pruned]]
    })
    return Object.fromEntries(prunedProperties)
  }

  return stringify(prune(entry, 0) ?? null, { lineWidth: 0, aliasDuplicateObjects: false })
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Whether this is a document in the Atlassian Document Format. */
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

const blockTypes = new Set([
  'paragraph',
  'heading',
  'codeBlock',
  'listItem',
  'taskItem',
  'tableRow',
  'blockquote',
  'rule',
])

/** Reads the text of an Atlassian document, a line for each block. */
function readRichText(root: object): string {
  let remainingNodes = maxNodes

  function read(node: DocumentNode, depth: number): string {
    remainingNodes -= 1
    if (remainingNodes < 0 || depth > maxRichTextDepth) return ''
    if (typeof node !== 'object' || node === null) return ''
    if (typeof node.text === 'string') return node.text
    if (node.type === 'hardBreak') return '\n'
    const text = readContent(node, depth) || readAttributeText(node)
    return blockTypes.has(String(node.type)) ? `${text.replace(/\n$/, '')}\n` : text
  }

  function readContent({ content }: DocumentNode, depth: number): string {
    if (!Array.isArray(content)) return ''
    return content.map((part) => read(part, depth + 1)).join('')
  }

  return read(root as DocumentNode, 0)
}

/** Mentions and emoji have a text, and cards a URL. */
function readAttributeText({ attrs }: DocumentNode): string {
  return [attrs?.text, attrs?.url].find((text) => typeof text === 'string') ?? ''
}
