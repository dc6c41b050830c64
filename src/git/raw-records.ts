// Reads the lists that git prints with NUL after each field, and its raw diff format.

/** A file that differs (git-diff-tree(1), raw output format). */
export interface RawRecord {
  /** A letter, without the similarity behind the one of a rename. */
  readonly status: string
  readonly mode: string
  readonly oid: string
  readonly old: { readonly mode: string; readonly oid: string }
  readonly path: Buffer
  /** Undefined unless the file was renamed. */
  readonly oldPath: Buffer | undefined
}

/**
 * Parses `:<old mode> <mode> <old oid> <oid> <status>` NUL `<path>` NUL; a rename has the new path
 * as a second one.
 */
export function readRawRecords(raw: Buffer): RawRecord[] {
  const fields = splitFields(raw).values()
  const records: RawRecord[] = []
  for (const field of fields) {
    const [oldMode = '', mode = '', oldOid = '', oid = '', states = ''] = field
      .toString('latin1')
      .split(' ')
    const status = states.slice(0, 1)
    const oldPath = status === 'R' ? fields.next().value : undefined
    const path = fields.next().value
    if (path === undefined) break
    records.push({
      status,
      mode,
      oid,
      path,
      oldPath,
      old: { mode: oldMode.slice(1), oid: oldOid },
    })
  }
  return records
}

/** Splits a list of fields, each terminated by NUL. */
export function splitFields(raw: Buffer): Buffer[] {
  const fields: Buffer[] = []
  let start = 0
  for (let end = raw.indexOf(0); end !== -1; end = raw.indexOf(0, start)) {
    fields.push(raw.subarray(start, end))
    start = end + 1
  }
  return fields
}
