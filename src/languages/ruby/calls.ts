// Describes how calls of Ruby must fit parameters.
import { type CallingConvention, runtimeError } from '../common/calling-convention.ts'

export const calls: CallingConvention = {
  tooFew: true,
  tooMany: true,
  outcome: runtimeError,
  // Keywords without braces may be one argument or several.
  hidesArguments: ({ text }) => /\w:\s|=>/.test(text),
}
