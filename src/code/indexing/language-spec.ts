// What has to be known about a language to read the facts of its files.
import type { FileIndexBuilder } from './file-index-builder.ts'

/** Called for a node before what is inside of it; records what it says, and takes the nodes that it has dealt with. */
export type Visit = (walk: FileIndexBuilder, node: number) => void

/** Types of nodes are those of the language's grammar; in lists they stand between spaces. */
export interface LanguageSpec {
  /** Nodes that add a way through the function around them, also operators such as `&&`. */
  readonly branches: string
  /** Nodes in which names are local to a function. Opened after their own visit. */
  readonly functions: string
  /** Further nodes with local names of their own: blocks, loops, handlers. */
  readonly blocks: string
  /** Nodes in which only names of type parameters are local: what is defined in there can be named from outside. */
  readonly types: string
  /** Names that the language itself defines. */
  readonly builtins?: string
  /** The text as it is parsed, where the grammar can't do with it as it is: of the same length, with the same lines. */
  readonly preprocess?: (text: string) => string
  readonly visits: Readonly<Record<string, Visit>>
  /** Visits for which the node's own scope is open already: there its parameters and variables are declared. */
  readonly scopeVisits?: Readonly<Record<string, Visit>>
  /** When all has been visited. */
  readonly finish?: (walk: FileIndexBuilder) => void
}
