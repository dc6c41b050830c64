// Results of other tools in reviews: from code scanning, and from artifacts of CI.
import { strToU8, zipSync } from 'fflate'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  dismissalEvent,
  requestVerdictUpdate,
  toolLogsEvent,
} from '../../src/events/review-requests.ts'
import { endLongWaits } from '../../src/work/late-tool-logs.ts'
import { dropExhaustedRedos } from '../../src/work/redo-reviews.ts'
import { hold, replyWith } from '../fakes/forge/forge.ts'
import { startModelServer } from '../fakes/models/model-server.ts'
import { claimsOf, isVerificationRequest, makeCheck } from '../fakes/models/verification.ts'
import { slug, startInstalledScenario } from '../installed-app-scenario.ts'
import {
  ownComments,
  repo,
  runsOf,
  type Scenario,
  startScenario,
  waitUntilSettled,
} from '../review-scenario.ts'
import { logOf, result } from '../samples/sarif.ts'

const before = 'one()\ntwo()\nthree()\nfour()\nfive()\nsix()\nseven()\neight()\nnine()\nten()\n'
const after = before.replace('two()', 'TWO()')
const settings = 'tools:\n  code_scanning: true\n  artifacts: ["*sarif*"]\n'

async function start(env: Record<string, string> = {}): Promise<Scenario> {
  // The worker looks for late logs every two seconds.
  const started = await startScenario({ env: { REVIEW_LEASE_SECONDS: '6', ...env } })
  const files = { 'a.js': before, 'b.js': before, '.umpire.yml': settings }
  await started.forge.push(repo, 'main', files, { author: 'alice' })
  return started
}

let scenario: Scenario
let branches = 0
beforeAll(async () => {
  scenario = await start()
  const sha = (await scenario.forge.branches(repo)).get('main')!
  // This enables code scanning.
  scenario.forge.uploadAnalysis(repo, { ref: 'refs/heads/main', sha, log: logOf([]) })
})
afterAll(() => scenario[Symbol.asyncDispose]())

/** Pushes a change before its pull request is opened, so that its logs can be there first. */
async function pushChange(changed: Record<string, string> = { 'a.js': after }) {
  const head = `topic-${++branches}`
  const message = `Change ${head}`
  const sha = await scenario.forge.push(repo, head, changed, { author: 'alice', message })
  return { head, sha }
}

async function open(head: string) {
  const number = await scenario.forge.openPullRequest({ repo, head, author: 'alice' })
  await scenario.waitUntilSettled()
  return number
}

const zip = (files: Record<string, string | Uint8Array>, level: 0 | 9 = 9) => {
  const entries = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? strToU8(content) : content,
  ])
  return zipSync(Object.fromEntries(entries), { level })
}
const logFile = (...input: Parameters<typeof logOf>) => JSON.stringify(logOf(...input))

/** Runs CI on a head: it ends with these artifacts. */
async function runCi(sha: string, artifacts: Record<string, Uint8Array>, event = 'push') {
  const run = scenario.forge.startWorkflow(repo, { sha, event })
  return scenario.forge.endWorkflow(repo, run, artifacts)
}

/** Reviews a change of line 2 of `a.js` whose CI had these artifacts before. */
async function reviewWith(artifacts: Record<string, Uint8Array>) {
  const { head, sha } = await pushChange()
  await runCi(sha, artifacts)
  return show(await open(head))
}

/** Returns what a review shows, and what is stored of it. */
async function show(number: number, { app, forge } = scenario) {
  const view = forge.pullRequest(repo, number)
  const own = ownComments(view)
  const runs = await runsOf(app, number)
  const run = runs.at(-1)!
  const findings = await app.db
    .selectFrom('findings')
    .selectAll()
    .where('repo', '=', repo)
    .where('prNumber', '=', number)
    .where('state', '=', 'open')
    .orderBy('id')
    .execute()
  return {
    number,
    runs,
    run,
    findings,
    places: findings.map(({ path, startLine, rule }) => `${path}:${startLine} ${rule}`),
    notes: (run.coverage?.notes ?? []).join('\n'),
    summary: own.summaries[0]?.body ?? '',
    inline: own.inline,
  }
}

/** Makes the review as old as that, so that the worker looks for late logs. */
async function age(number: number, seconds: number, { app } = scenario) {
  await sql`update workflow_runs set tools_checked_at = null,
    finished_at = now() - make_interval(secs => ${seconds})
    where repo = ${repo} and pr_number = ${number}`.execute(app.db)
}

