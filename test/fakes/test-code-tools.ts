// The code tools of models, with a parser that ends after the tests of a file.
import { afterAll } from 'vitest'
import { createSyntaxParser } from '../../src/code/syntax-parser.ts'
import type { Tool } from '../../src/domain/tool.ts'
import { createCodeTools } from '../../src/tools/code-tools.ts'

const syntax = createSyntaxParser({ threads: 1 })
afterAll(() => syntax[Symbol.asyncDispose]())

export function createTestCodeTools(repository: Parameters<typeof createCodeTools>[0]): Tool[] {
  return createCodeTools(repository, syntax)
}
