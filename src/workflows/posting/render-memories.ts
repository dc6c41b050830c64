// Renders memories about the changed files, for reviews without a model that could use them.

import type { FileDiff } from '../../domain/diff.ts'
import type { AppliedMemory } from '../../domain/memory.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import { codeSpan, escapeLine } from './escape-markdown.ts'

const maxMemories = 3
const maxTextLength = 240
/** These types are about how code has to be, or what to look out for. */
const relevantTypes: ReadonlySet<string> = new Set(['decision', 'project_pattern', 'risk_module'])

export interface FileLocation {
  readonly commit: string
  readonly path: string
  readonly line: number | null
}

/**
 * Returns memories by people or from the default branch about a changed file or a directory it is
 * in, the nearest directory first. Those about the whole repository would repeat in each review.
 */
export function chooseMemories(
  memories: readonly AppliedMemory[],
  files: readonly Pick<FileDiff, 'path' | 'oldPath'>[],
): AppliedMemory[] {
  const touched = files.flatMap(({ path, oldPath }) => [path, oldPath])
  const depth = ({ path }: AppliedMemory) => path?.split('/').length ?? 0
  return memories
    .filter(
      ({ trust, type }) =>
        (trust === 'person' || trust === 'repository') && relevantTypes.has(type),
    )
    .filter(
      ({ path }) => path !== null && path !== '.' && touched.some((each) => isWithin(each, path)),
    )
    .toSorted((one, other) => depth(other) - depth(one))
    .slice(0, maxMemories)
}

function isWithin(file: string, folder: string): boolean {
  const path = folder.replace(/\/+$/, '')
  return path !== '' && (file === path || file.startsWith(`${path}/`))
}

/**
 * Renders a list item for each memory.
 *
 * @param linkTo returns the URL of a location on the platform
 * @param secrets our own, which are redacted
 */
export function renderMemories(
  memories: readonly AppliedMemory[],
  { linkTo, secrets }: { linkTo: (location: FileLocation) => string; secrets: readonly string[] },
): string[] {
  const redact = (text: string) => redactKnownSecrets(text, secrets)
  return memories.map(({ text, path, source }) => {
    const memory = escapeLine(redact(text), { maxLength: maxTextLength })
    const about = `about ${codeSpan(redact(path ?? '.'))}`
    if (source === null) return `- ${memory} (${about})`
    if ('user' in source) return `- ${memory} (${about}, by ${codeSpan(redact(source.user))})`
    const shown = source.line === null ? source.path : `${source.path}:${source.line}`
    const name = codeSpan(redact(shown))
    const isWhole = redact(shown) === shown
    return `- ${memory} (${about}, in ${isWhole ? `[${name}](${linkTo(source)})` : name})`
  })
}
