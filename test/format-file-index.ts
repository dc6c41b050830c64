// Formats the index of a file as short lines for assertions.
import type { FileIndex } from '../src/languages/code-index.ts'

/**
 * Formats one part of a file index a line per entry: `+` is exported, `c3` is complexity 3,
 * `(1..2)` is one or two parameters, `(1..)` is one or more.
 */
export function formatFileIndex(index: FileIndex) {
  const pathOf = (at: number): string => {
    const { name, within } = index.symbols[at]!
    return within === -1 ? name : `${pathOf(within)}.${name}`
  }
  const inside = (at: number) => (at === -1 ? '' : ` in ${pathOf(at)}`)
  const damage = index.incomplete ? ', damaged' : ''
  return {
    whole: [
      `${index.lines} lines, complexity ${index.complexity}, ` +
        `namespace ${index.namespace}${damage}`,
    ],
    symbols: index.symbols.map((symbol, at) =>
      [
        `${symbol.exported ? '+' : '-'} ${symbol.kind} ${pathOf(at)} `,
        `${symbol.startLine}-${symbol.endLine}`,
        symbol.owner === null ? '' : ` of ${symbol.owner}`,
        symbol.complexity === 0 ? '' : ` c${symbol.complexity}`,
        symbol.parameters === null
          ? ''
          : ` (${symbol.parameters.least}..${symbol.parameters.most ?? ''})`,
        symbol.extends.length === 0 ? '' : ` < ${symbol.extends.join(', ')}`,
      ].join(''),
    ),
    imports: index.imports.map(({ line, kind, from, names }) =>
      [
        `${line} ${kind} ${from}`,
        ...names.map(({ name, local }) => (name === local ? name : `${name}>${local}`)),
      ].join(' '),
    ),
    references: index.references.map(({ line, kind, qualifier, name, arguments: passed, within }) =>
      [
        `${line} ${kind} `,
        qualifier === null ? '' : `${qualifier}.`,
        name,
        passed === null ? '' : `(${passed})`,
        inside(within),
      ].join(''),
    ),
    bindings: index.bindings.map(({ name, type, within }) => `${name}: ${type}${inside(within)}`),
  }
}

/** Returns the non-empty lines of a text without indentation. */
export function trimLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
