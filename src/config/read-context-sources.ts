// Reads the configured context sources: presets and those of the sources file.
import type { ContextSourceConfig } from './context-source-config.ts'
import { readSourcesFile } from './read-sources-file.ts'
import { readPresets, type SourceVariables } from './source-presets.ts'

/**
 * Reads presets and the sources file.
 *
 * @param environment the values of `${NAME}` in headers, arguments and environments of the file
 * @param problems receives what is wrong, with names of variables but never their values
 */
export function readContextSources(
  variables: SourceVariables,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): readonly ContextSourceConfig[] {
  const presets = readPresets(variables, problems)
  const sources = [...presets, ...readSourcesFile(variables.CONTEXT_SOURCES, environment, problems)]
  // Dashes become underscores in the names of the tools that models see.
  const names = sources.map(({ name }) => name.replaceAll('-', '_'))
  const duplicates = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  for (const name of duplicates) {
    problems.push(`CONTEXT_SOURCES: there are two sources called ${name}`)
  }
  return sources
}
