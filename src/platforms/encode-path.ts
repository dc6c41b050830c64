// Encodes untrusted text as parts of an address.

/** Encodes text as one segment of a path. Undefined for an empty segment, `.` and `..`: no encoding protects those. */
export function encodeSegment(text: string): string | undefined {
  return text === '' || text === '.' || text === '..'
    ? undefined
    : encodeURIComponent(text.toWellFormed())
}

/** Encodes a file's path, segment by segment. Undefined where one of them can't be. */
export function encodeFilePath(path: string): string | undefined {
  const segments = path.split('/').map(encodeSegment)
  return segments.includes(undefined) ? undefined : segments.join('/')
}
