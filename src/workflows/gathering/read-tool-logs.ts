// Downloads logs of other tools, and reads their results.
import type { AppContext } from '../../context.ts'
import { PlatformError } from '../../domain/errors.ts'
import { formatCount, toPlainName } from '../../lib/text.ts'
import type { Access } from '../../platforms/platform.ts'
import { readSarif, SarifError, type ToolResult } from '../../reviewers/sarif/read-sarif.ts'
import { unpackLogs } from '../../reviewers/sarif/unpack-logs.ts'
import type { ListedLog } from './list-tool-logs.ts'

/** It is about 20,000 results. */
const maxLogBytes = 10 * 2 ** 20
/** All logs of a review together, unpacked. */
const maxTotalBytes = 2 * maxLogBytes

/** What a tool found. */
export interface FoundResult {
  readonly result: ToolResult
  /** Artifacts claim any tool. */
  readonly kind: ListedLog['kind']
  /** Whether the tool read a trial merge of the head instead of the head. */
  readonly isMerge: boolean
}

export interface LogReader {
  /** Returns null for a log that can't be read, which a note says. */
  read(log: ListedLog): Promise<readonly FoundResult[] | null>
  readonly notes: readonly string[]
}

/** Makes a reader for the logs of one review, which shares the limit of bytes between them. */
export function createLogReader(
  { platform, log: logger }: Pick<AppContext, 'platform' | 'log'>,
  access: Access,
  signal: AbortSignal,
): LogReader {
  const notes: string[] = []
  let leftBytes = maxTotalBytes

  async function download(log: ListedLog): Promise<readonly Uint8Array[]> {
    const maxBytes = Math.min(leftBytes, maxLogBytes)
    const input = { id: log.id, maxBytes }
    if (log.kind === 'analysis') return [await platform.getAnalysis(access, input, signal)]
    return unpackLogs(await platform.getArtifact(access, input, signal), maxBytes)
  }

  return {
    notes,
    async read(log) {
      if (log.kind === 'analysis' && log.results === 0) return []
      try {
        const logs = await download(log)
        leftBytes -= logs.reduce((sum, bytes) => sum + bytes.length, 0)
        const parts = await Promise.all(
          logs.map((bytes) => readSarif(Buffer.from(bytes).toString('utf8'), signal)),
        )
        const unreadable = parts.reduce((sum, part) => sum + part.unreadable, 0)
        if (unreadable > 0) {
          const left = formatCount(unreadable, 'result')
          notes.push(`Left out of ${nameOf(log)}: ${left} without line or message.`)
        }
        return parts.flatMap(({ results }) =>
          results.map((result) => ({ result, kind: log.kind, isMerge: log.isMerge })),
        )
      } catch (error) {
        if (!(error instanceof PlatformError || error instanceof SarifError)) throw error
        const { repo } = access
        logger.warn({ err: error, repo, id: log.id }, 'What other tools found could not be read')
        notes.push(`Not read: ${nameOf(log)}, because ${reasonOf(error)}.`)
        return null
      }
    },
  }
}

function reasonOf(error: PlatformError | SarifError): string {
  if (error instanceof SarifError) return error.message
  return error.code === 'platform_too_large' ? 'it is too large' : 'it could not be downloaded'
}

/** Names are untrusted: a change can have CI choose them. */
function nameOf(log: ListedLog): string {
  return log.kind === 'analysis'
    ? `what \`${toPlainName(log.tool)}\` found`
    : `the artifact \`${toPlainName(log.name)}\``
}
