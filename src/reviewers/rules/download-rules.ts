// The rule about commands that run what they have just downloaded.

import { downloadKeyword, findPipedDownload } from '../../code/piped-downloads.ts'
import { isCommentLine, isProsePath } from './comments.ts'
import type { Hit, Rule, TextLine } from './rule.ts'

/** Writes all versions alike. */
function withoutVersions(text: string): string {
  return text.replace(/\bv?\d[\w.]*/g, '0').trim()
}

function checkDownload({ text, next, path, deleted }: TextLine): Omit<Hit, 'at'> | undefined {
  // A backslash, a pipe or `&&` at the end continues the command on the next line.
  const isContinued = /(?:\\|\||&&)\s*$/.test(text)
  const command = isContinued ? `${text.replace(/\\\s*$/, ' ')} ${next.trim()}` : text
  const download = findPipedDownload(command)
  if (!download || isCommentLine(text, path) || isProsePath(path)) return undefined
  // The command was there before, with another version or elsewhere in the file.
  const plain = withoutVersions(text)
  if (deleted.some((line) => withoutVersions(line) === plain)) return undefined
  const { index, length } = download
  // The hash of a commit fixes what is downloaded.
  if (/https:\/\/\S*\/[0-9a-f]{40}\//.test(command.slice(index, index + length))) return undefined
  // Plain HTTP lets everyone on the network path replace the response.
  const isPlain = /http:\/\/(?!localhost|127\.|\[::1\])/i.test(command.slice(index, index + length))
  return {
    title: isPlain
      ? 'A script is downloaded over plain HTTP and executed'
      : 'A download is executed without verification',
    body:
      "When the server, its account or the connection is compromised, the attacker's " +
      'commands run here with all rights of this step. Download a fixed version, verify its ' +
      'checksum, and then run the file.',
    ...(isPlain && { severity: 'critical' as const }),
  }
}

export const downloadRules: readonly Rule[] = [
  {
    id: 'piped-download',
    summary:
      'A downloaded script or encoded text is executed directly (`curl … | sh`). Critical over ' +
      'plain HTTP.',
    seeAlso: ['CWE-494'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    line: checkDownload,
    keyword: downloadKeyword,
  },
]
