// The parser's threads: one parse for all that a review asks of a file, and idle threads that end.
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { SyntaxRequest } from '../src/code/syntax-worker.ts'
import { ThreadPool } from '../src/lib/thread-pool.ts'
import { createRuleParser } from '../src/reviewers/create-rule-parser.ts'
import { createStaticReviewer, expectInspections } from '../src/reviewers/static-reviewer.ts'
import { addedFiles, emptyContext } from './samples/change-of-files.ts'

const runs = vi.spyOn(ThreadPool.prototype, 'run')
const ends: Promise<unknown>[] = []
const watch = (thread: Worker) => ends.push(once(thread, 'exit'))
process.on('worker', watch)
afterAll(() => process.off('worker', watch))
afterEach(() => {
  runs.mockClear()
  ends.length = 0
})

/** The paths that threads were asked to parse. */
function listParsed(): string[] {
  return runs.mock.calls.flatMap(([work]) => (work as SyntaxRequest).files.map(({ path }) => path))
}

describe('a parser for one review', () => {
  const path = 'src/shop.ts'
  const text = 'export function sell(price: number) {\n  if (price === NaN) stop()\n}\n'
  const change = addedFiles({ [path]: text })

  it('parses a file once for its index, the findings of rules and its syntax errors', async () => {
    await using parser = createRuleParser()
    const syntax = parser.forReview('acme')
    expectInspections(syntax, change)
    const index = await syntax.indexFile(path, text)
    const report = await createStaticReviewer(syntax).review(
      change,
      emptyContext,
      AbortSignal.timeout(60_000),
    )
    expect(index?.symbols.map(({ name }) => name)).toEqual(['sell'])
    expect(report.findings.map(({ rule }) => rule)).toEqual(['nan-comparison'])
    expect(await syntax.countErrors(path, text)).toBe(0)
    expect(listParsed()).toEqual([path])
  })

  it('parses another text of the same file again', async () => {
    await using parser = createSyntaxParser()
    const syntax = parser.forReview('acme')
    expect(await syntax.countErrors(path, text)).toBe(0)
    expect(await syntax.countErrors(path, `${text}}`)).toBe(1)
    expect(await syntax.countErrors(path, text)).toBe(0)
    expect(listParsed()).toEqual([path, path])
  })
})

describe('threads', () => {
  it('are as few as read the files in time', async () => {
    const threads: Worker[] = []
    const count = (thread: Worker) => threads.push(thread)
    process.on('worker', count)
    const files = Array.from(
      { length: 20 },
      (_, index) => [`${index}.ts`, `go(${index})\n`] as const,
    )
    await using patient = createSyntaxParser({ threads: 2, growAfterMs: 60_000 })
    await Promise.all(files.map(([path, text]) => patient.indexFile(path, text)))
    expect(threads.length).toBe(1)
    await using impatient = createSyntaxParser({ threads: 2, growAfterMs: 0 })
    const large = 'export function sell(price: number) { return price }\n'.repeat(500)
    await Promise.all(files.map(([path]) => impatient.indexFile(path, large)))
    expect(threads.length).toBe(3)
    process.off('worker', count)
  })

  it('end when there is nothing to read, and start again', async () => {
    await using parser = createSyntaxParser({ threads: 1, idleMs: 1 })
    expect(await parser.countErrors('a.ts', 'f(')).toBe(1)
    await ends[0]
    expect(await parser.countErrors('a.ts', 'f()')).toBe(0)
    expect(ends).toHaveLength(2)
  })

  it('are shared by scans and reviews', async () => {
    await using parser = createSyntaxParser({ threads: 1 })
    const bytes = Buffer.from('export const a = 1\n')
    const files = Array.from({ length: 300 }, (_, at) => ({ path: `src/${at}.ts`, bytes }))
    const ended: string[] = []
    const scan = parser.index(files).then(() => ended.push('scan'))
    const review = parser
      .forReview('acme')
      .indexFile('src/a.ts', 'let a = 1\n')
      .then(() => ended.push('review'))
    await Promise.all([scan, review])
    expect(ended).toEqual(['review', 'scan'])
    expect(ends).toHaveLength(1)
  })
})
