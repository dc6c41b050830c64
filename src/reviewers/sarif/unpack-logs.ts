// Unpacks SARIF logs from an archive of CI, in memory. Archives are untrusted.
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { readBytes } from '../../lib/read-bytes.ts'
import { SarifError } from './read-sarif.ts'

/** An archive of a whole build isn't one of logs. */
const maxEntries = 1000
const logName = /\.sarif(?:\.json)?$/i

/**
 * Returns the logs in a ZIP archive: the entries that end in `.sarif` or `.sarif.json`, in their
 * order. Names are used for nothing else.
 *
 * @param maxBytes limits all logs together, unpacked; what sizes an archive claims is checked
 * @throws SarifError if it isn't a ZIP archive, is damaged or encrypted, or exceeds a limit
 */
export async function unpackLogs(archive: Uint8Array, maxBytes: number): Promise<Buffer[]> {
  try {
    return await readLogs(archive, maxBytes)
  } catch (error) {
    if (error instanceof SarifError) throw error
    throw new SarifError('it is not a ZIP archive that can be read')
  }
}

async function readLogs(archive: Uint8Array, maxBytes: number): Promise<Buffer[]> {
  const zip = await yauzl.fromBufferPromise(Buffer.from(archive), {
    lazyEntries: true,
    // Names that lead out of a folder are harmless here, and would be reported as errors.
    decodeStrings: false,
    validateEntrySizes: true,
  })
  if (zip.entryCount > maxEntries) throw new SarifError(`it has more than ${maxEntries} files`)
  const logs: Buffer[] = []
  let left = maxBytes
  for await (const entry of zip.eachEntry()) {
    if (!logName.test(String(entry.fileName))) continue
    const log = await readEntry(zip, entry, left)
    left -= log.length
    logs.push(log)
  }
  return logs
}

async function readEntry(zip: ZipFile, entry: Entry, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new SarifError('its logs are too large')
  // The stream ends with an error if there is more than the archive says.
  if (entry.uncompressedSize > maxBytes) throw tooLarge()
  const bytes = await readBytes(await zip.openReadStreamPromise(entry), maxBytes)
  if (bytes === undefined) throw tooLarge()
  return bytes
}
