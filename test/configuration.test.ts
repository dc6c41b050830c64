// Environment variables: values, secret files, and one error with all problems.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { maySignIn } from '../src/accounts/users.ts'
import { listSecrets, readConfig, variableGroups } from '../src/read-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'umpire-configuration-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const variables = Object.values(variableGroups).flatMap((group) => group.variables)

it('has each variable once', () => {
  const names = variables.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
  expect(names.length).toBeGreaterThan(60)
})

describe('secrets', () => {
  const url = 'https://mcp.example/mcp'
  /** What a secret needs to be valid, or to be used. */
  const companions: Readonly<Record<string, Record<string, string>>> = {
    DATABASE_URL: { SECRET_KEY: 'k'.repeat(32) },
    OAUTH_CLIENT_SECRET: { OAUTH_CLIENT_ID: 'client' },
    ANTHROPIC_API_KEY: { MODEL: 'anthropic:model' },
    OPENAI_API_KEY: { EMBEDDING_MODEL: 'openai:model' },
    GOOGLE_GENERATIVE_AI_API_KEY: { MODEL: 'google:model' },
    MODEL_API_KEY: { MODEL: 'compatible:model', MODEL_BASE_URL: url },
    LINEAR_API_KEY: { LINEAR_MCP_URL: url },
    ATLASSIAN_TOKEN: { ATLASSIAN_MCP_URL: url, ATLASSIAN_CLOUD_ID: 'site' },
    SENTRY_AUTH_TOKEN: { SENTRY_MCP_URL: url, SENTRY_ORGANIZATION: 'acme' },
    SLACK_TOKEN: { SLACK_MCP_URL: url },
    WEBHOOK_SECRETS_OLD: { WEBHOOK_SECRET: 'the new secret' },
    SMTP_URL: { SMTP_FROM: 'umpire@example.com' },
  }
  const secret = 'value-of-the-secret-0123456789abcdef'
  const addresses: Readonly<Record<string, string>> = {
    DATABASE_URL: `postgresql://umpire:${secret}@127.0.0.1/umpire`,
    SMTP_URL: `smtps://umpire:${secret}@127.0.0.1`,
  }
  const names = variables.filter((variable) => variable.secret).map(({ name }) => name)
  const file = join(folder, 'secret')

  it('are all listed, and so are the variables of `umpire review`', () => {
    expect(names.toSorted().join(' ')).toBe(
      'ANTHROPIC_API_KEY ATLASSIAN_TOKEN DATABASE_URL GOOGLE_GENERATIVE_AI_API_KEY ' +
        'LINEAR_API_KEY MODEL_API_KEY OAUTH_CLIENT_SECRET OPENAI_API_KEY PLATFORM_TOKEN ' +
        'SECRET_KEY SECRET_KEYS_OLD SENTRY_AUTH_TOKEN SLACK_TOKEN SMTP_URL UMPIRE_TOKEN ' +
        'WEBHOOK_SECRET WEBHOOK_SECRETS_OLD',
    )
    const readBy = (wanted: string) =>
      variables.filter(({ review }) => review === wanted).map(({ name }) => name)
    expect(readBy('always').toSorted().join(' ')).toBe(
      'ANTHROPIC_API_KEY ATTENTION_CHECK GOOGLE_GENERATIVE_AI_API_KEY GRAPH MODEL MODEL_API_KEY ' +
        'MODEL_BASE_URL MODEL_FAST OPENAI_API_KEY PLATFORM PLATFORMS PLATFORM_API_URL ' +
        'PLATFORM_TOKEN PLATFORM_URL REVIEW_BUDGET_USD REVIEW_CONTEXT_TOKENS REVIEW_MODE',
    )
    expect(readBy('with context').toSorted().join(' ')).toBe(
      'ATLASSIAN_CLOUD_ID ATLASSIAN_MCP_URL ATLASSIAN_TOKEN CONTEXT_SOURCES LINEAR_API_KEY ' +
        'LINEAR_MCP_URL SENTRY_AUTH_TOKEN SENTRY_MCP_URL SENTRY_ORGANIZATION SLACK_MCP_URL ' +
        'SLACK_TOKEN',
    )
  })

  it.each(names)('%s may be in a file, and is redacted', async (name) => {
    const text = addresses[name] ?? secret
    writeFileSync(file, `${text}\n`)
    const environment = { ...companions[name], [`${name}_FILE`]: file }
    expect(listSecrets(await readConfig(environment))).toContain(secret)
  })

  it.each([
    [{ SECRET_KEY: secret, SECRET_KEY_FILE: file }, 'SECRET_KEY and SECRET_KEY_FILE are both set'],
    [{ PLATFORM_TOKEN_FILE: join(folder, 'no') }, "PLATFORM_TOKEN_FILE can't be read (ENOENT)"],
  ])('reports %o', async (environment, problem) => {
    writeFileSync(file, secret)
    await expect(readConfig(environment)).rejects.toThrow(problem)
  })

  it('may not be in an empty file, which anyone could guess', async () => {
    writeFileSync(file, '\n')
    await expect(readConfig({ WEBHOOK_SECRET_FILE: file })).rejects.toThrow(
      'WEBHOOK_SECRET_FILE is empty: write the value into it or unset it',
    )
  })

  it.each([
    [{ SECRET_KEY: '🔑'.repeat(16) }, 'SECRET_KEY must have at least 32 characters'],
    [{ DATABASE_URL: 'postgres://u:%zz@host/d' }, 'special characters in it are percent-encoded'],
    [{ SIGN_IN_ALLOWED: '\u212Aate' }, 'SIGN_IN_ALLOWED must be usernames of the code host'],
  ])('and names are checked before they are used: %o', async (environment, problem) => {
    await expect(readConfig(environment)).rejects.toThrow(problem)
  })
})

