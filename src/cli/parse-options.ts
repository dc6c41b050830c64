// Parses command-line options and reports errors in one line.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { findClosestMatch } from '../lib/text.ts'
import { UsageError } from './exit-codes.ts'

/**
 * Parses the arguments of a command.
 *
 * @param allowPositionals whether arguments that are not options are allowed
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
    if (token.kind === 'positional' && !allowPositionals) {
      throw new UsageError(`unexpected argument "${token.value}"`)
    }
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
    const closest = findClosestMatch(name, Object.keys(options))
    const suggestion = formatSuggestion(closest && `--${closest}`)
    throw new UsageError(`there is no option ${rawName}${suggestion}`)
  }
  if (type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value`)
  // A value that starts with a dash is most likely the next option.
  const isMissing = value === undefined || (!inlineValue && value.startsWith('-'))
  if (type === 'string' && isMissing) throw new UsageError(`${rawName} needs a value`)
}

/** Parses an option with a fixed set of values. Throws UsageError that lists the values. */
export function parseChoice<Value extends string>(
  option: string,
  given: string,
  allowed: readonly Value[],
): Value {
  const found = allowed.find((value) => value === given)
  if (found !== undefined) return found
  const suggestion = formatSuggestion(findClosestMatch(given, allowed))
  throw new UsageError(`${option} must be one of ${allowed.join(', ')}${suggestion}`)
}

/** Formats the end of an error message that suggests a word. Empty without one. */
export function formatSuggestion(suggestion: string | undefined): string {
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`
}
