// Tells what stands in for content that can't be read: pictures by their first bytes, pointers to large files.

/** Signatures by their hexadecimal digits; `.` stands for any digit. */
const pictures = new RegExp(
  `^(${[
    '89504e470d0a1a0a', // PNG
    'ffd8ff', // JPEG
    '474946383[79]61', // GIF
    '52494646.{8}57454250', // WebP
    '424d', // BMP
    '00000[12]00', // ICO, CUR
    '49492a00|4d4d002a', // TIFF
    '.{8}66747970(61766966|68656963|68656978|6d696631)', // AVIF, HEIC
  ].join('|')})`,
)

/** Whether a file's first bytes (16 are enough) are those of a picture, whatever it is called. */
export function isPicture(bytes: Uint8Array): boolean {
  return pictures.test(Buffer.from(bytes.subarray(0, 16)).toString('hex'))
}

const lfsPointer = /^version https:\/\/git-lfs\.github\.com\/spec\/v\d+\r?\noid sha256:[0-9a-f]{64}\r?\nsize \d+\r?\n?$/

/** Whether a whole text is a pointer of Git LFS: the content is then elsewhere. A header alone doesn't make it one. */
export function isLargeFilePointer(text: string): boolean {
  return lfsPointer.test(text)
}