describe('problems', () => {
  it('of all parts are reported at once, without values', async () => {
    const environment = {
      PORT: 'value',
      PLATFORM_URL: 'value',
      MODEL: 'value',
      OAUTH_CLIENT_ID: 'value',
      LINEAR_API_KEY: 'value',
      UNKNOWN: 'value',
    }
    await expect(readConfig(environment)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.not.stringContaining('value'),
      problems: [
        'PORT must be a whole number from 0 to 65535',
        'PLATFORM_URL must be an http or https address',
        'MODEL must be anthropic:<id>, openai:<id>, google:<id> or compatible:<id>',
        'OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET belong together: set both or none',
        'LINEAR_MCP_URL and LINEAR_API_KEY belong together: set both or none',
      ],
    })
  })

  it('that result from a malformed variable are not reported', async () => {
    const environment = { DATABASE_URL: 'postgresql://127.0.0.1/umpire', SECRET_KEY: 'short' }
    const problems = ['SECRET_KEY must have at least 32 characters']
    await expect(readConfig(environment)).rejects.toMatchObject({ problems })
  })
})

describe('values', () => {
  it.each([
    ['https://umpire.example', 'https://umpire.example'],
    [' HTTP://umpire.example/path// ', 'HTTP://umpire.example/path'],
    ['', 'http://localhost:8484'],
  ])('reads %j as the address %j', async (PUBLIC_URL, publicUrl) => {
    expect((await readConfig({ PUBLIC_URL })).http.publicUrl).toBe(publicUrl)
  })

  it.each(['umpire.example', 'ftp://umpire.example', 'http:umpire.example', 'http://'])(
    'refuses %j as an address',
    async (PUBLIC_URL) => {
      const problem = 'PUBLIC_URL must be an http or https address'
      await expect(readConfig({ PUBLIC_URL })).rejects.toThrow(problem)
    },
  )

  it('reads lists, switches, amounts and numbers', async () => {
    const config = await readConfig({
      TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32,::1',
      SIGN_IN_ALLOWED: 'Alice, bob',
      MEMORY: 'off',
      REVIEW_BUDGET_USD: '0.50',
      METRICS_PORT: '0',
    })
    expect(config).toMatchObject({
      http: { trustedProxies: ['10.0.0.0/8', '2001:db8::/32', '::1'] },
      signInAllowed: new Set(['alice', 'bob']),
      memory: false,
      models: { budget: { perReviewUsd: 0.5, perDayUsd: null } },
      metrics: { host: '127.0.0.1', port: 0 },
    })
  })
})

