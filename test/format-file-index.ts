// Facts of a file written as lines that a test can say in full.
import type { FileIndex } from '../src/code/code-index.ts'

/** `+` stands for exported, `c3` for a complexity of 3, `(1..2)` for one or two parameters, `(1..)` for one or more. */
export function formatFileIndex(facts: FileIndex) {
  const pathOf = (index: number): string => {
    const { name, within } = facts.symbols[index]!
    return within === -1 ? name : `${pathOf(within)}.${name}`
  }
  const inside = (index: number) => (index === -1 ? '' : ` in ${pathOf(index)}`)
  return {
    whole: [
      `${facts.lines} lines, complexity ${facts.complexity}, namespace ${facts.namespace}${facts.incomplete ? ', damaged' : ''}`,
    ],
    symbols: facts.symbols.map((symbol, index) =>
      [
        `${symbol.exported ? '+' : '-'} ${symbol.kind} ${pathOf(index)} ${symbol.startLine}-${symbol.endLine}`,
        symbol.owner === null ? '' : ` of ${symbol.owner}`,
        symbol.complexity === 0 ? '' : ` c${symbol.complexity}`,
        symbol.parameters === null
          ? ''
          : ` (${symbol.parameters.least}..${symbol.parameters.most ?? ''})`,
        symbol.extends.length === 0 ? '' : ` < ${symbol.extends.join(', ')}`,
      ].join(''),
    ),
    imports: facts.imports.map(({ line, kind, from, names }) =>
      [
        `${line} ${kind} ${from}`,
        ...names.map(({ name, local }) => (name === local ? name : `${name}>${local}`)),
      ].join(' '),
    ),
    references: facts.references.map(({ line, kind, qualifier, name, arguments: passed, within }) =>
      [
        `${line} ${kind} `,
        qualifier === null ? '' : `${qualifier}.`,
        name,
        passed === null ? '' : `(${passed})`,
        inside(within),
      ].join(''),
    ),
    bindings: facts.bindings.map(({ name, type, within }) => `${name}: ${type}${inside(within)}`),
  }
}

/** The lines of a text, without what they are indented by. */
export function trimLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