async function waitUntil(
  number: number,
  isDone: (shown: Awaited<ReturnType<typeof show>>) => boolean,
  of = scenario,
) {
  for (;;) {
    await waitUntilSettled(of.app)
    const shown = await show(number, of)
    // A review may have begun meanwhile.
    const haveEnded = shown.runs.every(({ status }) => status === 'completed')
    if (haveEnded && isDone(shown)) return shown
    await pause()
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 50))

const requestsTo = (path: RegExp) => scenario.forge.requests.filter((one) => path.test(one.path))
const toolPaths = /\/(code-scanning|actions|git\/commits)\b/

describe('artifacts', () => {
  it('are read: results on changed lines are attributed findings, and read nothing', async () => {
    const log = logFile([result(), result({ line: 9, ruleId: 'R2' }), result({ uri: 'c.js' })])
    const first = logFile([result({ ruleId: 'S1', text: 'Two tools agree on this.' })], {
      tool: 'Scan Pro',
    })
    const shown = await reviewWith({
      'my-sarif': zip({ 'out/lint.sarif': log, 'readme.txt': 'Hello', 'b.sarif.json': first }),
      other: zip({ 'other.sarif': logFile([result({ ruleId: 'R3' })]) }),
    })
    expect(shown.places).toEqual(['a.js:2 lint-pro/R1', 'a.js:2 scan-pro/S1'])
    expect(shown.findings).toMatchObject([
      { reviewer: 'Lint Pro', severity: 'moderate' },
      { reviewer: 'Scan Pro' },
    ])
    expect(shown.inline.map(({ body }) => body).join()).toContain('Reported by Lint Pro')
    expect(shown.run.verdict).toBe('NEEDS_DISCUSSION')
    expect(shown.run.coverage?.lines).toMatchObject({ unread: 0 })
    expect(shown.run.redoWhen).toBe('tools')
  })

  it.each<[string, () => Uint8Array, RegExp]>([
    ['a bomb', () => zip({ 'a.sarif': new Uint8Array(11 * 2 ** 20) }), /its logs are too large/],
    [
      'a bomb that claims to be small',
      () => shrink(zip({ 'a.sarif': new Uint8Array(2 ** 20) })),
      /not a ZIP/,
    ],
    ['10,000 entries', () => zip(many(10_000), 0), /it has more than 1000 files/],
    ['a cut archive', () => zip({ 'a.sarif': logFile([result()]) }).slice(0, -40), /not a ZIP/],
    ['no archive', () => strToU8('no archive'), /not a ZIP/],
    [
      'text that is not UTF-8',
      () => zip({ 'a.sarif': Uint8Array.of(0xff, 0xfe, 0x7b) }),
      /not a SARIF/,
    ],
  ])('%s is left out with a note', async (_, make, reason) => {
    const shown = await reviewWith({ 'sarif`x': make() })
    expect(shown.findings).toEqual([])
    expect(shown.notes).toMatch(reason)
    expect(shown.notes).toContain('Not read: the artifact `sarif x`')
    expect(shown.run).toMatchObject({ status: 'completed', verdict: 'APPROVE' })
  })

  it('names in an archive lead nowhere', async () => {
    const names = [
      '../../../etc/passwd.sarif',
      '/root/.ssh/a.sarif',
      'C:\\a.sarif',
      'a\u0000.sarif',
    ]
    const files = names.map((name, at) => [name, logFile([result({ ruleId: `R${at}` })])])
    const shown = await reviewWith({ sarif: zip(Object.fromEntries(files)) })
    expect(shown.places).toHaveLength(4)
    expect(shown.notes).not.toContain('Not read')
  })

  it('expired ones, and those that the storage does not have, fail no review', async () => {
    const { head, sha } = await pushChange()
    const archive = zip({ 'a.sarif': logFile([result()]) })
    const [expired] = await runCi(sha, { 'sarif-1': archive, 'sarif-2': archive })
    scenario.forge.expireArtifact(repo, expired!)
    const remove = scenario.forge.faults.add({
      match: ({ path }) => path.endsWith('/zip'),
      action: replyWith(404, { message: 'Not Found' }),
    })
    const shown = await show(await open(head))
    remove()
    expect(shown.findings).toEqual([])
    expect(shown.notes).toContain('the artifact `sarif-2`, because it could not be downloaded')
    expect(shown.run.verdict).toBe('APPROVE')
  })
})

