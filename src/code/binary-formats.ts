// Recognizes images by their structure, and Git LFS pointers.

interface ImageFormat {
  readonly extension: RegExp
  /** The pattern is applied to the first 16 bytes as hexadecimal digits. */
  readonly start: RegExp
  /** Whether the image ends at the end of the file. */
  readonly isWhole: (bytes: Buffer) => boolean
}

/** The mark must end the file, so that nothing can be hidden behind the image. */
const endsWith = (mark: string) => (bytes: Buffer) =>
  bytes.subarray(-mark.length / 2).toString('hex') === mark

/** Only formats with a recognizable end: in others a program could follow the image. */
const imageFormats: readonly ImageFormat[] = [
  { extension: /\.png$/i, start: /^89504e470d0a1a0a/, isWhole: endsWith('49454e44ae426082') },
  { extension: /\.jpe?g$/i, start: /^ffd8ff/, isWhole: endsWith('ffd9') },
  { extension: /\.gif$/i, start: /^474946383[79]61/, isWhole: endsWith('3b') },
  {
    extension: /\.webp$/i,
    start: /^52494646.{8}57454250/,
    isWhole: isWholeRiff,
  },
  { extension: /\.ico$/i, start: /^00000[12]00/, isWhole: isWholeIcon },
]

/** Bytes 4 to 7 of a RIFF file hold the length of the rest, which may have a byte of padding. */
function isWholeRiff(bytes: Buffer): boolean {
  const padding = bytes.length - 8 - bytes.readUInt32LE(4)
  return padding === 0 || padding === 1
}

/** The images fill the file. Each entry has a length at byte 8 and an offset at byte 12. */
function isWholeIcon(bytes: Buffer): boolean {
  const count = bytes.readUInt16LE(4)
  if (count === 0 || bytes.length < 6 + 16 * count) return false
  const imageEnds = Array.from({ length: count }, (_, index) => {
    const entry = 6 + 16 * index
    return bytes.readUInt32LE(entry + 8) + bytes.readUInt32LE(entry + 12)
  })
  return Math.max(...imageEnds) === bytes.length
}

/**
 * Whether a file is an image by its name, its first bytes and its end. All three are required: a
 * program can begin like an image, and an image with the name of a program can be executed.
 */
export function isImage(path: string, content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (bytes.length < 16) return false
  const start = bytes.toString('hex', 0, 16)
  return imageFormats.some(
    (format) => format.extension.test(path) && format.start.test(start) && format.isWhole(bytes),
  )
}

const lfsPointer = new RegExp(
  [
    String.raw`^version https://git-lfs\.github\.com/spec/v\d+`,
    'oid sha256:[0-9a-f]{64}',
    String.raw`size \d+\r?\n?$`,
  ].join(String.raw`\r?\n`),
)

/** Whether the whole text is a Git LFS pointer; one that only starts like a pointer isn't. */
export function isLfsPointer(text: string): boolean {
  return lfsPointer.test(text)
}
