// Reads the SARIF logs of other tools that `umpire review` is given.
import { createReadStream } from 'node:fs'
import type { Log } from '../lib/logger.ts'
import { readBytes } from '../lib/read-bytes.ts'
import { formatCount } from '../lib/text.ts'
import { readSarif, SarifError, type ToolResults } from '../reviewers/sarif/read-sarif.ts'
import type { ToolLogs } from '../reviewers/tool-reviewer.ts'
import { UsageError } from './exit-codes.ts'
import type { ReviewOptions } from './review-options.ts'

const maxLogMegabytes = 100

/** Throws UsageError if a file can't be read or isn't a SARIF log. */
export async function readToolLogs(
  { sarif, sarifBase }: Pick<ReviewOptions, 'sarif' | 'sarifBase'>,
  log: Log,
): Promise<ToolLogs> {
  const read = async (files: readonly string[]) =>
    (await Promise.all(files.map((file) => readToolLog(file, log)))).flat()
  const [head, base] = await Promise.all([read(sarif), read(sarifBase)])
  return {
    head,
    baseOf: (name) =>
      sarifBase.length === 0
        ? null
        : { results: base.filter(({ tool }) => tool === name), isOther: false },
  }
}

async function readToolLog(file: string, log: Log): Promise<ToolResults['results']> {
  const bytes = await readBytes(createReadStream(file), maxLogMegabytes * 1024 ** 2).catch(
    (error: Error) => {
      throw new UsageError(`${file} can't be read: ${error.message}`)
    },
  )
  if (bytes === undefined)
    throw new UsageError(`${file} is larger than ${maxLogMegabytes} MB: split it by tool`)
  try {
    const { results, unreadable } = await readSarif(bytes.toString('utf8'))
    if (unreadable > 0)
      log.warn({}, `${file}: left out ${formatCount(unreadable, 'result')} without line or message`)
    return results
  } catch (error) {
    if (!(error instanceof SarifError)) throw error
    throw new UsageError(`${file} can't be used: ${error.message}`)
  }
}