describe('code hosts', () => {
  const work = { PLATFORMS: 'github, work-2=github', PLATFORM_URL_WORK_2: 'https://git.example' }

  it('are one without a list, with the variables of today', async () => {
    const { hosts, platform, fallback } = await readConfig({ PLATFORM_TOKEN: 'token' })
    expect(hosts).toEqual([{ platform, fallback }])
    expect(platform).toMatchObject({ id: 'github', kind: 'github', name: null })
  })

  it('have their own addresses, tokens, secrets and applications, and nothing of the first', async () => {
    const config = await readConfig({
      ...work,
      PLATFORM_TOKEN: 'first',
      PLATFORM_TIMEOUT_SECONDS: '7',
      WEBHOOK_SECRET: 'first secret',
      WEBHOOK_SECRETS_OLD: 'first old',
      OAUTH_CLIENT_ID: 'first client',
      OAUTH_CLIENT_SECRET: 'first client secret',
      WEBHOOK_SECRET_WORK_2: 'second secret',
    })
    const [first, second] = config.hosts
    expect(first).toEqual({ platform: config.platform, fallback: config.fallback })
    expect(first!.fallback).toMatchObject({ token: 'first', oldWebhookSecrets: ['first old'] })
    expect(second).toEqual({
      platform: {
        id: 'work-2',
        kind: 'github',
        name: 'work-2',
        url: 'https://git.example',
        apiUrl: 'https://git.example/api/v3',
        oauth: null,
        userAgent: 'umpire',
        timeoutMs: 7000,
      },
      fallback: { token: null, webhookSecret: 'second secret', oldWebhookSecrets: [] },
    })
  })

  it('may keep the secrets of a further one in files, and redact them', async () => {
    writeFileSync(join(folder, 'token'), 'token-of-the-second-host')
    const environment = { ...work, PLATFORM_TOKEN_WORK_2_FILE: join(folder, 'token') }
    expect(listSecrets(await readConfig(environment))).toContain('token-of-the-second-host')
  })

  it.each([
    [
      { PLATFORMS: 'github,sourcehut' },
      'PLATFORMS must list <id> or <id>=<kind>, where the kind is',
    ],
    [{ PLATFORMS: 'github,' }, 'PLATFORMS must be ids'],
    [{ PLATFORMS: 'github,app=github' }, 'PLATFORMS must be ids'],
    [{ PLATFORMS: 'github,host=github' }, 'PLATFORMS must be ids'],
    [{ PLATFORMS: 'github,a-file=github' }, 'PLATFORMS must be ids'],
    [{ PLATFORMS: 'github,Work=github' }, 'PLATFORMS must be ids'],
    [
      { PLATFORMS: 'github,github' },
      'PLATFORMS lists github twice: give another one an id of its own: github-2=github',
    ],
    [
      { PLATFORMS: 'github,work=github' },
      'PLATFORM_URL_WORK must be another address than those of the other hosts',
    ],
    [
      { PLATFORM_TOKEN_WORK: 'a token' },
      "PLATFORM_TOKEN_WORK is for a code host that PLATFORMS doesn't list after the first one: " +
        'add work there, or unset it',
    ],
    [{ ...work, WEBHOOK_SECRET_GITHUB_FILE: '/secret' }, 'WEBHOOK_SECRET_GITHUB_FILE is for a'],
    [
      { ...work, WEBHOOK_SECRETS_OLD_WORK_2: 'old' },
      'WEBHOOK_SECRETS_OLD_WORK_2 needs WEBHOOK_SECRET_WORK_2, the new secret',
    ],
    [
      { ...work, OAUTH_CLIENT_ID_WORK_2: 'client' },
      'OAUTH_CLIENT_ID_WORK_2 and OAUTH_CLIENT_SECRET_WORK_2 belong together: set both or none',
    ],
    [
      { ...work, SIGN_IN_ALLOWED: 'alice, bob@gitlab' },
      "SIGN_IN_ALLOWED names the code host gitlab, which PLATFORMS doesn't list after the first one",
    ],
  ])('are refused with a problem that says what to do: %o', async (environment, problem) => {
    await expect(readConfig(environment)).rejects.toThrow(problem)
  })

  it.each([
    ['alice', 'github', true],
    ['alice', 'work-2', false],
    ['Bob', 'work-2', true],
    ['bob', 'github', false],
    ['alice', 'unknown', false],
  ])('let %s sign in at %s or not: %s', async (login, platform, may) => {
    const config = await readConfig({ ...work, SIGN_IN_ALLOWED: 'Alice, bob@work-2' })
    expect(maySignIn(config, { platform, login })).toBe(may)
  })
})
