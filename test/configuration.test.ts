// Environment variables: values, secret files, and one error with all problems.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig, variableGroups } from '../src/read-config.ts'
import { listSecrets } from '../src/review-context.ts'

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
  }
  const secret = 'value-of-the-secret-0123456789abcdef'
  const names = variables.filter((variable) => variable.secret).map(({ name }) => name)
  const file = join(folder, 'secret')

  it('are all listed, and so are the variables of `umpire review`', () => {
    expect(names.toSorted().join(' ')).toBe(
      'ANTHROPIC_API_KEY ATLASSIAN_TOKEN DATABASE_URL GOOGLE_GENERATIVE_AI_API_KEY ' +
        'LINEAR_API_KEY MODEL_API_KEY OAUTH_CLIENT_SECRET OPENAI_API_KEY PLATFORM_TOKEN ' +
        'SECRET_KEY SECRET_KEYS_OLD SENTRY_AUTH_TOKEN SLACK_TOKEN UMPIRE_TOKEN WEBHOOK_SECRET ' +
        'WEBHOOK_SECRETS_OLD',
    )
    const readBy = (wanted: string) =>
      variables.filter(({ review }) => review === wanted).map(({ name }) => name)
    expect(readBy('always').toSorted().join(' ')).toBe(
      'ANTHROPIC_API_KEY ATTENTION_CHECK GOOGLE_GENERATIVE_AI_API_KEY GRAPH MODEL MODEL_API_KEY ' +
        'MODEL_BASE_URL MODEL_FAST OPENAI_API_KEY PLATFORM PLATFORM_API_URL PLATFORM_TOKEN ' +
        'PLATFORM_URL REVIEW_BUDGET_USD REVIEW_CONTEXT_TOKENS REVIEW_MODE',
    )
    expect(readBy('with context').toSorted().join(' ')).toBe(
      'ATLASSIAN_CLOUD_ID ATLASSIAN_MCP_URL ATLASSIAN_TOKEN CONTEXT_SOURCES LINEAR_API_KEY ' +
        'LINEAR_MCP_URL SENTRY_AUTH_TOKEN SENTRY_MCP_URL SENTRY_ORGANIZATION SLACK_MCP_URL ' +
        'SLACK_TOKEN',
    )
  })

  it.each(names)('%s may be in a file, and is redacted', async (name) => {
    const text = name === 'DATABASE_URL' ? `postgresql://umpire:${secret}@127.0.0.1/umpire` : secret
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
    [{ SIGN_IN_ALLOWED: '\u212Aate' }, 'SIGN_IN_ALLOWED must be usernames of the platform'],
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
