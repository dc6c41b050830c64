// Parses command-line options, and says in one line what is wrong with them.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { findClosestMatch } from '../lib/text.ts'
import { UsageError } from './exit-codes.ts'

/**
 * Parses what stands behind a command.
 *
 * @param allowPositionals whether arguments that are no options make sense
 * @throws UsageError
 */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
  allowPositionals = false,
) {
  const { tokens } = parseArgs({
    args,
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind === 'positional' && !allowPositionals)
      throw new UsageError(`what is "${token.value}" for?`)
    if (token.kind === 'option') checkOption(token, options)
  }
  return parseArgs({ args, options, allowPositionals })
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function checkOption(
  { name, rawName, value, inlineValue }: OptionToken,
  options: ParseArgsOptionsConfig,
): void {
  const type = Object.hasOwn(options, name) ? options[name]?.type : undefined
  if (type === undefined) {
    const meant = findClosestMatch(name, Object.keys(options))
    throw new UsageError(`there is no option ${rawName}${formatSuggestion(meant && `--${meant}`)}`)
  }
  if (type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value`)
  // What begins with a dash is most likely the next option.
  const isMissing = value === undefined || (!inlineValue && value.startsWith('-'))
  if (type === 'string' && isMissing) throw new UsageError(`${rawName} needs a value`)
}

/** One of some words. Throws a UsageError that names them, and the nearest. */
export function parseChoice<Value extends string>(
  option: string,
  given: string,
  allowed: readonly Value[],
): Value {
  const found = allowed.find((value) => value === given)
  if (found !== undefined) return found
  throw new UsageError(
    `${option} must be one of ${allowed.join(', ')}${formatSuggestion(findClosestMatch(given, allowed))}`,
  )
}

/** Names the word that was meant, where there is one. */
export function formatSuggestion(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean ${meant}?`
}
