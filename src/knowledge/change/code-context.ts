// The dependencies that reading the code around a change needs (types only).

import type { SyntaxParser } from '../../code/syntax-parser.ts'
import type { CodeCache } from './code-cache.ts'
import type { Fallbacks } from './fallbacks.ts'

export interface CodeContext extends Fallbacks {
  readonly syntax: Pick<SyntaxParser, 'indexFile'>
  readonly codeCache: CodeCache
}
