// Reads which trackers and chats are set up.
import type { ContextSourceConfig } from './context-source-config.ts'
import { readSourcesFile } from './read-sources-file.ts'
import { readPresets, type SourceVariables } from './source-presets.ts'

/**
 * Reads what is set up.
 *
 * @param environment where `${NAME}` in the headers, arguments and environments of the file comes from
 * @param problems is added what is wrong, by name and never by value
 */
export function readContextSources(
  variables: SourceVariables,
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): readonly ContextSourceConfig[] {
  const known = readPresets(variables, problems)
  const sources = [...known, ...readSourcesFile(variables.CONTEXT_SOURCES, environment, problems)]
  // Models know tools by these names, without dashes.
  const names = sources.map(({ name }) => name.replaceAll('-', '_'))
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    problems.push(`CONTEXT_SOURCES: there are two sources called ${name}`)
  }
  return sources
}
