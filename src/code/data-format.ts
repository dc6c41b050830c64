// Files that hold data and have a parser of their own. To be parsed in worker threads only: files are hostile.
import { extname } from 'node:path'
import { loadYaml } from '../lib/yaml.ts'

export type DataFormat = 'json' | 'yaml'

const formats: Readonly<Record<string, DataFormat>> = {
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
}

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
