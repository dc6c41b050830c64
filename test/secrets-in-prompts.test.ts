// Secrets in code: no request to a model contains them, and findings about their lines say so.
import { describe, expect, it } from 'vitest'
import type { ProposedFinding } from '../src/domain/finding.ts'
import { createEmbedder, createModels, createUnlimitedBudget } from '../src/models/index.ts'
import { createAgenticReviewer } from '../src/reviewers/agentic-reviewer.ts'
import { createAnswerer } from '../src/reviewers/answerer.ts'
import { createParallelReviewer } from '../src/reviewers/parallel-reviewer.ts'
import { createVerifier } from '../src/reviewers/verifier.ts'
import { anchorCandidate } from '../src/workflows/judging/anchor.ts'
import { createChangeFiles } from '../src/workflows/judging/change-files.ts'
import { startEmbeddingServer } from './fakes/models/embedding-server.ts'
import { type Script, startModelServer } from './fakes/models/model-server.ts'
import { startTestCodeTools } from './fakes/test-code-tools.ts'
import { cardClaim } from './samples/card-claim.ts'
import { addedFiles } from './samples/change-of-files.ts'
import { kinds, never, pack, span } from './samples/price-change.ts'

const createTestCodeTools = startTestCodeTools()

// They are put together here, so that the file itself contains no secret.
const awsKey = ['AKIA', 'Q3EGRVWTMZ7JXH2P'].join('')
const assigned = ['q8Zr2', 'Lw9Xv4Nt7Kb1Ys6'].join('')
const keyLine = 'MIIEowIBAAKCAQEAv7Jq2mT9xWcLr4Zk8Yh1Nf6Bd3Gs5Pu0'
const path = 'src/keys.ts'
const keyEdge = (word: string) => `-----${word} RSA PRIVATE KEY-----`
const lines = [
  `connect('${awsKey}')`,
  `const apiSecret = '${assigned}'`,
  `send('${awsKey}', apiSecret)`,
  `const key = \`${keyEdge('BEGIN')}`,
  keyLine,
  `${keyEdge('END')}\``,
  'done(apiSecret)',
]
const secrets = [awsKey, assigned, keyLine]
const change = addedFiles({ [path]: `${lines.join('\n')}\n` })
const shownDiff = lines.map((line, index) => `${index + 1} +${line}`).join('\n')
const context = pack([span('diff', path, shownDiff)])
const claim = cardClaim({ path, startLine: 1, endLine: 1, quote: lines[0]! })

async function start(script: Script) {
  const kind = kinds[0]!
  const server = await startModelServer({ protocol: kind.protocol, script })
  server.verifyWith(script)
  const models = createModels({
    main: { provider: kind.provider, id: kind.id, apiKey: 'k-0123456789', baseUrl: server.url },
    fast: null,
    timing: { backoffMs: 1 },
  })
  const options = { tools: createTestCodeTools, budget: createUnlimitedBudget() }
  return { server, models, options, [Symbol.asyncDispose]: server.close }
}

/** Reads the file with a tool before it answers. */
const readsFirst =
  (json: object): Script =>
  (request) =>
    request.toolResults.length === 0 && request.tools.includes('read_file')
      ? {
          toolCalls: [
            { name: 'read_file', input: { path } },
            { name: 'search_code', input: { pattern: 'connect|apiSecret' } },
          ],
        }
      : { json }

function expectNoSecrets({ requests }: { requests: readonly object[] }) {
  const bodies = JSON.stringify(requests)
  for (const secret of secrets) expect(bodies).not.toContain(secret)
  expect(bodies).toContain('<redacted secret ')
}

describe('a secret in code is never sent to a model', () => {
  const noFindings = { summary: '', findings: [] }

  it('in agentic mode', async () => {
    await using run = await start(readsFirst(noFindings))
    const reviewer = createAgenticReviewer({ model: run.models.main!, ...run.options })
    await reviewer.review(change, context, never)
    expectNoSecrets(run.server)
    const last = run.server.requests.at(-1)!
    expect(last.toolResults.join('\n')).toContain('<redacted secret ')
  })

  it('in parallel mode', async () => {
    await using run = await start(readsFirst(noFindings))
    const models = { main: run.models.main!, fast: run.models.main! }
    await createParallelReviewer({ models, ...run.options }).review(change, context, never)
    expectNoSecrets(run.server)
  })

  it('by the verifier', async () => {
    await using run = await start(readsFirst({ checks: [] }))
    const verifier = createVerifier({ model: run.models.main!, ...run.options })
    await verifier.verify(change, [claim], never)
    expectNoSecrets(run.server)
  })

  it('in a conversation', async () => {
    await using run = await start(readsFirst({ answer: 'Yes.', position: 'explains' }))
    const answerer = createAnswerer({ model: run.models.main!, ...run.options })
    const question = { finding: null, openFindings: [], replies: [], requester: 'author' as const }
    const text = `Is '${awsKey}' valid?`
    await answerer.answer(change, { ...question, text, maySayNothing: false }, never)
    expectNoSecrets(run.server)
  })

  it('by the embedder', async () => {
    await using server = await startEmbeddingServer()
    const embedder = createEmbedder({
      provider: 'openai',
      id: 'text-embedding-3-small',
      apiKey: 'k-0123456789',
      baseUrl: server.url,
    })
    const request = {
      purpose: 'document' as const,
      timeMs: 10_000,
      budget: createUnlimitedBudget(),
    }
    await embedder.embed({ ...request, texts: [lines.join('\n')] }, never)
    expectNoSecrets(server)
  })
})

describe('a finding about a line with a secret', () => {
  /** Returns the lines as the model is shown them. */
  async function readShown(): Promise<string[]> {
    await using run = await start(() => ({ json: { summary: '', findings: [] } }))
    const reviewer = createAgenticReviewer({
      model: run.models.main!,
      attentionCheck: false,
      ...run.options,
    })
    await reviewer.review(change, context, never)
    const shown = run.server.requests[0]!.text
    return lines.map((_, index) => new RegExp(`^${index + 1} \\+(.*)$`, 'm').exec(shown)![1]!)
  }

  async function anchor(more: Partial<ProposedFinding>) {
    return anchorCandidate(change, createChangeFiles(change), { ...claim, rule: null, ...more })
  }

  it('is anchored by its mark, says so, and offers no suggestion', async () => {
    const shown = await readShown()
    const markOf = (line: string) => /<redacted secret [0-9a-f]{8}>/.exec(line)?.[0]
    expect(markOf(shown[0]!)).toBe(markOf(shown[2]!))
    expect(markOf(shown[0]!)).not.toBe(markOf(shown[1]!))
    for (const index of [0, 1, 2, 4]) {
      const anchored = await anchor({
        startLine: index + 3,
        endLine: index + 3,
        quote: shown[index]!,
        suggestion: 'connect()',
      })
      expect(anchored).toMatchObject({
        startLine: index + 1,
        placement: 'inline',
        quote: '',
        suggestion: null,
        body: expect.stringContaining('The model was shown a mark instead'),
      })
    }
  })

  it('offers no suggestion with a mark on another line either', async () => {
    const [first] = await readShown()
    const named = { startLine: 7, endLine: 7, quote: lines[6]! }
    expect(await anchor({ ...named, suggestion: first! })).toMatchObject({ suggestion: null })
    expect(await anchor({ ...named, suggestion: 'done()' })).toMatchObject({
      suggestion: 'done()',
      body: claim.body,
    })
  })
})
