// The description of a language that the indexer needs to read the index of a file.
import type { DefinitionDefaults, FileIndexBuilder } from './file-index-builder.ts'
import type { FlatTree } from './flat-tree.ts'

/** Called for a node before its descendants. Records what the node means in the builder. */
export type Visit = (builder: FileIndexBuilder, node: number, tree: FlatTree) => void

/** Node types are those of the language's grammar. Lists are strings separated by whitespace. */
export interface IndexSpec extends DefinitionDefaults {
  /** Nodes that add one to the cyclomatic complexity, including operators such as `&&`. */
  readonly branches: string
  /** Nodes whose names are local to a function. Their scope opens after their own visit. */
  readonly functions: string
  /** Other nodes with local names: blocks, loops, handlers. */
  readonly blocks: string
  /** Nodes in which only type parameters are local: other code can name their definitions. */
  readonly types: string
  /** Names that the language defines. */
  readonly builtins?: string
  /** Replaces text that the grammar can't parse. Keeps the length and the line breaks. */
  readonly preprocess?: (text: string) => string
  readonly visits: Readonly<Record<string, Visit>>
  /** Visits that run inside of the node's own scope, to declare parameters and variables there. */
  readonly scopeVisits?: Readonly<Record<string, Visit>>
  /** Runs after all nodes. */
  readonly finish?: (builder: FileIndexBuilder) => void
}

/** The entries of a list that is separated by whitespace. */
export function splitList(list: string): string[] {
  return list.match(/\S+/g) ?? []
}
