// What the checks for swallowed errors have in common: failures that may be ignored, and the words.

function splitWords(text: string): string[] {
  return text.trim().split(/\s+/)
}

/**
 * Functions that close, delete or probe something, whose failure may be ignored. Names with `_` are
 * those of Python; the others are compared without it.
 */
const harmlessNames = splitWords(`
  unlink unlinkSync rm rmSync rmdir remove removeItem setItem getItem close closeSync destroy
  kill cleanup dispose stop end abort cancel disconnect release shutdown mkdir mkdirSync makedirs
  unsubscribe log warn debug flush focus play pause vibrate import require delete exit detach
  parse loads stat statSync access accessSync lstat join sleep interrupt call_soon_threadsafe put
  put_nowait set_result set_exception fetchall discard reset rmtree terminate send_signal
`)
const harmlessFunctions = new RegExp(`^(?:${harmlessNames.join('|')})$`, 'i')

export const swallowedError = {
  title: 'Swallowed error: this handler does nothing with it',
  body:
    'When something in the `try` block fails, nothing is reported, and the code continues ' +
    'as if it had succeeded. Handle or report the error, or explain in a comment why it ' +
    'can be ignored.',
}

/** Functions that convert a value: what fails to convert keeps its form. */
const conversions = new Set(
  splitWords(`
  int float str bool len list dict isinstance strip split lower upper get encode decode dumps
  literal_eval fromisoformat strptime isoformat format startsWith startswith Number String
  parseInt parseFloat stringify toString normalize keys values items
`),
)

/** Functions that report progress, whose failure must not stop the work. */
const progressCallbacks =
  /callback|progress|notify|listener|hook|^on_?[A-Z_]|^emit|^report|^track|^capture/i

/** Functions that must complete all of their steps, even when one of them fails. */
const cleanupFunctions =
  /clean|rollback|close|shutdown|teardown|stop|dispose|destroy|__del__|__exit__|unload/i

/** Whether the failure of a call to a function with this name does no harm. */
export function isHarmlessFunction(name: string): boolean {
  return (
    harmlessFunctions.test(name) ||
    harmlessFunctions.test(name.replaceAll('_', '')) ||
    conversions.has(name) ||
    progressCallbacks.test(name)
  )
}

/** Whether a function with this name must complete its steps, even when one of them fails. */
export function isCleanupFunction(name: string): boolean {
  return cleanupFunctions.test(name)
}

const expectedErrorNames = new RegExp(
  `^(?:${[
    String.raw`_\w*`,
    String.raw`\w*ignored?`,
    String.raw`expected\w*`,
    'unused',
    '(?:should|could|can_?not|can|must|will)_?(?:not|never)?_?happen',
    'never_?happens?',
    'impossible',
  ].join('|')})$`,
  'i',
)

/** Whether a caught error with this name is expected, or can't happen. */
export function isExpectedError(name: string): boolean {
  return expectedErrorNames.test(name)
}

/** Whether a type in the declaration of a caught exception is that of many kinds of errors. */
export function isBroadException(declaration: string): boolean {
  return /\b(?:Exception|Throwable|RuntimeException|IOException|SQLException|InterruptedException)\b/.test(
    declaration,
  )
}
