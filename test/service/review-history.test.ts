// Reviews of one pull request over many pushes, with real git.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hold, replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import { type ModelServer, type Reply, startModelServer } from '../fakes/models/model-server.ts'
import { claimsOf, confirmAll, makeCheck } from '../fakes/models/verification.ts'
import { cloneRepository, type WorkingCopy } from '../fakes/working-copy.ts'
import { ownComments, repo, runsOf, type Scenario, startScenario } from '../review-scenario.ts'

let server: ModelServer
let scenario: Scenario
let copy: WorkingCopy
/** The claims of the model about each change. Their wording differs in each response. */
let claims: readonly Claim[] = []
let answers = 0

interface Claim {
  readonly path: string
  readonly quote: string
  readonly severity?: 'critical' | 'moderate' | 'minor'
  readonly category?: string
  readonly title?: string
  readonly side?: 'LEFT' | 'RIGHT'
  /** The suggestion in the n-th answer, which then also cites another location. */
  readonly offer?: (answer: number) => string
}

beforeAll(async () => {
  server = await startModelServer({ protocol: 'anthropic', script: answerRequest })
  scenario = await startScenario({
    env: {
      MODEL: 'anthropic:claude-opus-5-5',
      MODEL_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'sk-test-0123456789',
    },
  })
})
afterAll(async () => {
  await scenario[Symbol.asyncDispose]()
  await server.close()
})
beforeEach(async () => {
  claims = []
  copy = await cloneRepository(scenario.forge.cloneUrl(repo), {
    login: 'alice',
    token: 'ghp_token_of_alice',
  })
})
afterEach(async () => {
  server.respondWith(answerRequest)
  server.verifyWith(confirmAll)
  scenario.forge.faults.clear()
  await copy[Symbol.asyncDispose]()
})

function answerRequest(): Reply {
  return { json: { summary: 'It changes the shop.', findings: claims.map(wordClaim) } }
}

/** A model describes the same claim differently in each run. */
function wordClaim(claim: Claim) {
  const {
    path,
    quote,
    title,
    side = 'RIGHT',
    severity = 'moderate',
    category = 'correctness',
    offer,
  } = claim
  answers += 1
  return {
    path,
    side,
    start_line: 1,
    end_line: 1,
    quote,
    severity,
    category,
    title: title ?? `Fault${answers} in words${answers}`,
    body: `When it runs, then answer ${answers} says that it breaks.`,
    suggestion: offer?.(answers) ?? null,
    evidence: offer ? [{ path: 'README.md', line: 1, note: `Answer ${answers} saw it here.` }] : [],
    confidence: 0.9,
  }
}

const secret = `sk_${'live'}_51Hq2eKLmV9wXyZ8rT4uBnC7dPfGjA3sX`

/** Contains two defects that rules report. One of them has no quote that may be stored. */
const ruleDefects = `// Notifies customers.
import { send } from 'mailer'

const key = '${secret}'

export function notifyAll(names: string[]): void {
  names.forEach(async (name) => {
    await send(name, key)
  })
}
`

/** Contains a defect that no rule reports. */
const discount = `// Discounts.
export function discountOf(count: number): number {
  // Ten and more get a tenth off.
  if (count > 10) {
    return 0.1
  }
  return 0
}
`
const discountDefect = 'if (count > 10) {'

/** Who reports the defects, in which file, how many there are, and the file without them. */
const kinds = [
  {
    kind: 'rules',
    faulty: ruleDefects,
    defects: 2,
    fixed: 'export const nobody = 1\n',
    quote: null,
  },
  {
    kind: 'a model',
    faulty: discount,
    defects: 1,
    fixed: discount.replace('> 10', '>= 10'),
    quote: discountDefect,
  },
] as const

/** Creates a branch with these files, opens a pull request from it and waits for its review. */
async function openChange(branch: string, files: Record<string, string>): Promise<number> {
  await copy.git('switch', '--quiet', '--create', branch)
  await copy.commit(files, `Work on ${branch}`)
  await copy.push()
  const number = await scenario.forge.openPullRequest({
    repo,
    head: branch,
    title: branch,
    author: 'alice',
  })
  await scenario.waitUntilSettled()
  return number
}

async function pushChange(files: Record<string, string | null> = {}): Promise<void> {
  if (Object.keys(files).length > 0) await copy.commit(files)
  await copy.push()
  await scenario.waitUntilSettled()
}