/** Writes a false size of the first entry into both of its headers. */
function shrink(archive: Uint8Array): Uint8Array {
  const bytes = Buffer.from(archive)
  bytes.writeUInt32LE(10, 22)
  bytes.writeUInt32LE(10, bytes.indexOf(Buffer.from('PK\u0001\u0002')) + 24)
  return bytes
}

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}.sarif`, '{}']))
}

describe('a fork', () => {
  it('adds few findings with less weight, and takes none away', async () => {
    const { forge } = scenario
    forge.createUser('mallory', {})
    await forge.createRepository('mallory/shop', { forkOf: repo })
    const code = after.replace('three()', 'debugger')
    const sha = await forge.push('mallory/shop', 'topic', { 'a.js': code }, { author: 'mallory' })
    const score = { properties: { 'security-severity': 9.9, precision: 'very-high' } }
    const rules = Array.from({ length: 60 }, (_, at) => ({ id: `R${at}`, ...score }))
    const flood = rules.map(({ id }) =>
      result({ ruleId: id, text: `@acme/all see ![x](https://evil.example/${id}) for ${id}` }),
    )
    // The same as our rule finds, in other words.
    const twin = result({ line: 3, ruleId: 'no-debugger', text: 'Nothing to see here' })
    const log = logFile([...flood, twin], { rules })
    await runCi(sha, { sarif: zip({ 'a.sarif': log }) }, 'pull_request')
    const number = await forge.openPullRequest({
      ...{ repo, headRepo: 'mallory/shop', head: 'topic', author: 'mallory' },
    })
    await scenario.waitUntilSettled()
    const shown = await show(number)
    const foreign = shown.findings.filter(({ reviewer }) => reviewer === 'Lint Pro')
    expect(foreign.length).toBeGreaterThan(0)
    expect(foreign.length).toBeLessThanOrEqual(20)
    expect(foreign.filter(({ severity }) => severity === 'critical')).toEqual([])
    expect(shown.places).toContain('a.js:3 breakpoint')
    expect(shown.run.verdict).not.toBe('APPROVE')
    for (const { body } of shown.inline) {
      expect(body).not.toContain('](https://evil')
      expect(body).not.toMatch(/(^|[^\w`\u2060])@acme/)
    }

    // Another log of the same head without results doesn't end them.
    await runCi(sha, { sarif: zip({ 'a.sarif': logFile([twin]) }) }, 'pull_request')
    await age(number, 600)
    const again = await waitUntil(number, ({ runs }) => runs.length === 2)
    expect(again.findings.length).toBeGreaterThanOrEqual(shown.findings.length)
    expect(again.run.verdict).not.toBe('APPROVE')
  })

  it('crowds out nothing of code scanning with artifacts, whatever tool they name', async () => {
    const { forge } = scenario
    const lines = Array.from({ length: 60 }, (_, at) => `line${at}()\n`).join('')
    const by = { author: 'mallory' }
    const sha = await forge.push('mallory/shop', 'crowd', { 'a.js': lines }, by)
    const number = await forge.openPullRequest({
      ...{ repo, headRepo: 'mallory/shop', head: 'crowd', author: 'mallory' },
    })
    await scenario.waitUntilSettled()
    const real = [2, 6].map((line) => result({ ruleId: `REAL${line}`, line }))
    const log = logOf(real, { tool: 'CodeQL' })
    forge.uploadAnalysis(repo, { ref: `refs/pull/${number}/head`, sha, log })
    const rules = Array.from({ length: 25 }, (_, at) => ({
      id: `R${at}`,
      properties: { 'security-severity': 9.9 },
    }))
    const flood = rules.map(({ id }, at) => result({ ruleId: id, line: 10 + at * 2 }))
    const tools = ['CodeQL', ...Array.from({ length: 12 }, (_, at) => `Tool ${at}`)]
    const logs = tools.map((tool, at) => [`${at}.sarif`, logFile(flood, { tool, rules })])
    await runCi(sha, { sarif: zip(Object.fromEntries(logs)) }, 'pull_request')
    await age(number, 600)
    const shown = await waitUntil(number, ({ runs }) => runs.length === 2)
    expect(shown.places).toContain('a.js:2 codeql/REAL2')
    expect(shown.places).toContain('a.js:6 codeql/REAL6')
    expect(shown.places.length).toBeLessThanOrEqual(20)
    expect(shown.notes).toContain('of CodeQL')
  })
})

describe('code scanning', () => {
  it('reports what the base does not have, with its log at the merge base', async () => {
    const { forge } = scenario
    const base = (await forge.branches(repo)).get('main')!
    const ofBase = logOf([result({ line: 2, ruleId: 'OLD' })], { tool: 'CodeQL' })
    forge.uploadAnalysis(repo, { ref: 'refs/heads/main', sha: base, log: ofBase })
    const { head, sha } = await pushChange()
    const results = [result({ ruleId: 'OLD' }), result({ line: 3, ruleId: 'NEW' })]
    const number = await scenario.forge.openPullRequest({ repo, head, author: 'alice' })
    await scenario.waitUntilSettled()
    const log = logOf(results, { tool: 'CodeQL' })
    forge.uploadAnalysis(repo, { ref: `refs/pull/${number}/head`, sha, log })
    await age(number, 600)
    const shown = await waitUntil(number, ({ runs }) => runs.length === 2)
    // Line 3 is shown next to the change: only the head has that result.
    expect(shown.places).toEqual(['a.js:3 codeql/NEW'])
  })

  it('uses results of a trial merge where the base branch left the file as it was', async () => {
    const { forge } = scenario
    const { head } = await pushChange({ 'a.js': after, 'b.js': after })
    await forge.push(repo, 'main', { 'b.js': `zero()\n${before}` }, { author: 'alice' })
    const number = await open(head)
    const sha = await forge.makeTrialMerge(repo, number)
    const results = [result(), result({ uri: 'b.js', line: 3 })]
    const log = logOf(results, { tool: 'Merge Lint' })
    forge.uploadAnalysis(repo, { ref: `refs/pull/${number}/merge`, sha, log })
    await age(number, 600)
    const shown = await waitUntil(number, ({ runs }) => runs.length === 2)
    expect(shown.places).toEqual(['a.js:2 merge-lint/R1'])
    expect(shown.notes).toContain('1 result in files that the base branch changed, too')
    await forge.push(repo, 'main', { 'b.js': before }, { author: 'alice' })
  })
})

describe('logs that come late', () => {
  it('are included without another delivery, also from a second run', async () => {
    const { head, sha } = await pushChange()
    const number = await open(head)
    expect(await show(number)).toMatchObject({ findings: [], run: { verdict: 'APPROVE' } })
    await runCi(sha, { sarif: zip({ 'a.sarif': logFile([result()]) }) })
    await age(number, 600)
    const shown = await waitUntil(number, ({ runs }) => runs.length === 2)
    expect(shown.places).toEqual(['a.js:2 lint-pro/R1'])
    expect(shown.run.verdict).toBe('NEEDS_DISCUSSION')
    expect(shown.inline).toHaveLength(1)
  })

  it('are waited for when the host does not answer', async () => {
    const remove = scenario.forge.faults.add({
      match: ({ path }) => /\/(code-scanning|actions)\//.test(path),
      action: replyWith(503, { message: 'Unavailable' }),
    })
    const { run } = await show(await open((await pushChange()).head))
    remove()
    expect(run).toMatchObject({ verdict: 'APPROVE', warnings: [], redoWhen: 'tools' })
  })

  it('are included while a dismissal waits, which alone would read no logs', async () => {
    const { db } = scenario.app
    const { head, sha } = await pushChange()
    const number = await open(head)
    await runCi(sha, { sarif: zip({ 'a.sarif': logFile([result()]) }) })
    await sql`insert into events (event_type, source, repo, pr_number, wants_review, payload)
      select ${dismissalEvent}, source, repo, pr_number, true, payload from events
      where repo = ${repo} and pr_number = ${number} limit 1`.execute(db)
    await age(number, 600)
    const shown = await waitUntil(number, ({ runs }) => runs.length === 2)
    expect(shown.places).toEqual(['a.js:2 lint-pro/R1'])
  })

  it('are still waited for after a dismissal', async () => {
    const { app, forge } = scenario
    const number = await open((await pushChange()).head)
    const action = hold()
    const match = ({ path }: { path: string }) => path.endsWith(`/pulls/${number}`)
    const remove = forge.faults.add({ match, action })
    await requestVerdictUpdate(app.db, { repo, number })
    await action.arrived
    await endLongWaits(app.db)
    action.release()
    remove()
    const { run } = await waitUntil(number, ({ runs }) => runs.length === 2)
    expect(run.redoWhen).toBe('tools')
  })

  it('cause few more reviews, which leave those of an unavailable model as they are', async () => {
    const { db } = scenario.app
    await sql`insert into pull_requests
      (repo, number, author, title, url, state, branch, base_branch, head_sha, updated_at)
      select 'acme/limits', n, 'a', 't', 'u', 'open', 'b', 'main', 'h', now()
      from generate_series(1, 4) n`.execute(db)
    const add = async (number: number, types: readonly string[], redo: string) => {
      for (const [at, type] of types.entries())
        await sql`with run as (
            insert into workflow_runs (workflow_type, repo, pr_number, status, head_sha, redo_when)
            values ('pr_review', 'acme/limits', ${number}, 'completed', 'h',
              ${at === types.length - 1 ? redo : null}) returning id)
          insert into events (event_type, source, repo, pr_number, status, run_id, payload)
          select ${type}, 'github', 'acme/limits', ${number}, 'completed', id, ''
          from run`.execute(db)
    }
    const repeat = (type: string, count: number) => Array.from({ length: count }, () => type)
    const [opened, tools] = ['pull_request.opened', toolLogsEvent]
    await add(1, [...repeat(opened, 5), ...repeat(tools, 3)], 'model')
    await add(2, repeat(opened, 6), 'model')
    await add(3, [...repeat(opened, 6), ...repeat(tools, 2)], 'tools')
    await add(4, [opened, ...repeat(tools, 3)], 'tools')
    await dropExhaustedRedos(db, ['model', 'tools'])
    const left = await sql<{ n: number }>`select pr_number as n from workflow_runs
      where repo = 'acme/limits' and redo_when is not null order by id`.execute(db)
    expect(left.rows.map(({ n }) => n)).toEqual([1, 3])
  })

  it('are included after the host refused some of them', async () => {
    const { forge } = scenario
    const number = await open((await pushChange()).head)
    const sha = await forge.makeTrialMerge(repo, number)
    const found = result({ text: 'Unchecked input reaches a call' })
    const log = logOf([found], { tool: 'Merge Lint' })
    forge.uploadAnalysis(repo, { ref: `refs/pull/${number}/merge`, sha, log })
    const { headSha } = forge.pullRequest(repo, number)
    await runCi(headSha, { sarif: zip({ 'a.sarif': logFile([result()]) }) })
    await runCi(headSha, {})
    const gone = new RegExp(`/git/commits/${sha}$|/actions/runs/\\d+/artifacts$`)
    const remove = forge.faults.add({
      match: ({ path }) => gone.test(path),
      action: replyWith(404, { message: 'Not Found' }),
    })
    const count = () => requestsTo(gone).length
    await age(number, 600)
    const asked = count()
    while (count() < asked + 3) await pause()
    remove()
    await age(number, 600)
    const shown = await waitUntil(number, ({ runs }) => runs.length === 2)
    expect(shown.places.toSorted()).toEqual(['a.js:2 lint-pro/R1', 'a.js:2 merge-lint/R1'])
  })

  it('are no longer waited for after six hours, or when there is another head', async () => {
    const number = await open((await pushChange()).head)
    expect((await show(number)).run.redoWhen).toBe('tools')
    await age(number, 7 * 3600)
    await waitUntil(number, ({ run }) => run.redoWhen === null)
  })
})

describe('code scanning that is not enabled', () => {
  it('is asked once in an hour, logged for the operator alone, and not waited for', async () => {
    await using other = await start()
    const count = () => other.forge.requests.filter(({ path }) => /code-scan/.test(path)).length
    for (const branch of ['first', 'second']) {
      const changed = { 'a.js': `${after}// ${branch}\n` }
      const sha = await other.forge.push(repo, branch, changed, { author: 'alice' })
      const run = other.forge.startWorkflow(repo, { sha, event: 'push' })
      await other.forge.endWorkflow(repo, run, { coverage: zip({ 'a.txt': 'none' }) })
      const number = await other.forge.openPullRequest({ repo, head: branch, author: 'alice' })
      await other.waitUntilSettled()
      const [review] = await runsOf(other.app, number)
      expect(review).toMatchObject({ verdict: 'APPROVE', warnings: [], redoWhen: null })
      const { summaries } = ownComments(other.forge.pullRequest(repo, number))
      expect(summaries[0]?.body).not.toContain('scanning')
    }
    expect(count()).toBe(1)
  })
})

