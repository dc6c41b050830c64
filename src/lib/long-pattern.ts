// Writes long regular expressions over several lines.

/**
 * Builds a pattern from a template, without its line ends and the blanks around them.
 *
 * @returns the tag of the template; its values are inserted as patterns
 */
export function longPattern(
  flags = '',
): (parts: TemplateStringsArray, ...values: readonly string[]) => RegExp {
  return (parts, ...values) =>
    new RegExp(String.raw(parts, ...values).replace(/\s*\n\s*/g, ''), flags)
}
