// Reviews of one pull request over its pushes, made with real git: nothing is said twice, nothing that stands is called
// resolved, and what people answered is left alone.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hold, replyWith, type SeenRequest } from '../fakes/forge/forge.ts'
import { type ModelServer, type Reply, startModelServer } from '../fakes/models/model-server.ts'
import { claimsOf, confirmAll, makeCheck } from '../fakes/models/verification.ts'
import { cloneRepository, type WorkingCopy } from '../fakes/working-copy.ts'
import { ownComments, repo, runsOf, type Scenario, startScenario } from '../review-scenario.ts'

let server: ModelServer
let scenario: Scenario
let copy: WorkingCopy
/** What the model says about each change; the words change from run to run. */
let claims: readonly Claim[] = []
let answers = 0

interface Claim {
  readonly path: string
  readonly quote: string
  readonly severity?: 'critical' | 'moderate' | 'minor'
  readonly category?: string
  readonly title?: string
  readonly side?: 'LEFT' | 'RIGHT'
  /** What it suggests in its n-th answer; it then names a place elsewhere as well. */
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
  return { json: { summary: 'It changes the shop.', findings: claims.map(putInWords) } }
}

/** No two runs of a model use the same words. */
function putInWords(claim: Claim) {
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

/** Two faults that rules know, one of them without a quote that could be kept. */
const ruleFaults = `// Tells customers.
import { send } from 'mailer'

const key = '${secret}'

export function tellAll(names: string[]): void {
  names.forEach(async (name) => {
    await send(name, key)
  })
}
`

/** A fault that no rule knows. */
const discount = `// Discounts.
export function discountOf(count: number): number {
  // Ten and more get a tenth off.
  if (count > 10) {
    return 0.1
  }
  return 0
}
`
const discountFault = 'if (count > 10) {'

/** Who finds the faults, in which file, how many they are, and what that file is without them. */
const kinds = [
  { kind: 'rules', faulty: ruleFaults, faults: 2, fixed: 'export const nobody = 1\n', quote: null },
  {
    kind: 'a model',
    faulty: discount,
    faults: 1,
    fixed: discount.replace('> 10', '>= 10'),
    quote: discountFault,
  },
] as const

/** Makes a branch with the given files and a pull request from it, and waits for its review. */
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
    .where('pr_number', '=', number)
    .orderBy('id')
    .execute()
  const runs = await runsOf(scenario.app, number)
  return { view, summaries, summary: summaries[0]?.body ?? '', inline, stored, run: runs.at(-1) }
}

/** What stands on the pull request: one summary of its head, and threads, the resolved ones given by `true`. */
async function expectStanding(
  number: number,
  threads: readonly boolean[],
  states: readonly string[],
) {
  const { view, summaries, summary, inline, stored, run } = await show(number)
  expect(run).toMatchObject({ status: 'completed', head_sha: view.headSha })
  expect(summaries).toHaveLength(1)
  expect(summary).toContain(`head=${view.headSha} `)
  expect(inline).toHaveLength(threads.length)
  expect(view.threads.map((thread) => thread.resolved)).toEqual(threads)
  expect(stored.map(({ state }) => state)).toEqual(states)
}

