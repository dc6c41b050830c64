// The settings that repositories inherit from their organization, and those of directories.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderSettings } from '../../src/workflows/posting/render-settings.ts'
import { replyWith } from '../fakes/forge/forge.ts'
import type { PushedFile } from '../fakes/forge/pushes.ts'
import { type ModelServer, startModelServer } from '../fakes/models/model-server.ts'
import { insertConnection } from '../insert-connection.ts'
import type { Scenario } from '../review-scenario.ts'
import {
  endRefusals,
  ownComments,
  reviewerLogin,
  reviewerToken,
  startScenario,
} from '../review-scenario.ts'
import { type SignedInUser, signInWithToken } from '../sign-in.ts'
import { webhookSecret } from '../start-app.ts'

let server: ModelServer
let scene: Scenario
let alice: SignedInUser
let bob: SignedInUser
beforeAll(async () => {
  const nothing = { json: { summary: 'It changes files.', findings: [] } }
  server = await startModelServer({ protocol: 'openai-chat', script: () => nothing })
  const env = { MODEL: 'compatible:local', MODEL_BASE_URL: server.url, ATTENTION_CHECK: 'off' }
  scene = await startScenario({ env })
  for (const login of ['bob', 'mallory'])
    scene.forge.createUser(login, { token: `ghp_token_of_${login}` })
  alice = await signInWithToken(scene.app, 'ghp_token_of_alice')
  bob = await signInWithToken(scene.app, 'ghp_token_of_bob')
})
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  await server.close()
})

/** The rules find a breakpoint in it, which is minor. */
const breakpoint = 'export const price = 1\ndebugger\n'

type Files = Record<string, PushedFile>

async function createRepository(repo: string, files: Files, isPrivate = false): Promise<void> {
  const members = { admins: ['alice'], writers: [reviewerLogin] }
  await scene.forge.createRepository(repo, { private: isPrivate, ...members })
  await scene.forge.push(repo, 'main', files, { author: 'alice' })
}

/** Each owner has settings of its own, because those of an organization are cached. */
let owners = 0
const newOwner = () => `globex-${++owners}`

interface ReviewInput {
  /** Files on the base branch. */
  readonly base?: Files
  readonly files?: Files
  readonly isPrivate?: boolean
  readonly name?: string
  /** The account whose fork has the change. */
  readonly forkedBy?: string
}

/** Reviews a pull request in a new repository. */
async function review(owner: string, input: ReviewInput = {}) {
  const { base = {}, files = { 'src/price.ts': breakpoint }, isPrivate, forkedBy } = input
  const { forge, app } = scene
  const repo = `${owner}/${input.name ?? 'shop'}`
  await createRepository(repo, { 'README.md': '# Shop\n', ...base }, isPrivate)
  const url = `${app.url}/api/v1/webhooks/host`
  forge.addWebhook(repo, { url, secret: webhookSecret, events: ['pull_request'] })
  const headRepo = forkedBy === undefined ? repo : `${forkedBy}/shop`
  const author = forkedBy ?? 'alice'
  if (forkedBy !== undefined) await forge.createRepository(headRepo, { forkOf: repo })
  const sha = await forge.push(headRepo, 'topic', files, { author, message: `In ${repo}` })
  const before = server.requests.length
  const number = await forge.openPullRequest({ repo, head: 'topic', author, headRepo })
  await scene.waitUntilSettled()
  const view = forge.pullRequest(repo, number)
  const { summaries, inline } = ownComments(view)
  return {
    repo,
    number,
    sha,
    summary: summaries[0]?.body ?? '',
    titles: inline.map(({ body }) => body.split('\n')[0]),
    paths: inline.map(({ path }) => path),
    status: view.statuses[sha]?.at(-1),
    prompts: server.requests.slice(before).map(({ text }) => text),
  }
}