describe('with an App', () => {
  it('reads what the installation grants', async () => {
    await using scene = await startInstalledScenario({ REVIEW_LEASE_SECONDS: '6' })
    const { app, forge } = scene
    const [installation] = forge.installations(slug)
    const { id, permissions } = installation!
    const review = async () => {
      const name = await scene.createRepository()
      forge.setPrivate(name, true)
      const by = { author: 'alice', message: `In ${name}` }
      const base = await forge.push(name, 'main', { '.umpire.yml': settings }, by)
      const sha = await forge.push(name, 'topic', { 'a.js': after }, by)
      forge.uploadAnalysis(name, { ref: 'refs/heads/main', sha: base, log: logOf([]) })
      forge.uploadAnalysis(name, { ref: 'refs/pull/1/head', sha, log: logOf([result()]) })
      const run = forge.startWorkflow(name, { sha, event: 'push' })
      const found = result({ ruleId: 'S1', text: 'Unchecked input reaches a call' })
      const scan = logFile([found], { tool: 'Scan Pro' })
      await forge.endWorkflow(name, run, { sarif: zip({ 'a.sarif': scan }) })
      scene.install(name)
      await forge.openPullRequest({ repo: name, head: 'topic', author: 'alice' })
      await scene.settled()
      const findings = app.db.selectFrom('findings').select('rule').where('repo', '=', name)
      return (await findings.orderBy('rule').execute()).map(({ rule }) => rule)
    }
    expect(await review()).toEqual([])
    forge.askForPermissions(slug, { ...permissions, actions: 'read', security_events: 'read' })
    forge.acceptPermissions(id, 'alice')
    expect(await review()).toEqual(['lint-pro/R1', 'scan-pro/S1'])
  })
})