async function show(number: number) {
  const view = scenario.forge.pullRequest(repo, number)
  const { summaries, inline } = ownComments(view)
  const stored = await scenario.app.db
    .selectFrom('findings')
    .selectAll()
    .where('prNumber', '=', number)
    .orderBy('id')
    .execute()
  const runs = await runsOf(scenario.app, number)
  return { view, summaries, summary: summaries[0]?.body ?? '', inline, stored, run: runs.at(-1) }
}

/** Expects one summary of the current head, these threads (`true` if resolved) and these states. */
async function expectState(number: number, threads: readonly boolean[], states: readonly string[]) {
  const { view, summaries, summary, inline, stored, run } = await show(number)
  expect(run).toMatchObject({ status: 'completed', headSha: view.headSha })
  expect(summaries).toHaveLength(1)
  expect(summary).toContain(`head=${view.headSha} `)
  expect(inline).toHaveLength(threads.length)
  expect(view.threads.map((thread) => thread.resolved)).toEqual(threads)
  expect(stored.map(({ state }) => state)).toEqual(states)
}

describe.each(kinds)('findings of $kind', ({ kind, faulty, defects, fixed, quote }) => {
  const path = 'src/new/faulty.ts'
  const times = <T>(value: T): T[] => Array.from({ length: defects }, () => value)
  const branchOf = (name: string) => `${name}-${kind.replace(' ', '-')}`
  const find = (at: string | null) => {
    claims = at === null || quote === null ? [] : [{ path: at, quote }]
  }
  const open = async (name: string) => {
    find(path)
    return openChange(branchOf(name), { [path]: faulty })
  }
  const expectOnce = (number: number) => expectState(number, times(false), times('open'))

  it('are posted once when the same tree is pushed again', async () => {
    const number = await open('amend')
    await expectOnce(number)
    await copy.git('commit', '--quiet', '--amend', '--message', 'The same in other words')
    await pushChange()
    await expectOnce(number)
  })

  it('are posted once when the history is rewritten and lines move', async () => {
    const number = await open('rewrite')
    await copy.git('reset', '--quiet', '--hard', 'origin/main')
    await pushChange({
      'src/more.ts': 'export const more = 1\n',
      [path]: `export const above = 1\n\n${faulty}`,
    })
    await expectOnce(number)
    const { inline, stored } = await show(number)
    expect(inline.map((comment) => comment.originalLine + 2)).toEqual(
      stored.map((finding) => finding.startLine),
    )
  })

  it('are posted once after a rebase and after a merge from the base', async () => {
    const number = await open('rebase')
    const moveBase = (name: string) =>
      scenario.forge.push(repo, 'main', {
        [`src/${branchOf(name)}.ts`]: `export const ${name} = 1\n`,
      })
    await moveBase('first')
    await copy.git('fetch', '--quiet')
    await copy.git('rebase', '--quiet', 'origin/main')
    await pushChange()
    await expectOnce(number)
    await moveBase('second')
    await copy.git('fetch', '--quiet')
    await copy.git('merge', '--quiet', '--no-edit', 'origin/main')
    await pushChange()
    await expectOnce(number)
    expect((await show(number)).run?.coverage).toMatchObject({ filesTotal: 1 })
  })

  it('follow their file when git sees a new one', async () => {
    const number = await open('rename')
    for (const next of ['src/new/other-name.ts', 'src/elsewhere/other-name.ts']) {
      find(next)
      const before = (await show(number)).stored[0]?.path ?? ''
      await pushChange({ [before]: null, [next]: `// Moved.\n${faulty}` })
      await expectOnce(number)
      expect((await show(number)).stored.map((finding) => finding.path)).toEqual(times(next))
    }
  })

  it('follow a base file that is changed, renamed and renamed back', async () => {
    const lines = Array.from(
      { length: 40 },
      (_, index) => `export const line${index} = ${index}\n`,
    ).join('')
    const name = `src/${branchOf('old')}.ts`
    await scenario.forge.push(repo, 'main', { [name]: lines })
    await copy.git('pull', '--quiet')
    find(name)
    const number = await openChange(branchOf('rename-back'), { [name]: `${lines}\n${faulty}` })
    await expectOnce(number)
    for (const next of ['src/new-name.ts', name]) {
      const [before] = (await show(number)).stored
      find(next)
      await pushChange({ [before?.path ?? '']: null, [next]: `${lines}\n${faulty}` })
      await expectOnce(number)
      expect((await show(number)).stored.map((finding) => finding.path)).toEqual(times(next))
    }
  })

  it('are resolved by a fix, reopened by its revert and resolved by a reset', async () => {
    // A finding of a secret outlasts its removal (see below), so the secret is left out here.
    const [harmless, count] = kind === 'rules' ? [faulty.replace(secret, ''), 1] : [faulty, defects]
    const times = <T>(value: T): T[] => Array.from({ length: count }, () => value)
    find(path)
    const number = await openChange(branchOf('revert'), { [path]: harmless })
    find(null)
    await pushChange({ [path]: fixed })
    await expectState(number, times(true), times('resolved'))
    expect((await show(number)).summary).toContain(`Since the last review: ${count} resolved.`)

    find(path)
    await copy.git('revert', '--no-edit', 'HEAD')
    await pushChange()
    await expectState(number, [...times(true), ...times(false)], times('open'))
    const back = await show(number)
    expect(back.stored.map(({ reopened }) => reopened)).toEqual(times(1))
    expect(back.summary).toContain(`Since the last review: ${count} came back.`)

    find(null)
    await copy.git('reset', '--quiet', '--hard', 'origin/main')
    await pushChange({ 'README.md': 'Another change.\n' })
    await expectState(number, times(true).concat(times(true)), times('resolved'))
  })
})