describe.each(kinds)('what $kind found', ({ kind, faulty, faults, fixed, quote }) => {
  const path = 'src/new/faulty.ts'
  const times = <T>(value: T): T[] => Array.from({ length: faults }, () => value)
  const branchOf = (name: string) => `${name}-${kind.replace(' ', '-')}`
  const find = (at: string | null) => {
    claims = at === null || quote === null ? [] : [{ path: at, quote }]
  }
  const open = async (name: string) => {
    find(path)
    return openChange(branchOf(name), { [path]: faulty })
  }
  const expectOnce = (number: number) => expectStanding(number, times(false), times('open'))

  it('stands once after the same tree was pushed again', async () => {
    const number = await open('amend')
    await expectOnce(number)
    await copy.git('commit', '--quiet', '--amend', '--message', 'The same in other words')
    await pushChange()
    await expectOnce(number)
  })

  it('stands once after the history was rewritten and lines moved', async () => {
    const number = await open('rewrite')
    await copy.git('reset', '--quiet', '--hard', 'origin/main')
    await pushChange({
      'src/more.ts': 'export const more = 1\n',
      [path]: `export const above = 1\n\n${faulty}`,
    })
    await expectOnce(number)
    const { inline, stored } = await show(number)
    expect(inline.map((comment) => comment.originalLine + 2)).toEqual(
      stored.map((finding) => finding.start_line),
    )
  })

  it('stands once after a rebase onto a moved base, and after a merge from it', async () => {
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

  it('moves with its file, where git sees a new one', async () => {
    const number = await open('rename')
    for (const next of ['src/new/other-name.ts', 'src/elsewhere/other-name.ts']) {
      find(next)
      const before = (await show(number)).stored[0]?.path ?? ''
      await pushChange({ [before]: null, [next]: `// Moved.\n${faulty}` })
      await expectOnce(number)
      expect((await show(number)).stored.map((finding) => finding.path)).toEqual(times(next))
    }
  })

  it('moves with a file of the base that was changed, renamed, and got its name back', async () => {
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

  it('is resolved when it is fixed, comes back when the fix is reverted, and goes with the whole change', async () => {
    // What was said about a secret outlasts it: see below.
    const [harmless, count] = kind === 'rules' ? [faulty.replace(secret, ''), 1] : [faulty, faults]
    const times = <T>(value: T): T[] => Array.from({ length: count }, () => value)
    find(path)
    const number = await openChange(branchOf('revert'), { [path]: harmless })
    find(null)
    await pushChange({ [path]: fixed })
    await expectStanding(number, times(true), times('resolved'))
    expect((await show(number)).summary).toContain(`Since the last review: ${count} resolved.`)

    find(path)
    await copy.git('revert', '--no-edit', 'HEAD')
    await pushChange()
    await expectStanding(number, [...times(true), ...times(false)], times('open'))
    const back = await show(number)
    expect(back.stored.map(({ reopened }) => reopened)).toEqual(times(1))
    expect(back.summary).toContain(`Since the last review: ${count} came back.`)

    find(null)
    await copy.git('reset', '--quiet', '--hard', 'origin/main')
    await pushChange({ 'README.md': 'Another change.\n' })
    await expectStanding(number, times(true).concat(times(true)), times('resolved'))
  })
})

describe('a claim that is made again', () => {
  it('is known by its title where the model calls it another kind of harm', async () => {
    const path = 'src/discount.ts'
    const title = 'Exactly ten articles get no discount'
    claims = [{ path, quote: discountFault, title }]
    const number = await openChange('other-category', { [path]: discount })
    claims = [{ path, quote: discountFault, title: `${title} here`, category: 'data-loss' }]
    // The code next to it changed: the ratchet lets new claims through.
    await pushChange({ [path]: discount.replace('0.1', '0.2') })
    await expectStanding(number, [false], ['open'])
    claims = [...claims, { path, quote: discountFault, category: 'security' }]
    await pushChange({ [path]: discount.replace('0.1', '0.3') })
    await expectStanding(number, [false, false], ['open', 'open'])
  })
})

describe('a claim about a deleted line', () => {
  it('moves with its file while the change deletes the line', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `export const line${index} = ${index}\n`)
    await scenario.forge.push(repo, 'main', { 'src/check.ts': `check()\n${lines.join('')}` })
    await copy.git('pull', '--quiet')
    claims = [{ path: 'src/check.ts', quote: 'check()', side: 'LEFT' }]
    const number = await openChange('deleted-line', { 'src/check.ts': lines.join('') })
    await expectStanding(number, [false], ['open'])
    claims = []
    await copy.git('mv', 'src/check.ts', 'src/checked.ts')
    await pushChange({ 'src/always.ts': 'export const always = 1\n' })
    await expectStanding(number, [false], ['open'])
    await pushChange({ 'src/checked.ts': `check()\n${lines.join('')}` })
    await expectStanding(number, [true], ['resolved'])
  })
})

describe('the ratchet', () => {
  const path = 'src/discount.ts'
  const also = 'export const always = 1\n'

  it('holds down what is said late about unchanged code and is no worse', async () => {
    claims = [{ path, quote: discountFault }]
    const number = await openChange('ratchet-same', { [path]: discount })
    claims = [
      { path, quote: discountFault, severity: 'minor' },
      { path, quote: 'return 0.1', category: 'performance' },
      { path, quote: 'export function discountOf(count: number): number {', severity: 'minor' },
    ]
    await pushChange({ [path]: `${discount}\n${also}` })
    await expectStanding(number, [false], ['open'])
    const { summary, inline, stored } = await show(number)
    expect(summary).toContain(
      '- 2 new claims about unchanged code were not reported: no worse than what was reported before.',
    )
    // It goes on in the words that were posted, and as severe.
    expect(summary).toMatch(/^### 🟡 Needs a person: 1 moderate$/m)
    expect(inline[0]?.body).toContain(stored[0]?.title)
    expect(summary).toContain(`${stored[0]?.title} |`)
  })

  it('leaves the comment alone on unchanged code, whatever a model offers and points at the next time', async () => {
    claims = [{ path, quote: discountFault, offer: (answer) => `  if (count > ${answer}) {` }]
    const number = await openChange('ratchet-offers', { [path]: discount })
    const before = (await show(number)).inline[0]!
    expect(before.body).toMatch(/^ {2}if \(count > \d+\) \{$/m)
    expect(before.body).toContain('saw it here')
    await pushChange({ 'src/always.ts': also })
    const { inline, stored } = await show(number)
    expect(inline).toMatchObject([{ body: before.body, edits: 0 }])
    expect(before.body).toContain(stored[0]!.suggestion)
  })

  it('lets through what is worse than all that was said about the file', async () => {
    claims = [{ path, quote: discountFault }]
    const number = await openChange('ratchet-worse', { [path]: discount })
    claims = [...claims, { path, quote: 'return 0.1', category: 'data-loss', severity: 'critical' }]
    await pushChange({ 'src/always.ts': also })
    await expectStanding(number, [false, false], ['open', 'open'])
    // Now the worst is critical: no other is, but what is critical too is never held down.
    claims = [...claims, { path, quote: 'export function discountOf(count: number): number {' }]
    await pushChange({ 'src/always.ts': `${also}// changed\n` })
    await expectStanding(number, [false, false], ['open', 'open'])
    claims = [
      ...claims.slice(0, 2),
      { path, quote: 'return 0\n', category: 'security', severity: 'critical' },
    ]
    await pushChange({ 'src/always.ts': `${also}// changed again\n` })
    await expectStanding(number, [false, false, false], ['open', 'open', 'open'])
  })

  it('lets all through about changed lines, and what is at least moderate where nothing was said', async () => {
    const number = await openChange('ratchet-new', { [path]: discount })
    claims = [{ path, quote: 'return 0.1', category: 'performance', severity: 'minor' }]
    await pushChange({ 'src/always.ts': also })
    await expectStanding(number, [], [])
    claims = [{ path: 'src/always.ts', quote: 'export const often = 2', severity: 'minor' }]
    await pushChange({ 'src/always.ts': `${also}export const often = 2\n` })
    await expectStanding(number, [false], ['open'])
    claims = [...claims, { path, quote: discountFault }]
    await pushChange({ 'src/other.ts': also })
    await expectStanding(number, [false, false], ['open', 'open'])
  })

  it('holds over a rebase, a rename, and a review whose model failed', async () => {
    claims = [{ path, quote: discountFault }]
    const number = await openChange('ratchet-moves', { [path]: discount })
    const late = (at: string) => [
      { path: at, quote: discountFault },
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
    await expectStanding(number, [false], ['open'])
    claims = late('src/renamed.ts')
    await copy.git('mv', path, 'src/renamed.ts')
    await pushChange({ 'src/always.ts': `${also}// changed\n` })
    await expectStanding(number, [false], ['open'])
  })

  it('holds down what was refuted, while its code stays', async () => {
    claims = [{ path, quote: discountFault }]
    const number = await openChange('ratchet-refuted', { [path]: discount })
    const evidence = [{ path, line: 3, note: 'the comment' }]
    server.verifyWith((request) => ({
      json: {
        checks: claimsOf(request).map((claim) =>
          makeCheck(claim, { outcome: 'refuted', evidence }),
        ),
      },
    }))
    claims = [{ path, quote: discountFault, severity: 'critical' }]
    await pushChange({ 'src/always.ts': also })
    await expectStanding(number, [true], ['resolved'])
    server.verifyWith(confirmAll)
    await pushChange({ 'src/always.ts': `${also}// changed\n` })
    await expectStanding(number, [true], ['resolved'])
  })
})

const path = 'src/faulty.ts'
const answerFirst = (number: number, at: number) => {
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

describe('an answer', () => {
  it('case 76: dismisses nothing; resolving the thread does, for somebody who may write', async () => {
    const number = await openChange('answered', { [path]: ruleFaults })
    const [critical, moderate] = (await show(number)).inline.map(({ body }) =>
      body.includes('Critical'),
    )
    expect([critical, moderate]).toEqual([true, false])
    answerFirst(number, 0)
    answerFirst(number, 1)
    await pushChange(more('one'))
    await expectStanding(number, [false, false], ['open', 'open'])
    const answered = await show(number)
    expect(answered.run?.verdict).toBe('REQUEST_CHANGES')
    expect(answered.summary).toContain('It counts until someone with write access does so.')
    resolve(number, 0, 'alice')
    resolve(number, 1, 'alice')
    await pushChange(more('two'))
    await expectStanding(number, [true, true], ['dismissed', 'dismissed'])
    const resolved = await show(number)
    expect(resolved.summary).toContain(
      'Dismissed by `alice`, the author of this pull request: 1 critical, 1 moderate.',
    )
    expect(resolved.summary).toContain('Open 0 · Dismissed 2')
    expect(resolved.summary).not.toContain('To dismiss a finding')
    expect(resolved.run?.verdict).toBe('APPROVE')
    // Who opens the thread again means it.
    resolve(number, 0, null)
    await pushChange(more('three'))
    await expectStanding(number, [false, true], ['open', 'dismissed'])
  })

  it('case 76: of an author from a fork changes nothing, whatever they say, resolve or edit', async () => {
    const { forge } = scenario
    forge.createUser('mallory', { token: 'ghp_token_of_mallory' })
    const fork = 'mallory/shop'
    await forge.createRepository(fork, { forkOf: repo })
    await forge.push(fork, 'hole', { [path]: ruleFaults }, { author: 'mallory' })
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
    await expectStanding(number, [true, true], ['open', 'open'])
    resolve(number, 0, null)
    resolve(number, 0, 'alice')
    await forge.push(fork, 'hole', more('two'), { author: 'mallory' })
    await scenario.waitUntilSettled()
    await expectStanding(number, [true, true], ['dismissed', 'open'])
    const { summary } = await show(number)
    expect(summary).toContain('Dismissed by `alice`: 1 critical.')
  })

  it('of somebody whom the platform does not name, or does not let write, counts for nothing', async () => {
    const { forge } = scenario
    forge.createUser('trent', {})
    forge.setPermission(repo, 'trent', 'read')
    const number = await openChange('resolved-by-reader', {
      [path]: ruleFaults.replace(secret, ''),
    })
    resolve(number, 0, 'trent')
    await pushChange(more('one'))
    await expectStanding(number, [true], ['open'])
    // The right counts at the time.
    forge.setPermission(repo, 'trent', 'write')
    await pushChange(more('two'))
    await expectStanding(number, [true], ['dismissed'])
    forge.setPermission(repo, 'trent', 'none')
    await pushChange(more('three'))
    await expectStanding(number, [true], ['dismissed'])
  })

  it('leaves what was recorded as it is where the platform does not say who may write', async () => {
    const number = await openChange('permission-unread', { [path]: ruleFaults.replace(secret, '') })
    const asksPermission = ({ path }: SeenRequest) => path.endsWith('/permission')
    scenario.forge.faults.add({
      match: asksPermission,
      action: replyWith(403, { message: 'Forbidden' }),
    })
    resolve(number, 0, 'alice')
    await pushChange(more('one'))
    await expectStanding(number, [true], ['open'])
    expect((await show(number)).summary).toContain(
      '- Whether those who resolved conversations may do so could not be read.',
    )
  })

  it('keeps a claim from being made again in other words, unless it is worse', async () => {
    claims = [{ path, quote: discountFault }]
    const number = await openChange('answered-words', { [path]: discount })
    answerFirst(number, 0)
    claims = [
      { path, quote: discountFault },
      { path, quote: `${discountFault}\n    return 0.1` },
    ]
    await pushChange({
      'src/always.ts': 'export const always = 1\n',
      [path]: `${discount}// More.\n`,
    })
    await expectStanding(number, [false], ['open'])
    claims = [
      ...claims,
      {
        path,
        quote: `${discountFault}\n    return 0.1`,
        severity: 'critical',
        category: 'security',
      },
    ]
    await pushChange({ [path]: `${discount}// Even more.\n` })
    await expectStanding(number, [false, false], ['open', 'open'])
  })
})

describe('a dismissal', () => {
  it('holds for the same claim in other words, until the code changes', async () => {
    const comment = '// Ten and more get a tenth off.'
    claims = [{ path, quote: `${comment}\n  ${discountFault}` }]
    const number = await openChange('dismissed-words', { [path]: discount })
    resolve(number, 0, 'alice')
    claims = [
      { path, quote: discountFault, severity: 'critical' },
      { path, quote: comment, severity: 'critical' },
    ]
    await pushChange(more('one'))
    await expectStanding(number, [true], ['dismissed'])
    await pushChange({
      [path]: discount.replace('if (count > 10) {', 'if (count > 10) { // It is so.'),
    })
    await expectStanding(number, [true, false, false], ['resolved', 'open', 'open'])
  })

  it('does not stay when the code was fixed: then the finding is resolved, and comes back with the code', async () => {
    const number = await openChange('dismissed-fixed', { [path]: ruleFaults.replace(secret, '') })
    resolve(number, 0, 'alice')
    await pushChange(more('one'))
    await expectStanding(number, [true], ['dismissed'])
    await pushChange({ [path]: 'export const fixed = 1\n' })
    await expectStanding(number, [true], ['resolved'])
    await copy.git('revert', '--no-edit', 'HEAD')
    await pushChange()
    await expectStanding(number, [true, false], ['open'])
  })

  it('counts with a rename', async () => {
    const number = await openChange('dismissed-renamed', { [path]: ruleFaults.replace(secret, '') })
    resolve(number, 0, 'alice')
    await pushChange(more('one'))
    await copy.git('mv', path, 'src/renamed.ts')
    await pushChange(more('two'))
    await expectStanding(number, [true], ['dismissed'])
  })
})

describe('a secret that was removed', () => {
  it('stays open and counts until somebody who may write dismisses it', async () => {
    const key = `const key = '${secret}'\n`
    const number = await openChange('removed-secret', { [path]: key })
    await expectStanding(number, [false], ['open'])
    await pushChange({ [path]: 'const key = process.env.KEY\n' })
    await expectStanding(number, [false], ['open'])
    const removed = await show(number)
    expect(removed.run?.verdict).toBe('REQUEST_CHANGES')
    expect(removed.summary).toContain('*(removed from the code; revoke it)*')
    expect(removed.inline[0]?.body).toContain('*(removed from the code; revoke it)*')
    await copy.git('rm', '--quiet', path)
    await pushChange(more('one'))
    await expectStanding(number, [false], ['open'])
    // It comes back to where it was.
    await pushChange({ [path]: key })
    await expectStanding(number, [false], ['open'])
    expect((await show(number)).summary).not.toContain('removed from the code')
    await pushChange({ [path]: null })
    resolve(number, 0, 'alice')
    await pushChange(more('two'))
    expect((await show(number)).run?.verdict).toBe('APPROVE')
    await pushChange(more('three'))
    expect((await show(number)).run?.verdict).toBe('APPROVE')
  })
})

describe('the answers of people', () => {
  it('that can not be read costs a note', async () => {
    const number = await openChange('answered-unread', { [path]: ruleFaults })
    const isListed = ({ path, body }: SeenRequest) =>
      path.endsWith('/graphql') && body.includes('reviewThreads')
    scenario.forge.faults.add({
      match: isListed,
      action: replyWith(500, { message: 'Server Error' }),
    })
    await pushChange(more('one'))
    await expectStanding(number, [false, false], ['open', 'open'])
    expect((await show(number)).summary).toContain(
      '- The answers to earlier findings could not be read.',
    )
  })

  it('case 58: is not seen where a broken-off review was about to resolve the thread', async () => {
    const number = await openChange('unresolved-by-us', { [path]: ruleFaults.replace(secret, '') })
    const editsSummary = ({ method, path }: SeenRequest) =>
      method === 'PATCH' && path.includes('/issues/comments/')
    scenario.forge.faults.add({
      match: editsSummary,
      times: 2,
      action: replyWith(502, { message: 'Bad Gateway' }),
    })
    await pushChange({ [path]: 'export const fixed = 1\n' })
    await expectStanding(number, [true], ['resolved'])
    expect((await show(number)).run?.attempts).toBeGreaterThan(1)
  })

  it('case 58: is not seen where a broken-off review had resolved the thread', async () => {
    const number = await openChange('resolved-by-us', { [path]: ruleFaults.replace(secret, '') })
    const showsVerdict = ({ path, body }: SeenRequest) =>
      path.includes('/statuses/') && !body.includes('"pending"')
    const held = hold()
    scenario.forge.faults.add({ match: showsVerdict, times: 1, action: held })
    await copy.commit({ [path]: 'export const fixed = 1\n' })
    await copy.push()
    await held.arrived
    await copy.git('revert', '--no-edit', 'HEAD')
    await copy.push()
    held.release('drop')
    await scenario.waitUntilSettled()
    // It came back before anybody wrote down that it had gone.
    await expectStanding(number, [true, false], ['open'])
  })
})
