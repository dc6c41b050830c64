// Creates the parser whose threads also run the rules.
import {
  createSyntaxParser,
  type SyntaxParser,
  type SyntaxParserOptions,
} from '../code/syntax-parser.ts'

const inspector = new URL('./rules/inspect-file.ts', import.meta.url)

export function createRuleParser(
  options: Omit<SyntaxParserOptions, 'inspector'> = {},
): SyntaxParser & AsyncDisposable {
  return createSyntaxParser({ ...options, inspector })
}