describe('a repeated claim', () => {
  it('is matched by its title when the model changes its category', async () => {
    const path = 'src/discount.ts'
    const title = 'Exactly ten articles get no discount'
    claims = [{ path, quote: discountDefect, title }]
    const number = await openChange('other-category', { [path]: discount })
    claims = [{ path, quote: discountDefect, title: `${title} here`, category: 'data-loss' }]
    // The code next to the claim changed, so the ratchet lets new claims through.
    await pushChange({ [path]: discount.replace('0.1', '0.2') })
    await expectState(number, [false], ['open'])
    claims = [...claims, { path, quote: discountDefect, category: 'security' }]
    await pushChange({ [path]: discount.replace('0.1', '0.3') })
    await expectState(number, [false, false], ['open', 'open'])
  })
})

describe('a claim about a deleted line', () => {
  it('follows its file while the change deletes the line', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `export const line${index} = ${index}\n`)
    await scenario.forge.push(repo, 'main', { 'src/check.ts': `check()\n${lines.join('')}` })
    await copy.git('pull', '--quiet')
    claims = [{ path: 'src/check.ts', quote: 'check()', side: 'LEFT' }]
    const number = await openChange('deleted-line', { 'src/check.ts': lines.join('') })
    await expectState(number, [false], ['open'])
    claims = []
    await copy.git('mv', 'src/check.ts', 'src/checked.ts')
    await pushChange({ 'src/always.ts': 'export const always = 1\n' })
    await expectState(number, [false], ['open'])
    await pushChange({ 'src/checked.ts': `check()\n${lines.join('')}` })
    await expectState(number, [true], ['resolved'])
  })
})

