// The code tools of models, with a parser that ends after the tests of a file.
import { afterAll } from 'vitest'
import { createSyntaxParser } from '../../src/code/syntax-parser.ts'
import type { Tool } from '../../src/domain/tool.ts'
import { createCodeTools } from '../../src/tools/code-tools.ts'

/** Call it once per test file: files share modules, and so would all end the same parser. */
export function startTestCodeTools(): (
  repository: Parameters<typeof createCodeTools>[0],
) => Tool[] {
  const syntax = createSyntaxParser({ threads: 1 })
  afterAll(() => syntax[Symbol.asyncDispose]())
  return (repository) => createCodeTools(repository, syntax)
}
