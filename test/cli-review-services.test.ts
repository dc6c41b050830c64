// `umpire review` with models and with pull requests of a platform.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Forge, replyWith } from './fakes/forge/forge.ts'
import { findCanary } from './fakes/models/attentive-model.ts'
import { type ModelServer, startModelServer } from './fakes/models/model-server.ts'
import {
  conflictMarkerCode,
  debuggerCode,
  findingLocations,
  type LocalTestRepository,
  makeLocalRepository,
  reviewAsJson,
  waitForExit,
} from './local-test-repository.ts'
import {
  forgeEnvironment,
  repo,
  reviewerLogin,
  reviewerToken,
  startShopForge,
} from './review-scenario.ts'

const key = 'sk-test-0123456789-abcdefghij'
const discount = `export function discountOf(count: number): number {
  // The code under review: ten or more items get a tenth off.
  return count > 10 ? 0.1 : 0
}
`
const finding = {
  path: 'discount.ts',
  side: 'RIGHT',
  start_line: 3,
  end_line: 3,
  quote: 'return count > 10 ? 0.1 : 0',
  severity: 'critical',
  category: 'correctness',
  title: 'Exactly ten articles get no discount',
  body: `When \`count\` is 10, the discount is 0. ${key}`,
  suggestion: null,
  evidence: [],
  confidence: 0.9,
}

describe('with a model', () => {
  let repository: LocalTestRepository
  let server: ModelServer
  beforeEach(async () => {
    repository = await makeLocalRepository()
    server = await startModelServer({
      protocol: 'openai-chat',
      script: () => ({ json: { summary: '', findings: [] } }),
    })
    await repository.commit()
    await repository.write({ 'discount.ts': discount })
  })
  afterEach(async () => {
    await server.close()
    await repository[Symbol.asyncDispose]()
  })
  const modelEnvironment = () => ({
    MODEL: 'compatible:local',
    MODEL_BASE_URL: server.url,
    MODEL_API_KEY: key,
  })

  it('estimates the cost and sends nothing to a model', async () => {
    const estimate = (env: Record<string, string>) =>
      repository.review(['--estimate'], { env: { ...modelEnvironment(), ...env } })
    const priced = {
      MODEL: 'anthropic:claude-opus-5-5',
      ANTHROPIC_API_KEY: key,
      MODEL_FAST: 'anthropic:claude-haiku-4-5',
    }
    expect(await estimate(priced)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^anthropic:claude-opus-5-5: 1 call with about [2-5],\d\d\d input tokens cost about \$0\.0[3-5]\.\n/,
      ),
    })
    expect((await estimate({ ...priced, REVIEW_MODE: 'parallel' })).stdout).toMatch(
      /^anthropic:claude-opus-5-5 and anthropic:claude-haiku-4-5: 5 calls .* cost about \$0\.1\d\.\n/,
    )
    expect((await estimate({})).stdout).toMatch(
      /^compatible:local: .* cost about an unknown amount\./,
    )
    const withoutModel = await repository.review(['--estimate', '--mode', 'static'])
    expect(withoutModel.stdout).toBe('No model would be asked: the review costs nothing.\n')
    expect(server.requests).toEqual([])
  })

  it('case 43: prints findings and usage without secrets', async () => {
    server.respondWith(() => ({ json: { summary: '', findings: [finding] } }))
    const { code, stdout } = await repository.review([], { env: modelEnvironment() })
    expect(stdout).toContain('Exactly ten articles get no discount')
    expect(stdout).toContain('umpire/correctness')
    expect(stdout).toMatch(/\d+ model calls?, [\d,]+ tokens in, \d+ out, at an unknown price/)
    expect(stdout).not.toContain(key)
    expect(code).toBe(1)
  })

  it('case 75: is partial when a model fails the attention check', async () => {
    const silence = { text: JSON.stringify({ summary: '', findings: [] }) }
    server.respondWith(() => silence)
    const silent = await repository.review([], { env: modelEnvironment() })
    expect(silent.stdout).toContain('It gave no proof of having read')
    expect(silent.code).toBe(4)
    server.respondWith(() => ({ json: { summary: '', findings: [] } }))
    const attentive = await repository.review([], { env: modelEnvironment() })
    expect(attentive.stdout).not.toContain('no proof')
    expect(attentive.code).toBe(0)
    const planted = server.requests.map(({ text }) => findCanary(text)!.path)
    expect(new Set(planted).size).toBe(3)
    for (const path of planted) expect(`${silent.stdout}${attentive.stdout}`).not.toContain(path)
    server.respondWith(() => silence)
    const unchecked = await repository.review([], {
      env: { ...modelEnvironment(), ATTENTION_CHECK: 'off' },
    })
    expect(unchecked.code).toBe(0)
  })

  it('--mode static sends no request to a model', async () => {
    expect((await repository.review(['--mode', 'static'], { env: modelEnvironment() })).code).toBe(
      0,
    )
    expect(server.requests).toEqual([])
  })

  it('is partial when the model takes no part', async () => {
    server.respondWith(() => ({ status: 401 }))
    const report = await reviewAsJson(repository, [], { env: modelEnvironment() })
    expect(report).toMatchObject({ exit_code: 4, coverage: { complete: false } })
    expect(report.coverage?.notes.join()).toContain('The configured model took no part')
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s stops it and everything it started',
    async (signal) => {
      server.respondWith(() => ({ hang: true }))
      const child = repository.startReview([], { env: modelEnvironment() })
      const ended = waitForExit(child)
      await server.arrived(1)
      child.kill(signal)
      const { code, stdout } = await ended
      expect({ code, stdout }).toEqual({ code: signal === 'SIGINT' ? 130 : 143, stdout: '' })
      const root = dirname(repository.folder)
      const { stdout: processes } = await promisify(execFile)('ps', ['-eo', 'pid,args'])
      expect(processes.split('\n').filter((line) => line.includes(root))).toEqual([])
      expect((await readdir(root)).sort()).toEqual(['home', 'work'])
    },
  )
})

