// A change of two files, the context that shows it, and what a model says about it: for tests of reviewers with a model.
import { expect } from 'vitest'
import type { Change } from '../../src/domain/change.ts'
import { ModelError } from '../../src/domain/errors.ts'
import { parseDiff } from '../../src/git/parse-diff.ts'
import type { ModelConfig } from '../../src/models/index.ts'
import type { ContextSpan, PackedContext } from '../../src/reviewers/packed-context.ts'
import { createMemorySnapshot } from '../fakes/memory-snapshot.ts'
import type { ModelRequest, ProtocolName } from '../fakes/models/model-server.ts'
import { bareChange, programsOf, samplePullRequest } from './change-of-files.ts'

const diffText = `diff --git a/src/price.ts b/src/price.ts
--- a/src/price.ts
+++ b/src/price.ts
@@ -1,3 +1,3 @@
 export function total(items) {
-  return sum(items)
+  return items.length
 }
diff --git a/src/cart.ts b/src/cart.ts
--- a/src/cart.ts
+++ b/src/cart.ts
@@ -1 +1 @@
-const a = 1
+const a = 2
`
export const finding = {
  path: 'src/price.ts',
  side: 'RIGHT',
  start_line: 2,
  end_line: 2,
  quote: 'return items.length',
  severity: 'critical',
  category: 'correctness',
  title: 'The total is the number of items',
  body: 'When two items cost 5 each, then the total is 2.',
  suggestion: '  return sum(items)',
  evidence: [{ path: 'src/cart.ts', line: 1, note: 'uses the total' }],
  confidence: 0.9,
}
export const answer = { summary: 'It changes how totals are computed.', findings: [finding] }
export const never = new AbortController().signal

export const kinds: readonly {
  protocol: ProtocolName
  provider: ModelConfig['provider']
  id: string
}[] = [
  { protocol: 'anthropic', provider: 'anthropic', id: 'claude-opus-5-5' },
  { protocol: 'openai-responses', provider: 'openai', id: 'gpt-5.1' },
  { protocol: 'google', provider: 'google', id: 'gemini-3-flash-preview' },
  { protocol: 'openai-chat', provider: 'compatible', id: 'local' },
]
export const anthropicKind = kinds[0]!

export const files = {
  'src/price.ts': 'export function total(items) {\n  return items.length\n}\n',
  'src/cart.ts': 'const a = 2\n',
}

export function makeChange(headFiles: Record<string, string> = files, text = diffText): Change {
  const diff = parseDiff(text)
  return {
    ...bareChange,
    pullRequest: {
      ...samplePullRequest,
      number: 7,
      title: 'Faster totals',
      author: 'someone',
      url: 'https://forge.test/acme/shop/pull/7',
      head: { branch: 'totals', sha: 'b'.repeat(40), repo: 'acme/shop' },
      base: { branch: 'main', sha: 'c'.repeat(40) },
      additions: 2,
      deletions: 2,
      changedFiles: 2,
    },
    headSha: 'b'.repeat(40),
    mergeBaseSha: 'c'.repeat(40),
    diff,
    files: diff.files,
    exemptFiles: [],
    needs: programsOf(diff.files),
    skipped: [],
    notes: [],
    head: createMemorySnapshot(headFiles),
    base: createMemorySnapshot({}),
  }
}

export function span(
  origin: string,
  path: string | null,
  text: string,
  more: Partial<ContextSpan> = {},
): ContextSpan {
  return { origin, path, text, trust: 'untrusted', tokens: 100, ...more }
}

export const header = span('pull_request', null, 'Title: Faster totals')
export const priceSpan = span('diff', 'src/price.ts', '    2     2 +  return items.length')
export const cartSpan = span('diff', 'src/cart.ts', '          1 +const a = 2')

export function pack(...rounds: ContextSpan[][]): PackedContext {
  return { rounds: rounds.map((spans) => ({ spans, tokens: spans.length * 100 })), omitted: [] }
}

export const onePack = pack([header, priceSpan, cartSpan])

/** The ModelError that a promise ends with. */
export async function failureOf(promise: Promise<unknown>): Promise<ModelError> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(ModelError)
  return error as ModelError
}

/** The blocks of a message: what stands in them, and what stands outside. */
export function splitBlocks(request: ModelRequest): {
  inside: string[]
  outside: string
  mark: string
} {
  const mark = /The mark of this message is ([0-9a-f]{16})\./.exec(request.text)![1]!
  const block = new RegExp(`<data-${mark} [^\\n]*>\\n([\\s\\S]*?)\\n</data-${mark}>`, 'g')
  return {
    mark,
    inside: [...request.text.matchAll(block)].map((m) => m[1]!),
    outside: request.text.replace(block, ''),
  }
}
