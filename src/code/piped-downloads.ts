// Recognizes commands in a line of any language that run what they have downloaded or decoded.

const download = `(?:curl|wget|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod)`

/**
 * An interpreter that runs its standard input. With a program in its arguments (`-c`, `-e`), it
 * only reads data from there.
 */
const interpreter =
  String.raw`(?:sudo(?:\s+-\S{1,20}){0,4}\s+|env\s+(?:\S{1,60}=\S{0,60}\s+){0,4})?` +
  String.raw`(?:[\w./]{0,40}\/)?` +
  String.raw`(?:(?:(?:ba|z|k|da|fi|a)?sh|pwsh|powershell)(?![\w.-])(?!\s+-\w{0,8}c\b)` +
  String.raw`|(?:python|pypy)[\d.]{0,5}(?![\w.-])(?!\s+-\w{0,8}[cm]\b)` +
  String.raw`|(?:node|deno|bun|perl|ruby|php|lua|osascript)(?![\w.-])(?!\s+-\w{0,8}[cemnpr])` +
  String.raw`|(?:iex|invoke-expression)\b)`

const shell = String.raw`\b(?:ba|z|k|da)?sh`

/** Bounds every repetition, so that a line is read in linear time. */
const patterns: readonly RegExp[] = [
  String.raw`\b(?:${download}\b|base64\s+(?:-d|--decode)\b|xxd\s+-r\b)` +
    String.raw`[^|\n]{0,300}\|&?\s*(?:[^|\n]{0,80}\|\s*){0,3}${interpreter}`,
  String.raw`(?:${shell}(?:\s+-\w{1,8}){0,3}|\bsource|(?:^|[\s;&])\.)\s+<\(\s*${download}\b`,
  String.raw`(?:\beval|${shell}\s+-\w{0,8}c)\s{1,5}["']?\s{0,5}(?:\$\(|\x60)\s{0,5}${download}\b`,
  String.raw`\b(?:iex|invoke-expression)\b\s{0,5}[(&\x22'$\x60]` +
    String.raw`[^\n]{0,200}\b(?:${download}|downloadstring)\b`,
  String.raw`\bdownloadstring\s{0,5}\([^\n]{0,200}\|\s{0,5}(?:iex|invoke-expression)\b`,
  String.raw`\bexec\(\s{0,5}(?:\w{1,30}\.){0,3}(?:urlopen|requests\.get|httpx\.get)\(`,
  String.raw`\b(?:eval|Function)\(\s{0,5}\(?\s{0,5}(?:await\s{1,5}){0,2}` +
    String.raw`\(?\s{0,5}(?:await\s{1,5})?(?:fetch|axios(?:\.get)?|got)\(`,
].map((source) => new RegExp(source, 'i'))

const downloadCommand = new RegExp(String.raw`\b${download}\b`, 'i')

/** A command that runs a file: the end of `curl -o setup.sh …; sh setup.sh`. */
const runFile =
  /(?:&&|;)\s{0,5}(?:sudo\s{1,5})?(?:(?:ba|z|k|da)?sh|source|python[\d.]{0,5}|\.)\s{1,5}([^-\s|&;"'`]{1,120})/gi

/** Finds the part of a line that downloads and runs something; undefined if there is none. */
export function findPipedDownload(text: string): { index: number; length: number } | undefined {
  for (const pattern of patterns) {
    const match = pattern.exec(text)
    if (match) return { index: match.index, length: match[0].length }
  }
  const start = downloadCommand.exec(text)?.index
  if (start === undefined) return undefined
  for (const match of text.slice(start).matchAll(runFile)) {
    const path = match[1]!
    const name = path.slice(path.lastIndexOf('/') + 1)
    const isDownloaded = name !== '' && text.slice(start, start + match.index).includes(name)
    if (isDownloaded) return { index: start, length: match.index + match[0].length }
  }
  return undefined
}

/** Matches every line with a piped download, if case is ignored. */
export const downloadKeyword =
  /curl|wget|aria2c|base64|xxd|\b(?:iwr|irm|iex)\b|invoke-|downloadstring|exec\(|eval\(|Function\(/
