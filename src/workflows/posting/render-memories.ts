// What is remembered of the files of a change, for a review in which no model could take it into account. Pure.
import type { AppliedMemory } from '../../domain/change-graph.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import { codeSpan, escapeLine } from './escape-markdown.ts'

/** More is noise. */
const mostMemories = 3
const longestText = 240
/** Those that say how code is to be, or what to look out for. */
const telling: ReadonlySet<string> = new Set(['decision', 'project_pattern', 'risk_module'])

/** A place in a file of the repository at a commit. */
export interface FileLocation {
  readonly commit: string
  readonly path: string
  readonly line: number | null
}

/**
 * The memories that a person wrote, or that stand in the default branch, about a file of the change or a directory that it is
 * in; those about the nearest directory first. What holds for the whole repository isn't told with every change.
 */
export function chooseMemories(
  memories: readonly AppliedMemory[],
  files: readonly Pick<FileDiff, 'path' | 'oldPath'>[],
): AppliedMemory[] {
  const touched = files.flatMap(({ path, oldPath }) => [path, oldPath])
  const depth = ({ path }: AppliedMemory) => path?.split('/').length ?? 0
  return memories
    .filter(
      ({ trust, type }) => (trust === 'person' || trust === 'repository') && telling.has(type),
    )
    .filter(
      ({ path }) => path !== null && path !== '.' && touched.some((each) => isWithin(each, path)),
    )
    .toSorted((one, other) => depth(other) - depth(one))
    .slice(0, mostMemories)
}

function isWithin(file: string, place: string): boolean {
  const plain = place.replace(/\/+$/, '')
  return plain !== '' && (file === plain || file.startsWith(`${plain}/`))
}

/**
 * One line for each.
 *
 * @param linkTo the address of a place on the platform
 * @param secrets our own, which nobody is to read here
 */
export function renderMemories(
  memories: readonly AppliedMemory[],
  { linkTo, secrets }: { linkTo: (place: FileLocation) => string; secrets: readonly string[] },
): string[] {
  const blot = (text: string) => redactKnownSecrets(text, secrets)
  return memories.map(({ text, path, source }) => {
    const said = escapeLine(blot(text), { maxLength: longestText })
    const about = `about ${codeSpan(blot(path ?? '.'))}`
    if (source === null) return `- ${said} (${about})`
    if ('user' in source) return `- ${said} (${about}, by ${codeSpan(blot(source.user))})`
    const shown = source.line === null ? source.path : `${source.path}:${source.line}`
    const name = codeSpan(blot(shown))
    const isWhole = blot(shown) === shown
    return `- ${said} (${about}, in ${isWhole ? `[${name}](${linkTo(source)})` : name})`
  })
}
