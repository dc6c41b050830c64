// Encodes untrusted text as parts of a URL path.

/**
 * Encodes text as one segment. Undefined for an empty one, `.` and `..`, which stay special when
 * encoded.
 */
export function encodeSegment(text: string): string | undefined {
  return text === '' || text === '.' || text === '..'
    ? undefined
    : encodeURIComponent(text.toWellFormed())
}

/** Encodes a file's path, segment by segment. Undefined where a segment can't be encoded. */
export function encodeFilePath(path: string): string | undefined {
  const segments = path.split('/').map(encodeSegment)
  return segments.includes(undefined) ? undefined : segments.join('/')
}