describe('the settings of an organization', () => {
  it('are inherited from its `.github` repository; nearer values win, key by key', async () => {
    const owner = newOwner()
    const settings =
      'gate: []\nrules: { disable: [breakpoint] }\ninstructions: Money is in cents.\n'
    await createRepository(`${owner}/.github`, { '.umpire.yml': settings })
    await createRepository(`${owner}/umpire`, { '.umpire.yml': 'severity: critical\n' })
    const files = { 'src/price.ts': breakpoint, 'data.bin': Buffer.from([0, 1, 2, 3]) }

    const inherited = await review(owner, { files })
    expect(inherited.paths).toEqual([])
    expect(inherited.status).toMatchObject({ state: 'success' })
    expect(inherited.status?.description).toMatch(/incomplete/i)
    expect(inherited.prompts[0]).toContain('Money is in cents.')

    const own = 'rules: { disable: [] }\ninstructions: Prices are whole.\n'
    const changed = await review(owner, { name: 'site', base: { '.umpire.yml': own }, files })
    expect(changed.paths).toEqual(['src/price.ts'])
    expect(changed.status).toMatchObject({ state: 'success' })
    expect(changed.prompts[0]).toContain('Money is in cents.\nPrices are whole.')

    const strict = { '.umpire.yml': 'gate: [incomplete]\n' }
    const gated = await review(owner, { name: 'api', base: strict, files })
    expect(gated.status).toMatchObject({ state: 'error' })
    expect(gated.paths).toEqual([])
  })

  it('decide whether a pull request is reviewed', async () => {
    const owner = newOwner()
    const settings = 'reviews: { start: on_request }\n'
    await createRepository(`${owner}/.github`, { '.umpire.yml': settings })
    const skipped = await review(owner)
    expect(skipped.status).toMatchObject({ state: 'error' })
    expect(skipped.status?.description).toMatch(/^Skipped/)
    const own = { '.umpire.yml': 'reviews: { start: automatic }\n' }
    const reviewed = await review(owner, { name: 'site', base: own })
    expect(reviewed.paths).toEqual(['src/price.ts'])
  })

  it('come from its `umpire` repository if `.github` has none', async () => {
    const owner = newOwner()
    await createRepository(`${owner}/.github`, { 'README.md': 'Hello\n' })
    const settings = 'rules: { disable: [breakpoint] }\n'
    await createRepository(`${owner}/umpire`, { '.umpire.yml': settings })
    expect((await review(owner)).paths).toEqual([])
  })

  it('are those of the owner of the base, not of the owner of a fork', async () => {
    const settings = 'gate: []\nrules: { disable: [breakpoint] }\n'
    await createRepository('mallory/.github', { '.umpire.yml': settings })
    const { paths } = await review(newOwner(), { forkedBy: 'mallory' })
    expect(paths).toEqual(['src/price.ts'])
  })

  it('do not come from a repository that was transferred to another owner', async () => {
    const owner = newOwner()
    const settings = 'rules: { disable: [breakpoint] }\n'
    await createRepository(`${owner}/.github`, { '.umpire.yml': settings })
    scene.forge.renameRepository(`${owner}/.github`, 'mallory/taken')
    expect((await review(owner)).paths).toEqual(['src/price.ts'])
  })

  it('do not loosen the gate when they or those of the repository are broken', async () => {
    const owner = newOwner()
    const binary = { 'data.bin': Buffer.from([0, 1, 2, 3]) }
    await createRepository(`${owner}/.github`, { '.umpire.yml': 'gate: [' })
    const broken = await review(owner, { files: binary })
    expect(broken.status).toMatchObject({ state: 'error' })
    expect(broken.summary).toContain(
      `\`.umpire.yml\` of \`${owner}/.github\`: it is not YAML that can be read`,
    )

    const loose = newOwner()
    await createRepository(`${loose}/.github`, { '.umpire.yml': 'gate: []\n' })
    const own = { '.umpire.yml': 'gate: [incomplet]\n' }
    expect((await review(loose, { base: own, files: binary })).status).toMatchObject({
      state: 'error',
    })
    const unread = { '.umpire.yml': 'gate: [' }
    const second = await review(loose, { name: 'site', base: unread, files: binary })
    expect(second.status).toMatchObject({ state: 'error' })
  })

  it('keep a review waiting while the platform does not say what they are', async () => {
    const owner = newOwner()
    await createRepository(`${owner}/.github`, { '.umpire.yml': 'gate: []\n' })
    const isAsked = ({ path }: { path: string }) => path.includes(`/repos/${owner}/.github`)
    const limited = replyWith(
      403,
      { message: 'You have exceeded a secondary rate limit' },
      { 'retry-after': '1800' },
    )
    const remove = scene.forge.faults.add({ match: isAsked, action: limited })
    const reviewed = review(owner)
    const { db } = scene.app
    const repo = `${owner}/shop`
    const readRuns = () =>
      db.selectFrom('workflowRuns').select('errorCode').where('repo', '=', repo).execute()
    await expect.poll(readRuns).toEqual([{ errorCode: 'platform_rate_limited' }])
    remove()
    // These move the retry time into the past.
    await endRefusals(scene.app)
    await db
      .updateTable('workItems')
      .set({ dueAt: new Date(0) })
      .where('repo', '=', repo)
      .execute()
    expect((await reviewed).status).toMatchObject({ state: 'success' })
  })
})

