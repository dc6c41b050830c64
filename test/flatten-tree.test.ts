// Trees read from the parser's memory equal those of its cursor, also after its upgrades.
import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { Parser } from 'web-tree-sitter'
import { loadGrammar, parserMemory } from '../src/code/grammars.ts'
import { flattenMemory } from '../src/code/indexing/flatten-memory.ts'
import { createColumns, flattenByCursor } from '../src/code/indexing/flatten-tree.ts'
import { parsedLanguageOfPath } from '../src/languages/index.ts'

const folder = new URL('fixtures/facts/', import.meta.url)

it.each(await readdir(folder))('matches the cursor for the tree of %s', async (filename) => {
  const text = await readFile(new URL(filename, folder), 'utf8')
  const grammar = await loadGrammar(parsedLanguageOfPath(filename)!.grammar.name)
  const parser = new Parser().setLanguage(grammar)
  // The text is complete or truncated, so that trees contain errors and inserted nodes.
  for (const part of [
    text,
    text.slice(0, text.length / 2),
    `é😀\n${text.slice(text.length / 3)}`,
    '',
  ]) {
    const tree = parser.parse(part)!
    const columns = createColumns(tree.rootNode.descendantCount)
    flattenMemory(parserMemory(), tree, columns)
    expect(columns).toEqual(flattenByCursor(tree))
    tree.delete()
  }
  parser.delete()
})
