// `umpire mcp` and `umpire sources`, as agents and operators start them, beside a running service and without one.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Forge } from '../fakes/forge/forge.ts'
import { startContextServer } from '../fakes/mcp/context-server.ts'
import { testEngine } from '../fakes/test-database.ts'
import { forgeEnvironment, startShopForge } from '../review-scenario.ts'
import { runUmpire, umpireCommand } from '../run-command.ts'
import { webhookSecret } from '../start-app.ts'
import { createSite, type Site, startProcess, type UmpireProcess } from '../start-process.ts'

const repo = 'acme/shop'
let forge: Forge
let site: Site
let service: UmpireProcess
let env: Record<string, string>
beforeAll(async () => {
  forge = await startShopForge()
  site = await createSite()
  env = { ...site.env, ...forgeEnvironment(forge), PUBLIC_URL: 'https://umpire.example', MEMORY: 'off', GRAPH: 'off' }
  service = await startProcess(site, { env })
  forge.addWebhook(repo, {
    url: `${service.url}/api/v1/webhooks/host`,
    secret: webhookSecret,
    events: ['pull_request', 'issues'],
  })
  await forge.push(repo, 'topic', { 'src/new.ts': 'export const a = 1\n' }, { author: 'alice', message: 'Add' })
  await forge.openPullRequest({ repo, head: 'topic', title: 'A change', body: '', author: 'alice' })
  await service.logged('The review is done')
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await forge[Symbol.asyncDispose]()
})

/** A third party's client over stdin and stdout. */
async function connect(variables: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: umpireCommand,
    args: ['mcp'],
    env: { PATH: process.env.PATH ?? '', ...env, ...variables },
    cwd: site.dataDir,
    stderr: 'ignore',
  })
  const client = new Client({ name: 'a test', version: '1' })
  await client.connect(transport)
  return client
}

describe('umpire mcp', () => {
  it('answers from the running service, on stdin and stdout', async () => {
    const client = await connect()
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual([
        'get_recent_reviews',
        'get_contributor_stats',
        'get_pr_verdict',
        'get_repo_health',
      ])
      const verdict = await client.callTool({ name: 'get_pr_verdict', arguments: { repo, pr_number: 1 } })
      expect(verdict.structuredContent).toMatchObject({ repo, pr_number: 1, verdict: 'APPROVED' })
      const { contents } = await client.readResource({ uri: `umpire://repos/${repo}/reviews` })
      expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject([{ pr_number: 1, status: 'completed' }])
    } finally {
      await client.close()
    }
  })

  it('as a person sees what is connected to that person, and nothing with a token that does not count', async () => {
    const { stdout } = await runUmpire(['token', '--admin'], { cwd: site.dataDir, env })
    const client = await connect({ UMPIRE_TOKEN: stdout.trim() })
    const { structuredContent } = await client.callTool({ name: 'get_pr_verdict', arguments: { repo, pr_number: 1 } })
    await client.close()
    expect(structuredContent).toEqual({ error: 'Repo not connected or access denied' })

    const refused = await runUmpire(['mcp'], { cwd: site.dataDir, env: { ...env, UMPIRE_TOKEN: 'no-token' } })
    expect(refused).toMatchObject({
      code: 3,
      stdout: '',
      stderr: 'umpire: The token does not count, or not any more\n',
    })
  })

  it('ends with its client, and says where there is no service', async () => {
    // Its stdin is closed from the start.
    expect(await runUmpire(['mcp'], { cwd: site.dataDir, env })).toMatchObject({ code: 0, stdout: '' })
    if (testEngine === 'embedded') {
      const elsewhere = await runUmpire(['mcp'], {
        cwd: site.dataDir,
        env: { ...env, DATA_DIR: `${site.dataDir}/none` },
      })
      expect(elsewhere).toMatchObject({ code: 5, stdout: '' })
      expect(elsewhere.stderr).toMatch(/No service runs with .*umpire serve/)
    }
  })
})

describe('umpire sources', () => {
  it('shows what answers, and trusts anew', async () => {
    await using tracker = await startContextServer({ tools: { get_issue: () => '{}' } })
    const sources = { ...env, LINEAR_MCP_URL: tracker.url, LINEAR_API_KEY: 'lin_api_0123456789' }
    expect(await runUmpire(['sources'], { cwd: site.dataDir, env: sources })).toEqual({
      code: 0,
      stdout: 'linear  answers\n',
      stderr: '',
    })
    tracker.change({ tools: {} })
    expect(await runUmpire(['sources'], { cwd: site.dataDir, env: sources })).toEqual({
      code: 5,
      stdout: 'linear  it offers no tool get_issue\n',
      stderr: '',
    })
    const trusted = await runUmpire(['sources', '--trust', 'linear'], { cwd: site.dataDir, env: sources })
    expect(trusted).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('0 remembered tools of linear'),
    })
    const unknown = await runUmpire(['sources', '--trust', 'liner'], { cwd: site.dataDir, env: sources })
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean linear?') })
  })
})
