// Describes how calls of Rust must fit parameters.
import { type CallingConvention, compileError } from '../common/calling-convention.ts'

export const calls: CallingConvention = {
  tooFew: true,
  tooMany: true,
  outcome: compileError,
  // `Type::method(object, …)` passes the object as an argument.
  hidesArguments: ({ text }, name) => new RegExp(`::${name}\\s*\\(`).test(text),
}
