// Describes how calls of PHP must fit parameters.
import { type CallingConvention, runtimeError } from '../common/calling-convention.ts'

export const calls: CallingConvention = {
  tooFew: true,
  tooMany: false,
  takesNames: true,
  outcome: runtimeError,
}
