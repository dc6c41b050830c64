// Describes how calls of JavaScript and TypeScript must fit parameters.
import { type CallingConvention, compileError, textOf } from '../common/calling-convention.ts'

export const typescriptCalls: CallingConvention = {
  tooFew: true,
  tooMany: true,
  outcome: compileError,
  // Callers don't pass a first parameter called `this`, and may omit one that can be void.
  hidesParameters: (symbol, lines) =>
    /\(\s*this\s*:|\w\s*:(?:[^,():={}>]*\|)?\s*void\s*[|,)]/.test(textOf(symbol, lines)),
}

/** Any number of arguments is legal, but one may bind to another parameter than before. */
export const javascriptCalls: CallingConvention = {
  tooFew: false,
  tooMany: false,
  outcome: 'fails when it runs',
}
