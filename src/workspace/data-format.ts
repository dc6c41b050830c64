// Files that hold data and have a parser of their own. To be parsed in worker threads only: files are hostile.
import { createRequire } from 'node:module'
import { extname } from 'node:path'

export type DataFormat = 'json' | 'yaml'

const formats: Readonly<Record<string, DataFormat>> = { '.json': 'json', '.yaml': 'yaml', '.yml': 'yaml' }

/** The format of a file by its name; undefined where it is none of these. */
export function dataFormatOf(path: string): DataFormat | undefined {
  return formats[extname(path).toLowerCase()]
}

/** How many places of a text its format doesn't allow; of JSON no more than the first is known. */
export function countDataErrors(format: DataFormat, text: string): number {
  if (format === 'yaml')
    return loadYaml()
      .parseAllDocuments(text)
      .reduce((sum, { errors }) => sum + errors.length, 0)
  try {
    JSON.parse(text)
    return 0
  } catch {
    return 1
  }
}

/** Only when it is needed: most files have another format, and most questions are about the name alone. */
function loadYaml(): typeof import('yaml') {
  return createRequire(import.meta.url)('yaml') as typeof import('yaml')
}