describe('a pull request', () => {
  let forge: Forge
  let outside: LocalTestRepository
  beforeAll(async () => {
    forge = await startShopForge()
    outside = await makeLocalRepository()
  })
  afterAll(async () => {
    await forge.close()
    await outside[Symbol.asyncDispose]()
  })

  it('is fetched from the platform and printed without posting', async () => {
    await forge.push(
      repo,
      'topic',
      { 'src/left.js': debuggerCode, 'src/both.js': conflictMarkerCode },
      { author: 'alice', message: 'A' },
    )
    const number = await forge.openPullRequest({
      repo,
      head: 'topic',
      title: 'A change',
      author: 'alice',
    })
    const address = `${forge.url}/${repo}/pull/${number}`
    const report = await reviewAsJson(outside, [address], {
      env: forgeEnvironment(forge),
      cwd: outside.home,
    })
    expect(findingLocations(report)).toEqual([
      'src/both.js:1 conflict-marker',
      'src/left.js:1 breakpoint',
    ])
    const view = forge.pullRequest(repo, number)
    expect(report.compared).toMatchObject({
      kind: 'pull_request',
      head: view.headSha,
      url: view.url,
    })
    expect(
      [...view.comments, ...view.inlineComments].filter(({ author }) => author === reviewerLogin),
    ).toEqual([])
    expect(view.statuses).toEqual({})
    expect(await readdir(outside.home)).toEqual([])
    expect((await readdir(dirname(outside.home))).sort()).toEqual(['home', 'work'])
  })

  it.each([
    ['one that is not there', { path: `${repo}/pull/999` }, 2],
    ['no token', { path: `${repo}/pull/1`, env: { PLATFORM_TOKEN: '' } }, 3],
    ['a wrong token', { path: `${repo}/pull/1`, env: { PLATFORM_TOKEN: 'wrong' } }, 3],
    [
      'a platform that is down',
      { path: `${repo}/pull/1`, env: { PLATFORM_API_URL: 'http://127.0.0.1:9' } },
      5,
    ],
  ])(
    '%s',
    async (_what, { path, env = {} }: { path: string; env?: Record<string, string> }, code) => {
      const run = { env: { ...forgeEnvironment(forge), ...env } }
      const result = await outside.review([`${forge.url}/${path}`], run)
      expect(result.stderr).toMatch(/^umpire: /m)
      if (env.PLATFORM_TOKEN === '')
        expect(result.stderr).toContain(
          `No token for ${repo}: set PLATFORM_TOKEN. Requires the repo`,
        )
      expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' })
    },
  )
})

