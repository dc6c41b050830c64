// Decides from its path how a file is indexed, and finds the scripts in pages.
import { isPage, parsedLanguageOfPath } from '../../languages/index.ts'

/** It is the name of a grammar, or `embedded` for TypeScript inside of a page. */
export type SourceKind = string

/** Returns how a file is indexed; undefined if it can't be. */
export function sourceKindOf(path: string): SourceKind | undefined {
  return isPage(path) ? 'embedded' : parsedLanguageOfPath(path)?.grammar.name
}

/**
 * Replaces all of a page with spaces except its scripts and Astro's frontmatter. Line breaks stay,
 * so line numbers don't change.
 */
export function blankMarkup(page: string): string {
  const parts: string[] = []
  let end = 0
  for (const [start, stop] of findScripts(page)) {
    parts.push(page.slice(end, start).replaceAll(/[^\n]/g, ' '), page.slice(start, stop))
    end = stop
  }
  return parts.join('')
}

/** Finds scripts in linear time, also in malformed pages. */
function* findScripts(page: string): Generator<readonly [start: number, stop: number]> {
  const frontmatter = /^---\r?\n/.exec(page)?.[0].length ?? 0
  const frontmatterEnd = frontmatter > 0 ? page.indexOf('\n---', frontmatter - 1) : -1
  if (frontmatterEnd > frontmatter) yield [frontmatter, frontmatterEnd]
  let position = Math.max(frontmatterEnd, 0)
  while (true) {
    const tag = page.indexOf('<script', position)
    if (tag === -1) return
    const start = page.indexOf('>', tag) + 1
    if (start === 0) return
    const stop = page.indexOf('</script', start)
    if (stop === -1) return
    const afterTagName = page.charAt(tag + '<script'.length)
    if (' \n\r\t>'.includes(afterTagName)) yield [start, stop]
    position = stop
  }
}
