// Reads the samples of rules from the Markdown files beside the rules and beside languages.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { publicHosts } from '../src/reviewers/rules/dependency-manifest.ts'

/** The samples of a rule in one file. Its extension decides the language. */
export interface RuleSamples {
  readonly rule: string
  readonly file: string
  /** Code in which the rule reports the lines that end in ` ◀`, and no others. */
  readonly reported: readonly string[]
  /** Code in which no rule reports anything. */
  readonly notReported: readonly string[]
}

interface SamplesInProgress extends RuleSamples {
  readonly reported: string[]
  readonly notReported: string[]
}

const root = fileURLToPath(new URL('../', import.meta.url))
const sampleFiles = 'src/{reviewers/rules,languages/*}/samples/*.md'

/**
 * Reads all samples, as they are written: see `decodeSample`.
 *
 * @throws Error at a line that isn't part of the format, which CONTRIBUTING.md describes
 */
export function readRuleSamples(): RuleSamples[] {
  return globSync(sampleFiles, { cwd: root })
    .sort()
    .flatMap((path) => parseSamples(path, readFileSync(`${root}${path}`, 'utf8')))
}

function parseSamples(path: string, text: string): RuleSamples[] {
  const found: SamplesInProgress[] = []
  let rule = ''
  let list: string[] | undefined
  for (const { line, number, code } of readBlocks(path, text)) {
    const current = found.at(-1)
    if (code !== undefined && list !== undefined) list.push(code)
    else if (line.startsWith('# ')) rule = line.slice(2)
    else if (line.startsWith('## '))
      found.push({ rule, file: line.slice(3), reported: [], notReported: [] })
    else if (line === 'Reported:') list = current?.reported
    else if (line === 'Not reported:') list = current?.notReported
    else throw new Error(`${path}:${number}: unknown line: ${line}`)
  }
  return found
}

/** Yields the lines that aren't empty, and for the first line of a code block also its code. */
function* readBlocks(path: string, text: string) {
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!
    const number = index + 1
    const fence = /^`{3,}/.exec(line)?.[0]
    if (fence !== undefined) {
      const end = lines.indexOf(fence, index + 1)
      if (end === -1) throw new Error(`${path}:${number}: the code block doesn't end.`)
      yield { line, number, code: lines.slice(index + 1, end).join('\n') }
      index = end
    } else if (line !== '') yield { line, number, code: undefined }
  }
}

/** Characters that a sample must not contain as they are, see `decodeSample`. */
const placeholder = /⟦([^⟧]*)⟧/g

/**
 * Returns the code that a sample stands for. `⟦⟧` splits what secret scanners would report,
 * `⟦202e 2066⟧` are invisible characters by their numbers, and `⟦npm host 1⟧` is the address of a
 * public registry.
 */
export function decodeSample(sample: string): string {
  return sample.replaceAll(placeholder, (_, content: string) => {
    const host = /^(\w+) host (\d)$/.exec(content)
    if (host) return publicHosts[host[1] as keyof typeof publicHosts][Number(host[2]) - 1]!
    const codes = content === '' ? [] : content.split(' ')
    return String.fromCodePoint(...codes.map((code) => Number.parseInt(code, 16)))
  })
}
