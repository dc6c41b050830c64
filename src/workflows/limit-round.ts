// Decides how many tokens of packed context a round has.

/**
 * Half of a model's window is for instructions, tools and the answer.
 *
 * @param contextTokens as configured
 * @param window the number of tokens that fit the model; null if it isn't known
 */
export function limitRound(contextTokens: number, window: number | null): number {
  return window === null ? contextTokens : Math.min(contextTokens, Math.floor(window / 2))
}
