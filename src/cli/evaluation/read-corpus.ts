// Reads a corpus: changes with the places that a review should find, in our format or AACR-Bench's.
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { UsageError } from '../exit-codes.ts'

/** Where a review should find something. */
export interface ExpectedPlace {
  readonly path: string
  readonly side: 'RIGHT' | 'LEFT'
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

/** A change of the corpus. Without expected places, it is known to be clean. */
export interface CorpusChange {
  /** The form is `owner/name`. */
  readonly repository: string
  readonly base: string
  readonly head: string
  readonly expected: readonly ExpectedPlace[]
}

const repository = z.string().regex(/^[\w.-]+\/[\w.-]+$/)
const commit = z.string().regex(/^[0-9a-f]{40,64}$/)
const line = z.int().min(1)

const ownFormat = z
  .object({
    version: z.literal(1),
    changes: z.array(
      z.object({
        repository,
        base: commit,
        head: commit,
        expected: z.array(
          z.object({
            path: z.string(),
            side: z.enum(['new', 'old']).default('new'),
            start_line: line,
            end_line: line.optional(),
          }),
        ),
      }),
    ),
  })
  .transform(({ changes }) =>
    changes.map(({ expected, ...commits }): CorpusChange => {
      const places = expected.map(({ path, side, start_line: start, end_line: end = start }) =>
        toPlace({ path, isOld: side === 'old', start, end }),
      )
      return { ...commits, expected: places }
    }),
  )

/** https://github.com/alibaba/aacr-bench: dataset/positive_samples.json */
const aacrFormat = z
  .array(
    z.object({
      githubPrUrl: z.url(),
      source_commit: commit,
      target_commit: commit,
      comments: z.array(
        z.object({
          path: z.string(),
          side: z.enum(['left', 'right']),
          from_line: line.nullable(),
          to_line: line,
        }),
      ),
    }),
  )
  .transform((samples) =>
    samples.map(({ githubPrUrl, source_commit, target_commit, comments }): CorpusChange => {
      const [, owner, name] = new URL(githubPrUrl).pathname.split('/')
      const expected = comments.map(({ path, side, from_line, to_line }) =>
        toPlace({ path, isOld: side === 'left', start: from_line ?? to_line, end: to_line }),
      )
      return {
        repository: `${owner}/${name}`,
        base: target_commit,
        head: source_commit,
        expected,
      }
    }),
  )

interface GivenPlace {
  readonly path: string
  readonly isOld: boolean
  readonly start: number
  readonly end: number
}

/** Some published places have their lines in reverse order. */
function toPlace({ path, isOld, start, end }: GivenPlace): ExpectedPlace {
  const side = isOld ? 'LEFT' : 'RIGHT'
  return { path, side, startLine: Math.min(start, end), endLine: Math.max(start, end) }
}

/** Throws UsageError if the file can't be read or is no corpus. */
export async function readCorpus(file: string): Promise<CorpusChange[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`${file} can't be read: ${error.message}`)
  })
  const content = parseJson(text, file)
  const parsed = (Array.isArray(content) ? aacrFormat : ownFormat).safeParse(content)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]!
  throw new UsageError(`${file} is not a corpus: ${path.join('.') || 'the document'}: ${message}`)
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${file} is not JSON`)
  }
}
