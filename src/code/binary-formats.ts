// Tells what stands in for content that can't be read: pictures by their structure, pointers to large files.

/** What a kind of picture is called, begins with, and ends with. */
interface ImageFormat {
  readonly extension: RegExp
  /** Hexadecimal digits; `.` stands for any digit. */
  readonly begins: RegExp
  readonly ends: (bytes: Buffer) => boolean
}

/** An end mark at the very end, so that nothing is carried behind the picture. */
const endsWith = (mark: string) => (bytes: Buffer) =>
  bytes.subarray(-mark.length / 2).toString('hex') === mark

/** Kinds whose end can be told: in others a program could stand behind a few bytes of picture. */
const imageFormats: readonly ImageFormat[] = [
  { extension: /\.png$/i, begins: /^89504e470d0a1a0a/, ends: endsWith('49454e44ae426082') },
  { extension: /\.jpe?g$/i, begins: /^ffd8ff/, ends: endsWith('ffd9') },
  { extension: /\.gif$/i, begins: /^474946383[79]61/, ends: endsWith('3b') },
  {
    // Resource Interchange File Format: the length of all that follows stands behind its first four bytes.
    extension: /\.webp$/i,
    begins: /^52494646.{8}57454250/,
    ends: (bytes) =>
      bytes.length - 8 - bytes.readUInt32LE(4) <= 1 && bytes.readUInt32LE(4) <= bytes.length - 8,
  },
  { extension: /\.ico$/i, begins: /^00000[12]00/, ends: isWholeIcon },
]

/** The images of an icon fill the file: each entry of its directory has a length at byte 8 and a place at byte 12. */
function isWholeIcon(bytes: Buffer): boolean {
  const count = bytes.readUInt16LE(4)
  if (count === 0 || bytes.length < 6 + 16 * count) return false
  const ends = Array.from({ length: count }, (_, index) => {
    const at = 6 + 16 * index
    return bytes.readUInt32LE(at + 8) + bytes.readUInt32LE(at + 12)
  })
  return Math.max(...ends) === bytes.length
}

/**
 * Whether a file is a picture, by its name, its first bytes, and its end. All three: a program can begin like a picture,
 * and a picture can be run where its name says that it is a program.
 */
export function isImage(path: string, content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (bytes.length < 16) return false
  const start = bytes.toString('hex', 0, 16)
  return imageFormats.some(
    (kind) => kind.extension.test(path) && kind.begins.test(start) && kind.ends(bytes),
  )
}

const lfsPointer =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v\d+\r?\noid sha256:[0-9a-f]{64}\r?\nsize \d+\r?\n?$/

/** Whether a whole text is a pointer of Git LFS: the content is then elsewhere. A header alone doesn't make it one. */
export function isLfsPointer(text: string): boolean {
  return lfsPointer.test(text)
}