describe('the settings of a private repository', () => {
  const secret = 'gate: []\nfalcon: true\ninstructions: Project Falcon is a secret.\n'

  it('apply to public repositories, but neither comments nor models quote them', async () => {
    const owner = newOwner()
    await createRepository(`${owner}/.github`, { '.umpire.yml': secret }, true)
    const files = { 'data.bin': Buffer.from([0, 1, 2, 3]), 'src/price.ts': breakpoint }
    const open = await review(owner, { files })
    expect(open.status).toMatchObject({ state: 'success' })
    expect(open.summary).toContain(`\`.umpire.yml\` of \`${owner}/.github\` has 1 problem`)
    expect(`${open.summary} ${open.prompts.join()}`).not.toMatch(/falcon/i)

    const closed = await review(owner, { name: 'vault', files, isPrivate: true })
    expect(closed.prompts[0]).toContain('Project Falcon is a secret.')
    expect(closed.summary).not.toMatch(/falcon/i)
  })

  it('are named without their values where readers of a pull request see them', async () => {
    const owner = newOwner()
    await createRepository(`${owner}/.github`, { '.umpire.yml': secret }, true)
    const nested = { '.umpire.yml': 'severity: minor\n', 'api/.umpire.yml': 'severity: critical\n' }
    const { repo } = await review(owner, { base: nested })
    const { signal } = new AbortController()
    const access = { repo, token: reviewerToken }
    const text = await renderSettings(scene.app.app.context, access, 'main', signal)
    expect(text).not.toMatch(/falcon/i)
    const origin = `\`.umpire.yml of ${owner}/.github\``
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        `| \`gate\` | not shown: it comes from a private repository | ${origin} |`,
        '| `severity` | `minor` | `.umpire.yml` |',
        '| `severity` in `api/` | `critical` | `api/.umpire.yml` |',
        `- ${origin} has problems, which only its readers see.`,
        `- ${origin}: \`instructions\` does not apply to public repositories.`,
      ]),
    )
  })

  it('are shown by the API to those who may read them', async () => {
    const owner = newOwner()
    const repo = `${owner}/shop`
    await createRepository(`${owner}/.github`, { '.umpire.yml': secret }, true)
    await createRepository(repo, { 'docs/.umpire.yml': 'severity: critical\ngate: []\n' })
    for (const login of ['alice', 'bob']) await insertConnection(scene.app.db, login, repo)
    const show = async ({ bearer }: SignedInUser) => {
      const url = `${scene.app.url}/api/v1/settings/repository?repo=${repo}`
      const response = await fetch(url, { headers: bearer })
      expect(response.status).toBe(200)
      return (await response.json()) as {
        settings: { directory: string; key: string; value: unknown; file: unknown }[]
        files: { problems: string[] }[]
      }
    }
    const find = ({ settings }: Awaited<ReturnType<typeof show>>, key: string, directory = '') =>
      settings.find((one) => one.key === key && one.directory === directory)

    const full = await show(alice)
    expect(find(full, 'gate')).toMatchObject({
      value: [],
      file: { repo: `${owner}/.github`, path: '.umpire.yml', visible: true },
    })
    expect(find(full, 'severity')).toMatchObject({ value: 'minor', file: null })
    expect(find(full, 'severity', 'docs')).toMatchObject({
      value: 'critical',
      file: { repo: null, path: 'docs/.umpire.yml' },
    })
    expect(full.files.flatMap(({ problems }) => problems)).toEqual([
      'unknown key `falcon`',
      '`gate` applies to whole repositories, not directories',
    ])

    const limited = await show(bob)
    expect(find(limited, 'gate')).toMatchObject({
      value: null,
      file: { visible: false, problem_count: 1, problems: [], withheld: ['instructions'] },
    })
    expect(JSON.stringify(limited)).not.toMatch(/falcon/i)
  })

  it('are not shown for repositories that are not connected to the caller', async () => {
    const owner = newOwner()
    await createRepository(`${owner}/shop`, {})
    const url = `${scene.app.url}/api/v1/settings/repository?repo=${owner}/shop`
    expect((await fetch(url, { headers: alice.bearer })).status).toBe(403)
    expect((await fetch(url)).status).toBe(401)
  })
})

describe('the settings of a directory', () => {
  const base = {
    '.umpire.yml': 'rules: { disable: [breakpoint] }\npaths: { exclude: ["*.gen.ts"] }\n',
    'api/.umpire.yml':
      'rules: { disable: [] }\npaths: { exclude: [old/**] }\ngate: []\n' +
      'instructions: [{ paths: [v1/**], text: Answers are stable. }, { paths: [v9/**], text: No. }]\n',
    'web/.umpire.yml': 'severity: critical\nrules: { disable: [] }\n',
    'docs/.umpire.yml': 'instructions: Words are short.\n',
  }

  it('apply to its files only; the nearest one wins', async () => {
    const files = {
      'src/a.ts': breakpoint,
      'src/b.gen.ts': breakpoint,
      'api/v1/a.ts': breakpoint,
      'api/v1/b.gen.ts': breakpoint,
      'api/old/c.ts': breakpoint,
      'web/a.ts': breakpoint,
    }
    const { paths, summary, prompts } = await review(newOwner(), { base, files })
    expect(paths.toSorted()).toEqual(['api/v1/a.ts', 'api/v1/b.gen.ts'])
    expect(summary).toContain(
      'Not reviewed (excluded by .umpire.yml): `api/old/c.ts`, `src/b.gen.ts`',
    )
    expect(summary).toContain(
      '`api/.umpire.yml`: `gate` applies to whole repositories, not directories.',
    )
    expect(prompts[0]).toContain('For files in api/, v1/**: Answers are stable.')
    expect(prompts[0]).not.toContain('Words are short.')
  })

  it('can not be changed by the pull request, and such a change is a finding', async () => {
    const files = { 'api/.umpire.yml': 'severity: critical\n', 'api/a.ts': breakpoint }
    const { paths } = await review(newOwner(), { base, files })
    expect(paths.toSorted()).toEqual(['api/.umpire.yml', 'api/a.ts'])
  })
})
