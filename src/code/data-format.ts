// Parses data files, which must happen in worker threads only, because files are untrusted.
import { extname } from 'node:path'
import { loadYaml } from '../lib/yaml.ts'

type DataFormat = 'json' | 'yaml'

const formats: Readonly<Record<string, DataFormat>> = {
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
}

/** The format of a file by its extension; undefined if it is neither JSON nor YAML. */
export function dataFormatOf(path: string): DataFormat | undefined {
  return formats[extname(path).toLowerCase()]
}

/** Counts the syntax errors of a text. JSON's parser reports only the first. */
export function countDataErrors(format: DataFormat, text: string): number {
  if (format === 'yaml') {
    const documents = loadYaml().parseAllDocuments(text)
    return documents.reduce((sum, { errors }) => sum + errors.length, 0)
  }
  try {
    JSON.parse(text)
    return 0
  } catch {
    return 1
  }
}