describe('the ratchet', () => {
  const path = 'src/discount.ts'
  const also = 'export const always = 1\n'

  it('suppresses new claims about unchanged code that are no worse', async () => {
    claims = [{ path, quote: discountDefect }]
    const number = await openChange('ratchet-same', { [path]: discount })
    claims = [
      { path, quote: discountDefect, severity: 'minor' },
      { path, quote: 'return 0.1', category: 'performance' },
      { path, quote: 'export function discountOf(count: number): number {', severity: 'minor' },
    ]
    await pushChange({ [path]: `${discount}\n${also}` })
    await expectState(number, [false], ['open'])
    const { summary, inline, stored } = await show(number)
    expect(summary).toContain(
      '- 2 new claims about unchanged code were not reported: ' +
        'no worse than what was reported before.',
    )
    // The finding keeps its posted wording and severity.
    expect(summary).toMatch(/^### 🟡 Needs a person: 1 moderate$/m)
    expect(inline[0]?.body).toContain(stored[0]?.title)
    expect(summary).toContain(`[${stored[0]?.title}](http`)
  })

  it('does not edit a comment on unchanged code when the suggestion changes', async () => {
    claims = [{ path, quote: discountDefect, offer: (answer) => `  if (count > ${answer}) {` }]
    const number = await openChange('ratchet-offers', { [path]: discount })
    const before = (await show(number)).inline[0]!
    expect(before.body).toMatch(/^ {2}if \(count > \d+\) \{$/m)
    expect(before.body).toContain('saw it here')
    await pushChange({ 'src/always.ts': also })
    const { inline, stored } = await show(number)
    expect(inline).toMatchObject([{ body: before.body, edits: 0 }])
    expect(before.body).toContain(stored[0]!.suggestion)
  })

  it('lets through a claim that is worse than all earlier ones in its file', async () => {
    claims = [{ path, quote: discountDefect }]
    const number = await openChange('ratchet-worse', { [path]: discount })
    claims = [...claims, { path, quote: 'return 0.1', category: 'data-loss', severity: 'critical' }]
    await pushChange({ 'src/always.ts': also })
    await expectState(number, [false, false], ['open', 'open'])
    // The worst claim is critical now. Lesser claims are suppressed, but critical ones never are.
    claims = [...claims, { path, quote: 'export function discountOf(count: number): number {' }]
    await pushChange({ 'src/always.ts': `${also}// changed\n` })
    await expectState(number, [false, false], ['open', 'open'])
    claims = [
      ...claims.slice(0, 2),
      { path, quote: 'return 0\n', category: 'security', severity: 'critical' },
    ]
    await pushChange({ 'src/always.ts': `${also}// changed again\n` })
    await expectState(number, [false, false, false], ['open', 'open', 'open'])
  })

  it('lets through claims on changed lines, and moderate ones in clean files', async () => {
    const number = await openChange('ratchet-new', { [path]: discount })
    claims = [{ path, quote: 'return 0.1', category: 'performance', severity: 'minor' }]
    await pushChange({ 'src/always.ts': also })
    await expectState(number, [], [])
    claims = [{ path: 'src/always.ts', quote: 'export const often = 2', severity: 'minor' }]
    await pushChange({ 'src/always.ts': `${also}export const often = 2\n` })
    await expectState(number, [false], ['open'])
    claims = [...claims, { path, quote: discountDefect }]
    await pushChange({ 'src/other.ts': also })
    await expectState(number, [false, false], ['open', 'open'])
  })

  it('holds over a rebase, a rename and a review whose model failed', async () => {
    claims = [{ path, quote: discountDefect }]
    const number = await openChange('ratchet-moves', { [path]: discount })
    const late = (at: string) => [
      { path: at, quote: discountDefect },
      { path: at, quote: 'return 0.1', category: 'performance' },
    ]
    server.respondWith(() => ({ refusal: 'I would rather not.' }))
    await pushChange({ 'src/always.ts': also })
    server.respondWith(answerRequest)
    await scenario.forge.push(repo, 'main', { 'src/ratchet-base.ts': also })
    await copy.git('fetch', '--quiet')
    await copy.git('rebase', '--quiet', 'origin/main')
    claims = late(path)
    await pushChange()
    await expectState(number, [false], ['open'])
    claims = late('src/renamed.ts')
    await copy.git('mv', path, 'src/renamed.ts')
    await pushChange({ 'src/always.ts': `${also}// changed\n` })
    await expectState(number, [false], ['open'])
  })

  it('suppresses a refuted claim while its code is unchanged', async () => {
    claims = [{ path, quote: discountDefect }]
    const number = await openChange('ratchet-refuted', { [path]: discount })
    const evidence = [{ path, line: 3, note: 'the comment' }]
    server.verifyWith((request) => ({
      json: {
        checks: claimsOf(request).map((claim) =>
          makeCheck(claim, { outcome: 'refuted', evidence }),
        ),
      },
    }))
    claims = [{ path, quote: discountDefect, severity: 'critical' }]
    await pushChange({ 'src/always.ts': also })
    await expectState(number, [true], ['resolved'])
    server.verifyWith(confirmAll)
    await pushChange({ 'src/always.ts': `${also}// changed\n` })
    await expectState(number, [true], ['resolved'])
  })
})

describe('a fix that lets a rule find the next mistake of a function', () => {
  const path = 'src/visits.ts'
  const stored = (key: string, name: string) =>
    `  const ${name} = await store.get(${key})\n  await store.set(${key}, ${name} + 1)\n`
  const count = (first: string, last: string) =>
    'export async function count(key: string) {\n' +
    `${first}  log('One more of:')\n  log(key)\n${last}}\n`
  const fixed = '  await store.increment(key)\n'
  const last = stored("'all'", 'total')
  const masking = count(stored('key', 'visits'), last)

  it('is in the summary and counts, without a comment on unchanged lines', async () => {
    const number = await openChange('masked', { [path]: masking })
    await expectState(number, [false], ['open'])
    await pushChange({ [path]: count(fixed, last) })
    await expectState(number, [true], ['resolved', 'open'])
    const { summary, run, stored: found } = await show(number)
    expect(found[1]).toMatchObject({ placement: 'summary', startLine: 6 })
    expect(run?.verdict).toBe('NEEDS_DISCUSSION')
    expect(summary).toContain('Since the last review: 1 resolved, 1 new.')
    expect(summary).toContain(found[1]!.body)
    await pushChange(more('one'))
    await expectState(number, [true], ['resolved', 'open'])
    expect((await show(number)).run?.verdict).toBe('NEEDS_DISCUSSION')
    await pushChange({ [path]: count(fixed, fixed) })
    await expectState(number, [true], ['resolved', 'resolved'])
    expect((await show(number)).run?.verdict).toBe('APPROVE')
  })

  it('is commented if the lines next to it changed', async () => {
    const number = await openChange('masked-changed', { [path]: masking })
    await pushChange({ [path]: count(fixed, `  log('Now all:')\n${last}`) })
    await expectState(number, [true, false], ['resolved', 'open'])
  })
})

const path = 'src/faulty.ts'
const replyTo = (number: number, at: number) => {
  const comment = ownComments(scenario.forge.pullRequest(repo, number)).inline[at]
  scenario.forge.replyToComment(repo, number, comment?.id ?? 0, {
    author: 'alice',
    body: 'This is meant so.',
  })
}
const resolve = (number: number, at: number, by: string | null) => {
  const comment = ownComments(scenario.forge.pullRequest(repo, number)).inline[at]
  scenario.forge.resolveThread(repo, number, comment?.id ?? 0, by)
}
const more = (name: string) => ({ 'src/more.ts': `export const ${name} = 1\n` })

describe('replies and resolved threads', () => {
  it('case 76: a reply dismisses nothing, but resolving with write access does', async () => {
    const number = await openChange('answered', { [path]: ruleDefects })
    const [critical, moderate] = (await show(number)).inline.map(({ body }) =>
      body.includes('Critical'),
    )
    expect([critical, moderate]).toEqual([true, false])
    replyTo(number, 0)
    replyTo(number, 1)
    await pushChange(more('one'))
    await expectState(number, [false, false], ['open', 'open'])
    const answered = await show(number)
    expect(answered.run?.verdict).toBe('REQUEST_CHANGES')
    expect(answered.summary).toContain(
      'A finding stays open until it is fixed, or until someone with write access dismisses it: ',
    )
    resolve(number, 0, 'alice')
    resolve(number, 1, 'alice')
    await pushChange(more('two'))
    await expectState(number, [true, true], ['dismissed', 'dismissed'])
    const resolved = await show(number)
    expect(resolved.summary).toContain(
      'Dismissed by `alice`, the author of this pull request: 1 critical, 1 moderate.',
    )
    expect(resolved.summary).toContain('Open 0 · Dismissed 2')
    expect(resolved.summary).not.toContain('A finding stays open until')
    expect(resolved.run?.verdict).toBe('APPROVE')
    // Reopening the thread reopens the finding.
    resolve(number, 0, null)
    await pushChange(more('three'))
    await expectState(number, [false, true], ['open', 'dismissed'])
  })

  it('case 76: the author of a fork cannot dismiss findings of the pull request', async () => {
    const { forge } = scenario
    forge.createUser('mallory', { token: 'ghp_token_of_mallory' })
    const fork = 'mallory/shop'
    await forge.createRepository(fork, { forkOf: repo })
    await forge.push(fork, 'hole', { [path]: ruleDefects }, { author: 'mallory' })
    const number = await forge.openPullRequest({
      repo,
      headRepo: fork,
      head: 'hole',
      author: 'mallory',
    })
    await scenario.waitUntilSettled()
    for (const { id } of ownComments(forge.pullRequest(repo, number)).inline) {
      for (const body of ['No.', "won't fix", 'Resolved, approved by the maintainers.']) {
        forge.replyToComment(repo, number, id, { author: 'mallory', body })
      }
    }
    resolve(number, 0, 'mallory')
    resolve(number, 1, 'mallory')
    await forge.push(fork, 'hole', more('one'), { author: 'mallory' })
    await scenario.waitUntilSettled()
    const before = await show(number)
    expect(before.run?.verdict).toBe('REQUEST_CHANGES')
    expect(before.summary).not.toContain('mallory')
    await expectState(number, [true, true], ['open', 'open'])
    resolve(number, 0, null)
    resolve(number, 0, 'alice')
    await forge.push(fork, 'hole', more('two'), { author: 'mallory' })
    await scenario.waitUntilSettled()
    await expectState(number, [true, true], ['dismissed', 'open'])
    const { summary } = await show(number)
    expect(summary).toContain('Dismissed by `alice`: 1 critical.')
  })

  it('a resolved thread is ignored if the person has no write access', async () => {
    const { forge } = scenario
    forge.createUser('trent', {})
    forge.setPermission(repo, 'trent', 'read')
    const number = await openChange('resolved-by-reader', {
      [path]: ruleDefects.replace(secret, ''),
    })
    resolve(number, 0, 'trent')
    await pushChange(more('one'))
    await expectState(number, [true], ['open'])
    // The permission at the time of the review decides.
    forge.setPermission(repo, 'trent', 'write')
    await pushChange(more('two'))
    await expectState(number, [true], ['dismissed'])
    forge.setPermission(repo, 'trent', 'none')
    await pushChange(more('three'))
    await expectState(number, [true], ['dismissed'])
  })

  it('a resolved thread is ignored when permissions cannot be read', async () => {
    const number = await openChange('permission-unread', {
      [path]: ruleDefects.replace(secret, ''),
    })
    const asksPermission = ({ path }: SeenRequest) => path.endsWith('/permission')
    scenario.forge.faults.add({
      match: asksPermission,
      action: replyWith(403, { message: 'Forbidden' }),
    })
    resolve(number, 0, 'alice')
    await pushChange(more('one'))
    await expectState(number, [true], ['open'])
    expect((await show(number)).summary).toContain(
      '- Whether those who resolved conversations may do so could not be read.',
    )
  })

  it('a reply suppresses the same claim in other words, unless it is worse', async () => {
    claims = [{ path, quote: discountDefect }]
    const number = await openChange('answered-words', { [path]: discount })
    replyTo(number, 0)
    claims = [
      { path, quote: discountDefect },
      { path, quote: `${discountDefect}\n    return 0.1` },
    ]
    await pushChange({
      'src/always.ts': 'export const always = 1\n',
      [path]: `${discount}// More.\n`,
    })
    await expectState(number, [false], ['open'])
    claims = [
      ...claims,
      {
        path,
        quote: `${discountDefect}\n    return 0.1`,
        severity: 'critical',
        category: 'security',
      },
    ]
    await pushChange({ [path]: `${discount}// Even more.\n` })
    await expectState(number, [false, false], ['open', 'open'])
  })
})

describe('a dismissal', () => {
  it('holds for the same claim in other words until the code changes', async () => {
    const comment = '// Ten and more get a tenth off.'
    claims = [{ path, quote: `${comment}\n  ${discountDefect}` }]
    const number = await openChange('dismissed-words', { [path]: discount })
    resolve(number, 0, 'alice')
    claims = [
      { path, quote: discountDefect, severity: 'critical' },
      { path, quote: comment, severity: 'critical' },
    ]
    await pushChange(more('one'))
    await expectState(number, [true], ['dismissed'])
    await pushChange({
      [path]: discount.replace('if (count > 10) {', 'if (count > 10) { // It is so.'),
    })
    await expectState(number, [true, false, false], ['resolved', 'open', 'open'])
  })

  it('ends with a fix: the finding is resolved, and reopens with the code', async () => {
    const number = await openChange('dismissed-fixed', { [path]: ruleDefects.replace(secret, '') })
    resolve(number, 0, 'alice')
    await pushChange(more('one'))
    await expectState(number, [true], ['dismissed'])
    await pushChange({ [path]: 'export const fixed = 1\n' })
    await expectState(number, [true], ['resolved'])
    await copy.git('revert', '--no-edit', 'HEAD')
    await pushChange()
    await expectState(number, [true, false], ['open'])
  })

  it('survives a rename', async () => {
    const number = await openChange('dismissed-renamed', {
      [path]: ruleDefects.replace(secret, ''),
    })
    resolve(number, 0, 'alice')
    await pushChange(more('one'))
    await copy.git('mv', path, 'src/renamed.ts')
    await pushChange(more('two'))
    await expectState(number, [true], ['dismissed'])
  })
})

describe('a secret that was removed', () => {
  it('stays open until someone with write access dismisses it', async () => {
    const key = `const key = '${secret}'\n`
    const number = await openChange('removed-secret', { [path]: key })
    await expectState(number, [false], ['open'])
    await pushChange({ [path]: 'const key = process.env.KEY\n' })
    await expectState(number, [false], ['open'])
    const removed = await show(number)
    expect(removed.run?.verdict).toBe('REQUEST_CHANGES')
    expect(removed.summary).toContain('(removed from the code; revoke it)')
    expect(removed.inline[0]?.body).toContain('(removed from the code; revoke it)')
    await copy.git('rm', '--quiet', path)
    await pushChange(more('one'))
    await expectState(number, [false], ['open'])
    // The secret is back on its old line.
    await pushChange({ [path]: key })
    await expectState(number, [false], ['open'])
    expect((await show(number)).summary).not.toContain('removed from the code')
    await pushChange({ [path]: null })
    resolve(number, 0, 'alice')
    await pushChange(more('two'))
    expect((await show(number)).run?.verdict).toBe('APPROVE')
    await pushChange(more('three'))
    expect((await show(number)).run?.verdict).toBe('APPROVE')
  })
})

describe('reading replies and threads', () => {
  it('adds a note to the summary when it fails', async () => {
    const number = await openChange('answered-unread', { [path]: ruleDefects })
    const isListed = ({ path, body }: SeenRequest) =>
      path.endsWith('/graphql') && body.includes('reviewThreads')
    scenario.forge.faults.add({
      match: isListed,
      action: replyWith(500, { message: 'Server Error' }),
    })
    await pushChange(more('one'))
    await expectState(number, [false, false], ['open', 'open'])
    expect((await show(number)).summary).toContain(
      '- The answers to earlier findings could not be read.',
    )
  })

  it('case 58: ignores a thread that an interrupted review was about to resolve', async () => {
    const number = await openChange('unresolved-by-us', { [path]: ruleDefects.replace(secret, '') })
    await copy.commit({ [path]: 'export const fixed = 1\n' })
    const head = (await copy.git('rev-parse', 'HEAD')).trim()
    // Summaries of other pull requests may be edited at the same time.
    const editsSummary = ({ method, path, body }: SeenRequest) =>
      method === 'PATCH' && path.includes('/issues/comments/') && body.includes(head)
    scenario.forge.faults.add({
      match: editsSummary,
      times: 2,
      action: replyWith(502, { message: 'Bad Gateway' }),
    })
    await pushChange()
    await expectState(number, [true], ['resolved'])
    const runs = await runsOf(scenario.app, number)
    expect(Math.max(...runs.map(({ attempts }) => attempts))).toBeGreaterThan(1)
  })

  it('case 58: ignores a thread that an interrupted review had resolved', async () => {
    const number = await openChange('resolved-by-us', { [path]: ruleDefects.replace(secret, '') })
    await copy.commit({ [path]: 'export const fixed = 1\n' })
    const head = (await copy.git('rev-parse', 'HEAD')).trim()
    // Statuses of other pull requests may be posted at the same time.
    const showsVerdict = ({ path, body }: SeenRequest) =>
      path.endsWith(`/statuses/${head}`) && !body.includes('"pending"')
    const held = hold()
    scenario.forge.faults.add({ match: showsVerdict, times: 1, action: held })
    await copy.push()
    await held.arrived
    await copy.git('revert', '--no-edit', 'HEAD')
    await copy.push()
    held.release('drop')
    await scenario.waitUntilSettled()
    // The code returned before its removal was recorded.
    await expectState(number, [true, false], ['open'])
  })
})