describe.each([
  ['github', 'GitHub', 'pull/1', 'Requires the repo scope.'],
  ['gitea', 'Gitea', 'pulls/1', 'Requires the permissions'],
  ['forgejo', 'Forgejo', 'pulls/1', 'Requires the permissions'],
  ['gitlab', 'GitLab', '-/merge_requests/1', 'Requires the api scope.'],
] as const)('a review that %s refuses', (dialect, name, path, help) => {
  it('says which token was used and what it must permit', async () => {
    await using forge = await startShopForge({ dialect })
    await using local = await makeLocalRepository()
    await forge.push(repo, 'topic', { 'a.js': debuggerCode }, { author: 'alice', message: 'A' })
    await forge.openPullRequest({ repo, head: 'topic', author: 'alice' })
    // It is not the first host, so its variables end with its id.
    const env = {
      PLATFORMS: `gitea-2=gitea, work=${dialect}`,
      PLATFORM_URL: 'http://127.0.0.1:9',
      PLATFORM_URL_WORK: forge.url,
      PLATFORM_API_URL_WORK: forge.apiUrl,
    }
    const review = async (at: string, token: string) => {
      const run = { env: { ...env, PLATFORM_TOKEN_WORK: token } }
      const { code, stderr } = await local.review(['--mode', 'static', '--quiet', at], run)
      return { code, stderr: stderr.trim() }
    }
    const address = `${forge.url}/${repo}/${path}`
    const word = dialect === 'gitlab' ? 'merge request' : 'pull request'
    const [missing, wrong, absent, elsewhere] = await Promise.all([
      review(address, ''),
      review(address, 'wrong'),
      review(address.replace(repo, 'acme/none'), reviewerToken),
      review(`https://elsewhere.example/${repo}/${path}`, reviewerToken),
    ])
    expect(missing.stderr).toContain(`No token for ${repo}: set PLATFORM_TOKEN_WORK. ${help}`)
    expect(wrong.stderr).toContain(`umpire: ${name} rejects the token of PLATFORM_TOKEN_WORK (`)
    expect(wrong.stderr).toContain(help)
    expect(absent.stderr).toContain(
      `umpire: ${name} shows the token of PLATFORM_TOKEN_WORK no ${word} 1 in acme/none: it is ` +
        `not there, the token may not read it, or ${forge.url} is no ${name} (`,
    )
    expect(absent.stderr).toContain(help)
    expect(elsewhere.stderr).toContain('PLATFORM and PLATFORM_URL, or PLATFORMS, name other')
    expect([missing, wrong, absent, elsewhere].map(({ code }) => code)).toEqual([3, 3, 2, 2])
    // A token may be allowed to read the pull request, and not its changes.
    const isChange = (at: string) => /files|diff|compare|commits/.test(at)
    for (const match of [() => true, ({ path: at }: { path: string }) => isChange(at)]) {
      const remove = forge.faults.add({
        match,
        action: replyWith(403, { message: 'No scope' }, {}),
      })
      const { code, stderr } = await review(address, reviewerToken)
      remove()
      expect(stderr).toContain(
        `umpire: ${name} doesn't let the token of PLATFORM_TOKEN_WORK read ${repo} (No scope). `,
      )
      expect(stderr).toContain(help)
      expect(code).toBe(3)
    }
  })
})

describe('the .env file of the folder', () => {
  const hint = 'the .env file in this folder is not read; if it is yours, give --env-file .env'
  const address = 'https://github.com/acme/shop/pull/1'
  const model = { MODEL: 'compatible:local', MODEL_BASE_URL: 'http://127.0.0.1:9' }
  let repository: LocalTestRepository
  beforeEach(async () => {
    repository = await makeLocalRepository()
    await repository.write({
      '.env': 'PLATFORM_TOKEN=ghp_0123456789\n',
      'other.env': 'GRAPH=off\n',
    })
  })
  afterEach(() => repository[Symbol.asyncDispose]())

  it.each<[what: string, args: string[], env: Record<string, string>, code: number]>([
    ['no token is set', [address], model, 3],
    ['no model is set', ['--uncommitted'], {}, 0],
    ['a mode needs a model', ['--mode', 'agentic'], {}, 3],
  ])('is not read, which is said if %s', async (_what, args, env, code) => {
    const { stderr, ...result } = await repository.review(args, { env })
    expect(stderr.split(hint)).toHaveLength(2)
    expect(stderr).not.toContain('ghp_0123456789')
    expect(result.code).toBe(code)
  })

  it.each<[what: string, args: string[], env: Record<string, string>]>([
    ['nothing is missing', ['--mode', 'static'], {}],
    ['another file is named', [address, '--env-file', 'other.env'], model],
  ])('is not mentioned if %s', async (_what, args, env) => {
    expect((await repository.review(args, { env })).stderr).not.toContain(hint)
  })
})

it.each<[what: string, variables: Record<string, string>]>([
  ['without variables', {}],
  ['with variables', { REVIEW_MODE: 'parallel', LINEAR_API_KEY: 'lin_api_0123456789' }],
])('loads no server, database, model client or unused table %s', async (_what, variables) => {
  await using repository = await makeLocalRepository()
  await repository.commit()
  await repository.write({ 'a.ts': 'export {}\n' })
  const recorder = fileURLToPath(new URL('./record-modules.ts', import.meta.url))
  const loaded = join(repository.home, 'loaded')
  const env = { NODE_OPTIONS: `--import=${recorder}`, RECORD_MODULES: loaded, ...variables }
  expect((await repository.review([], { env })).code).toBe(0)
  const modules = (await readFile(loaded, 'utf8')).split('\n')
  expect(modules.some((url) => url.endsWith('/src/cli/review-command.ts'))).toBe(true)
  // Only the thread that checks code needs all rules, and loading them takes long.
  const rules = new URL('../src/reviewers/rules/index.ts', import.meta.url)
  expect(existsSync(rules)).toBe(true)
  expect(modules).not.toContain(rules.href)
  const packages = new Set(
    modules.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []),
  )
  expect([...packages].sort()).toEqual([])
})
