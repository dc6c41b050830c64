// Describes how calls of C must fit parameters.
import { type CallingConvention, compileError } from '../common/calling-convention.ts'

export const calls: CallingConvention = { tooFew: true, tooMany: true, outcome: compileError }