describe('with a model', () => {
  it('verifies late results, and asks about nothing else again', async () => {
    const server = await startModelServer({
      protocol: 'openai-chat',
      script: () => ({ json: { summary: 'It shouts.', findings: [] } }),
    })
    const refuted = { outcome: 'refuted', evidence: [{ path: 'a.js', line: 2, note: 'the call' }] }
    server.verifyWith((request) => {
      const more = (text: string) => (text.includes('wrong') ? refuted : {})
      return {
        json: { checks: claimsOf(request).map((claim) => makeCheck(claim, more(claim.text))) },
      }
    })
    const model = { MODEL: 'compatible:local', MODEL_BASE_URL: server.url, MODEL_API_KEY: 'key' }
    await using other = await start(model)
    const files = { 'a.js': after }
    const sha = await other.forge.push(repo, 'topic', files, { author: 'alice' })
    const run = other.forge.startWorkflow(repo, { sha, event: 'push' })
    const number = await other.forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
    await other.waitUntilSettled()
    const asked = server.requests.length
    expect(asked).toBeGreaterThan(0)

    const log = logFile([
      result({ text: 'It is right.' }),
      result({ ruleId: 'R2', text: 'It is wrong.' }),
    ])
    await other.forge.endWorkflow(repo, run, { sarif: zip({ 'a.sarif': log }) })
    await age(number, 600, other)
    const shown = await waitUntil(number, ({ runs }) => runs.length === 2, other)
    const later = server.requests.slice(asked)
    await server.close()
    expect(shown.findings).toMatchObject([{ title: 'It is right', verified: true }])
    expect(later.map(isVerificationRequest)).toEqual([true])
    // The claims are data in a fence of their own.
    expect(later[0]!.text).toMatch(/<data-[0-9a-f]+[^\n]*\n[^<]*It is wrong/)
  })
})

it('costs no call where the settings ask for nothing', async () => {
  const { forge } = scenario
  await forge.push(repo, 'main', { '.umpire.yml': 'tools: {}\n' }, { author: 'alice' })
  const count = () => requestsTo(toolPaths).length
  const { head } = await pushChange()
  await forge.push(repo, head, { '.umpire.yml': 'tools: {}\n' }, { author: 'alice' })
  const asked = count()
  const { run } = await show(await open(head))
  expect(run).toMatchObject({ status: 'completed', redoWhen: null })
  expect(count()).toBe(asked)
})
