// Checks the syntax of Java for the rules of the static reviewer.
import type { Node } from 'web-tree-sitter'
import type { LanguageRules } from '../common/language-rules.ts'
import type { Hit } from '../common/syntax-check.ts'
import { argumentsOf, calleeOf, fieldText, firstLine, quoteCode } from '../common/syntax-nodes.ts'

export const rules: LanguageRules = {
  checks: {
    'unchecked-optional': [{ nodes: ['method_invocation'], check: checkOptional }],
  },
}

/** `list.stream().findFirst().get()`. */
function checkOptional(call: Node): Hit | undefined {
  const { receiver, name } = calleeOf(call)
  if (name !== 'get' || argumentsOf(call).length > 0 || receiver?.type !== 'method_invocation')
    return undefined
  const maker = fieldText(receiver, 'name')
  if (!/^(?:findFirst|findAny|findById|ofNullable)$/.test(maker)) return undefined
  return {
    at: firstLine(call),
    title:
      `\`get\` is called on the \`Optional\` of ${quoteCode(maker)} without checking that it ` +
      'has a value',
    body:
      'When it is empty, `get` throws a `NoSuchElementException` that gives neither what was ' +
      'missing nor why. Use `orElseThrow` with a reason, or `orElse`.',
  }
}
