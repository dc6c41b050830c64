// Reads the configured context sources: presets and those of the sources file.
import { groupVariables, type Variables } from '../../config/variable.ts'
import { anyText } from '../../config/variable-parsers.ts'
import type { VariableReader } from '../../config/variable-reader.ts'
import type { ContextSourceConfig } from './source-config.ts'
import { presets, readPresets } from './source-presets.ts'

const fileVariables = {
  file: {
    name: 'CONTEXT_SOURCES',
    parse: anyText,
    review: 'with context',
    help:
      'path of a JSON file that configures other sources, or one of those above with other ' +
      'settings (then set none of its variables)',
  },
} satisfies Variables

export const sourceGroup = groupVariables(
  'Context sources',
  [...presets.map(({ variables }) => variables), fileVariables],
  'Reviews query them; see [context-sources.md](context-sources.md). Set a URL together with its ' +
    'token.',
)

/** Reads presets and the sources file, which may use the values of all variables as `${NAME}`. */
export async function readSourceConfigs(
  reader: VariableReader,
): Promise<readonly ContextSourceConfig[]> {
  const sources = [...readPresets(reader), ...(await readFileSources(reader))]
  // Dashes become underscores in the names of the tools that models see.
  const names = sources.map(({ name }) => name.replaceAll('-', '_'))
  const duplicates = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  for (const name of duplicates) {
    reader.report(`CONTEXT_SOURCES: there are two sources called ${name}`)
  }
  return sources
}

/** Loads the schema of the file only if there is one, because it delays the start of a command. */
async function readFileSources(reader: VariableReader): Promise<ContextSourceConfig[]> {
  const { file } = reader.read(fileVariables)
  if (file === null) return []
  const { readSourcesFile } = await import('./read-sources-file.ts')
  const problems: string[] = []
  const sources = readSourcesFile(file, reader.environment, problems)
  for (const problem of problems) reader.report(problem)
  return sources
}
