// Configuration of trackers and chats. Errors name variables but never print their values.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listSecrets, readConfig } from '../src/read-config.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'umpire-sources-config-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const lookUp = { tools: ['get_issue'], arguments: { id: '{key}' } }
const tracker = {
  name: 'tracker',
  kind: 'tickets',
  url: 'https://tracker.example/mcp',
  look_up: lookUp,
}

/** Returns the configuration read from a file with these sources. */
function read(sources: unknown, env: Record<string, string> = {}) {
  const file = join(folder, 'sources.json')
  writeFileSync(file, typeof sources === 'string' ? sources : JSON.stringify({ sources }))
  return readConfig({ ...env, CONTEXT_SOURCES: file })
}

it('configures well-known sources by environment variables', async () => {
  const { contextSources } = await readConfig({
    ATLASSIAN_MCP_URL: 'https://mcp.atlassian.com/v1/mcp',
    ATLASSIAN_TOKEN: 'ATATT-1234',
    ATLASSIAN_CLOUD_ID: 'acme.atlassian.net',
  })
  expect(contextSources).toMatchObject([
    {
      name: 'jira',
      server: {
        url: 'https://mcp.atlassian.com/v1/mcp',
        headers: { Authorization: 'Bearer ATATT-1234' },
      },
      lookUp: { arguments: { cloudId: 'acme.atlassian.net', issueIdOrKey: '{key}' } },
      link: 'https://acme.atlassian.net/browse/{key}',
      publicRepositories: false,
      forkPullRequests: false,
    },
  ])
})

it.each([
  [{ LINEAR_API_KEY: 'x' }, 'LINEAR_MCP_URL and LINEAR_API_KEY belong together: set both or none'],
  [
    { SENTRY_MCP_URL: 'https://s.example', SENTRY_AUTH_TOKEN: 'x' },
    'SENTRY_MCP_URL needs SENTRY_ORGANIZATION',
  ],
  [{ SLACK_MCP_URL: 'slack', SLACK_TOKEN: 'x' }, 'SLACK_MCP_URL must be an http or https address'],
  [
    { CONTEXT_SOURCES: '/no/such/file.json' },
    "CONTEXT_SOURCES can't be read: it must be the path of a file",
  ],
])('reports an error for %o', async (env, problem) => {
  await expect(readConfig(env)).rejects.toThrow(problem)
})

it.each<[what: string, sources: unknown, problem: RegExp]>([
  ['no JSON', 'sources:', /CONTEXT_SOURCES: the file is no JSON/],
  [
    'neither address nor program',
    [{ ...tracker, url: undefined }],
    /sources\.0\.url: must be an http or https address, or command/,
  ],
  [
    'an unknown field',
    [{ ...tracker, tokn: 'secret-value' }],
    /CONTEXT_SOURCES: sources\.0: .*tokn/,
  ],
  [
    'a bad name',
    [{ ...tracker, name: 'My Tracker' }],
    /sources\.0\.name: must be lower-case letters/,
  ],
  [
    'nothing to ask',
    [{ ...tracker, look_up: undefined }],
    /CONTEXT_SOURCES: tracker needs look_up or search/,
  ],
  [
    'a search for functions of what has none',
    [{ ...tracker, search_symbols: lookUp }],
    /CONTEXT_SOURCES: tracker has search_symbols, which is for the kind errors/,
  ],
  ['a name twice', [tracker, tracker], /CONTEXT_SOURCES: there are two sources called tracker/],
  [
    'a link without a key',
    [{ ...tracker, link: 'https://tracker.example/' }],
    /sources\.0\.link: must hold \{key\}/,
  ],
  [
    'a pin of another kind',
    [{ ...tracker, pins: { get_issue: 'md5:1' } }],
    /sources\.0\.pins\.get_issue: must be sha256/,
  ],
  [
    'a variable that is missing',
    [{ ...tracker, headers: { 'X-Key': `\${NO_KEY}` } }],
    /tracker needs NO_KEY/,
  ],
])('reports an error for a file of %s', async (_, sources, problem) => {
  await expect(read(sources)).rejects.toThrow(problem)
  await expect(read(sources)).rejects.not.toThrow('secret-value')
})

it('expands variables and treats them and header values as secrets', async () => {
  const program = {
    name: 'program',
    kind: 'errors',
    command: '/bin/errors',
    args: [`--token=\${ERRORS_TOKEN}`],
    env: { PLACE: 'here' },
    search: { tools: ['search'], arguments: {} },
  }
  const headers = {
    Authorization: `Bearer \${TRACKER_TOKEN}`,
    'X-Api-Key': 'written-into-the-file',
  }
  const config = await read([{ ...tracker, headers }, program], {
    TRACKER_TOKEN: 'first-secret-0123',
    ERRORS_TOKEN: 'second-secret-0123',
  })
  expect(config.contextSources.map(({ server }) => server)).toEqual([
    {
      url: tracker.url,
      headers: { Authorization: 'Bearer first-secret-0123', 'X-Api-Key': 'written-into-the-file' },
    },
    { command: '/bin/errors', args: ['--token=second-secret-0123'], env: { PLACE: 'here' } },
  ])
  const secrets = ['first-secret-0123', 'written-into-the-file', 'second-secret-0123']
  expect(listSecrets(config)).toEqual(expect.arrayContaining(secrets))
})
