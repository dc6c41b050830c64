// Describes how calls of Go must fit parameters.
import { type CallingConvention, compileError } from '../common/calling-convention.ts'

export const calls: CallingConvention = {
  tooFew: true,
  tooMany: true,
  outcome: compileError,
  // `f(g())` passes all that g returns.
  hidesArguments: ({ text, arguments: count }, name) =>
    count === 1 && new RegExp(`\\b${name}(?:\\[[^\\]]*\\])?\\s*\\([^()]*\\(`).test(text),
}
