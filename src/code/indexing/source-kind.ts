// Tells from its path how the facts of a file are read.
import { extname } from 'node:path'
import { type GrammarName, grammarOfPath } from '../grammars.ts'

/** A grammar, or `embedded` for TypeScript that stands in a page. */
export type SourceKind = GrammarName | 'embedded'

const embeddingExtensions: ReadonlySet<string> = new Set(['.vue', '.svelte', '.astro'])

/** How the facts of a file are read; undefined where they can't be. */
export function sourceKindOf(path: string): SourceKind | undefined {
  return embeddingExtensions.has(extname(path).toLowerCase()) ? 'embedded' : grammarOfPath(path)
}

/** The scripts of a page and, in Astro's, what stands before it; all else is blank, so that lines stay where they are. */
export function blankMarkup(page: string): string {
  const kept: string[] = []
  let end = 0
  for (const [start, stop] of findScripts(page)) {
    kept.push(page.slice(end, start).replaceAll(/[^\n]/g, ' '), page.slice(start, stop))
    end = stop
  }
  return kept.join('')
}

/** Goes through the page once, whatever it holds. */
function* findScripts(page: string): Generator<readonly [start: number, stop: number]> {
  const opening = /^---\r?\n/.exec(page)?.[0].length ?? 0
  const opened = opening > 0 ? page.indexOf('\n---', opening - 1) : -1
  if (opened > opening) yield [opening, opened]
  for (let at = Math.max(opened, 0); ; ) {
    const tag = page.indexOf('<script', at)
    const start = tag === -1 ? 0 : page.indexOf('>', tag) + 1
    const stop = start === 0 ? -1 : page.indexOf('</script', start)
    if (stop === -1) return
    if (' \n\r\t>'.includes(page.charAt(tag + '<script'.length))) yield [start, stop]
    at = stop
  }
}
