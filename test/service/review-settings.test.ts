// Settings, attributes, commits and issues, and how they affect a review.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { replyWith } from '../fakes/forge/forge.ts'
import type { PushedFile } from '../fakes/forge/pushes.ts'
import { type ModelServer, type Reply, startModelServer } from '../fakes/models/model-server.ts'
import {
  ownComments,
  repo,
  reviewerLogin,
  runsOf,
  type Scenario,
  startScenario,
} from '../review-scenario.ts'

const path = 'src/discount.ts'
const discount = `// Discounts.
export function discountOf(count: number): number {
  // Ten and more get a tenth off.
  return count > 10 ? 0.1 : 0
}
`
const finding = {
  path,
  side: 'RIGHT',
  start_line: 4,
  end_line: 4,
  quote: '  return count > 10 ? 0.1 : 0',
  severity: 'moderate',
  category: 'correctness',
  title: 'Exactly ten articles get no discount',
  body: 'When `count` is 10, then the discount is 0, though the comment promises a tenth.',
  suggestion: null,
  evidence: [{ path, line: 3, note: 'ten and more' }],
  confidence: 0.9,
}
const nothing: Reply = { json: { summary: 'It adds discounts.', findings: [] } }
const found: Reply = { json: { summary: 'It adds discounts.', findings: [finding] } }

let server: ModelServer
let scenario: Scenario
beforeAll(async () => {
  server = await startModelServer({ protocol: 'openai-chat', script: () => nothing })
  scenario = await startScenario({ env: { MODEL: 'compatible:local', MODEL_BASE_URL: server.url } })
})
afterAll(async () => {
  await scenario[Symbol.asyncDispose]()
  await server.close()
})

interface ReviewOptions {
  /** `.umpire.yml` on the base branch. */
  settings?: string
  /** More files on the base branch; `null` removes a file. */
  base?: Record<string, PushedFile>
  files?: Record<string, PushedFile>
  title?: string
  body?: string
  message?: string
  reply?: Reply
}

let reviews = 0

/** Reviews a change. The base branch moves on after the branch of the change was created. */
async function review({
  settings,
  base,
  files = { [path]: discount },
  reply = nothing,
  ...details
}: ReviewOptions) {
  const { forge, app } = scenario
  const branch = `change-of-${++reviews}-kinds`
  const before = server.requests.length
  const { message = `Change on ${branch}`, title = 'A change', body = '' } = details
  server.respondWith(() => reply)
  await forge.push(repo, branch, files, { author: 'alice', message })
  await forge.push(
    repo,
    'main',
    { '.umpire.yml': settings ?? null, '.gitattributes': null, ...base },
    { author: 'alice' },
  )
  const requestsBefore = forge.requests.length
  const number = await forge.openPullRequest({ repo, head: branch, title, body, author: 'alice' })
  await scenario.waitUntilSettled()
  const view = forge.pullRequest(repo, number)
  const { summaries, inline } = ownComments(view)
  const runs = await runsOf(app, number)
  expect(runs.at(-1)).toMatchObject({ status: 'completed', attempts: 1 })
  return {
    view,
    inline,
    run: runs.at(-1),
    summary: summaries[0]?.body ?? '',
    /** `prompts` are requests to the model, `calls` those to the platform. */
    prompts: server.requests.slice(before),
    calls: forge.requests
      .slice(requestsBefore)
      .map((request) => `${request.method} ${request.path.replace('/api/v3', '')}`),
  }
}

describe('settings on the base branch', () => {
  it('exclude files, which is noted and does not lower the verdict', async () => {
    const { summary, run, prompts } = await review({
      settings: 'paths: { exclude: ["docs/**"] }',
      files: { [path]: discount, 'docs/guide.md': 'Words of the guide\n' },
    })
    expect(summary).toContain('Not reviewed (excluded by .umpire.yml): `docs/guide.md`')
    expect(run).toMatchObject({ verdict: 'APPROVE', filesAnalyzed: 1 })
    expect(prompts[0]?.text).toContain('discountOf')
    expect(prompts[0]?.text).not.toContain('Words of the guide')
  })

  it('do not exclude code that a change moves to an excluded path', async () => {
    const guard = `${discount}\nexport const limit = 10\n`
    await scenario.forge.push(repo, 'main', { 'src/guard.ts': guard }, { author: 'alice' })
    const { summary, run, prompts } = await review({
      settings: 'paths: { exclude: ["docs/**"] }',
      files: { 'src/guard.ts': null, 'docs/guard.ts': guard.replace('limit = 10', 'limit = 99') },
    })
    expect(summary).not.toContain('Not reviewed')
    expect(run).toMatchObject({ filesAnalyzed: 1 })
    expect(prompts[0]?.text).toContain('src/guard.ts')
    const vendored = await review({ files: { 'src/guard.ts': null, 'vendor/guard.ts': guard } })
    expect(vendored.summary).not.toContain('Not reviewed')
    expect(vendored.run).toMatchObject({ filesAnalyzed: 1 })
  })

  it('can exclude all files of a change, which approves it', async () => {
    const { summary, run, prompts } = await review({
      settings: 'paths: { exclude: ["docs/**"] }',
      files: { 'docs/guide.md': 'Words of the guide\n' },
    })
    expect(summary).toContain('Passed: no file of the change is to be reviewed')
    expect(run).toMatchObject({ verdict: 'APPROVE', filesAnalyzed: 0 })
    expect(prompts).toEqual([])
  })

  it('are reported where they are invalid and apply where they are valid', async () => {
    const { summary, prompts, run } = await review({
      settings:
        'sevirity: minor\nlanguage: German\nmode: sloppy\nrules: { disable: [breakpiont] }\n',
    })
    expect(summary).toContain('`.umpire.yml`: unknown key `sevirity` (did you mean `severity`?).')
    expect(summary).toContain(
      '`.umpire.yml`: `mode` must be one of `agentic`, `parallel`, `static`.',
    )
    expect(summary).toContain(
      '`.umpire.yml`: there is no rule `breakpiont` (did you mean `breakpoint`?).',
    )
    expect(prompts[0]?.system).toContain('Write in German.')
    expect(run?.verdict).toBe('APPROVE')
  })

  it('are validated when a change adds them, before they apply', async () => {
    const { summary, prompts } = await review({
      files: { [path]: discount, '.umpire.yml': 'language: German\nmode: sloppy\n' },
    })
    expect(summary).toMatch(/`mode` must be one of .*\. \(In this change: not in force until/)
    expect(prompts[0]?.system).toContain('Write in English.')
  })

  it('do not stop a review when they are broken, too large or hostile', async () => {
    for (const [settings, problem] of [
      ['paths: [', 'it is not YAML that can be read, so the defaults hold'],
      [
        `# ${'x'.repeat(70_000)}`,
        'is larger than 64 KB or could not be read, so the defaults hold.',
      ],
      ['? '.repeat(30_000), 'nested too deeply'],
      ['"@alice ` <img src=x>": 1', 'unknown key `@alice <img src=x>`.'],
    ] as const) {
      const { summary, view } = await review({ settings, reply: found })
      expect(summary).toContain(problem)
      expect(view.inlineComments).toHaveLength(1)
    }
  })

  it('give the model instructions for changed files, trusted as the base branch', async () => {
    const { prompts } = await review({
      settings: `instructions:
  - Money is in cents.
  - { paths: ["src/**"], text: Discounts are fractions. }
  - { paths: ["docs/**"], text: Docs are short. }`,
    })
    const text = prompts[0]?.text ?? ''
    const [, block = ''] =
      /<data-\w+ origin="instructions" trust="base_branch">\n([\s\S]*?)\n<\/data-/.exec(text) ?? []
    expect(block).toContain('Money is in cents.')
    expect(block).toContain('Discounts are fractions.')
    expect(text).not.toContain('Docs are short.')
  })

  it('set the minimum severity and the verdict for moderate findings', async () => {
    const minor: Reply = { json: { summary: 'S.', findings: [{ ...finding, severity: 'minor' }] } }
    const quiet = await review({ settings: 'severity: moderate', reply: minor })
    expect(quiet.inline).toEqual([])
    expect(quiet.run?.verdict).toBe('APPROVE')
    const strict = await review({
      settings: 'severity: moderate\npolicy: { moderate: request_changes }',
      reply: found,
    })
    expect(strict.inline).toHaveLength(1)
    expect(strict.run?.verdict).toBe('REQUEST_CHANGES')
    expect((await review({ reply: found })).run?.verdict).toBe('NEEDS_DISCUSSION')
  })

  it('can turn off comments on lines', async () => {
    const { inline, summary, run } = await review({
      settings: 'policy: { max_comments: 0 }',
      reply: found,
    })
    expect(inline).toEqual([])
    expect(summary).toContain('Exactly ten articles get no discount')
    expect(run?.verdict).toBe('NEEDS_DISCUSSION')
  })

  it('can turn off the model and single rules', async () => {
    const files = { 'src/a.ts': 'export function f() {\n  debugger\n}\n' }
    const on = await review({ settings: 'mode: static', files, reply: found })
    expect(on.prompts).toEqual([])
    expect(on.inline).toMatchObject([{ path: 'src/a.ts', line: 2 }])
    const off = await review({ settings: 'mode: static\nrules: { disable: [breakpoint] }', files })
    expect(off.prompts).toEqual([])
    expect(off.inline).toEqual([])
  })

  it('are also read from .umpire.yaml', async () => {
    const { prompts } = await review({ base: { '.umpire.yaml': 'language: French' } })
    expect(prompts[0]?.system).toContain('Write in French.')
    const both = await review({ settings: 'language: Italian' })
    expect(both.prompts[0]?.system).toContain('Write in Italian.')
    await scenario.forge.push(repo, 'main', { '.umpire.yaml': null }, { author: 'alice' })
  })

  it('case 42: a pull request cannot change its own review through settings', async () => {
    const { inline, run, prompts, summary } = await review({
      files: {
        '.umpire.yml': [
          'mode: static',
          'paths: { exclude: ["**"] }',
          'language: Klingon',
          'rules: { disable: [breakpoint] }',
          '',
        ].join('\n'),
        '.gitattributes': '* linguist-generated\n',
        [path]: discount.replace('return', 'debugger\n  return'),
      },
    })
    expect(inline).toContainEqual(expect.objectContaining({ path, line: 4, author: reviewerLogin }))
    // A person must look at changed settings, because they affect later reviews.
    const ofSettings = inline.filter(({ body }) =>
      body.includes('alters how later changes are reviewed'),
    )
    expect(ofSettings.map((comment) => comment.path).toSorted()).toEqual([
      '.gitattributes',
      '.umpire.yml',
    ])
    expect(inline).toHaveLength(3)
    expect(prompts[0]?.system).toContain('Write in English.')
    expect(summary).not.toContain('Not reviewed')
    expect(run).toMatchObject({ filesAnalyzed: 3 })
  })

  it('apply when git fails', async () => {
    const remove = scenario.forge.faults.add({
      match: (request) => request.path.includes('.git/'),
      action: replyWith(503),
    })
    const { summary, prompts } = await review({
      settings: 'language: Spanish\npaths: { exclude: ["docs/"] }',
      base: { '.gitattributes': 'src/gen.ts linguist-generated\n' },
      files: { [path]: discount, 'docs/guide.md': 'x\n', 'src/gen.ts': 'x\n' },
    })
    remove()
    expect(prompts[0]?.system).toContain('Write in Spanish.')
    expect(summary).toContain('could not be fetched with git')
    expect(summary).toContain('Not reviewed (excluded by .umpire.yml): `docs/guide.md`')
    expect(summary).toContain('Not reviewed (generated, by .gitattributes): `src/gen.ts`')
  })
})

describe('files that are not reviewed', () => {
  it('case 38: lists binary, LFS, minified, generated and vendored files and why', async () => {
    const program = `export const table = '${'0123456789abcdef'.repeat(20 * 65_536)}'\n`
    const { summary, run, prompts } = await review({
      settings: 'mode: agentic',
      base: {
        '.gitattributes': [
          'api/** linguist-generated',
          'foreign/* linguist-vendored',
          'src/*.pb.go -linguist-generated',
          '',
        ].join('\n'),
      },
      files: {
        [path]: discount,
        'assets/logo.png': Buffer.from('89504e470d0a1a0a0000000049454e44ae426082', 'hex'),
        'assets/blob.dat': Buffer.from([1, 2, 0, 3]),
        'assets/film.txt': [
          'version https://git-lfs.github.com/spec/v1',
          `oid sha256:${'0'.repeat(64)}`,
          'size 1',
          '',
        ].join('\n'),
        'web/long.js': `var a=${'b+'.repeat(15_000)}1\n`,
        'web/app.min.js': 'var a=1\n',
        'web/huge.js': program,
        'dist/out.js': 'x\n',
        'package-lock.json': '{}\n',
        'vendor/a/a.go': 'package a\n',
        'foreign/b.go': 'package b\n',
        'api/client.go': 'package api\n',
        'src/hand.pb.go': 'package hand // by hand, whatever its name\n',
        'src/claims.go':
          '// Code generated by me. DO NOT EDIT.\npackage claims // a claim of its own\n',
      },
    })
    const reasons = [...summary.matchAll(/^- Not reviewed \((.+)\): (.+)$/gm)].map(
      ([, reason, paths]) => [reason, paths],
    )
    expect(Object.fromEntries(reasons)).toEqual({
      image: '`assets/logo.png`',
      'binary, or larger than 8 MB': '`assets/blob.dat`, `web/huge.js`',
      'Git LFS: the content is not in the repository': '`assets/film.txt`',
      'vendored, by .gitattributes': '`foreign/b.go`',
      'generated, by .gitattributes': '`api/client.go`',
    })
    expect(run).toMatchObject({ filesAnalyzed: 8, verdict: 'NEEDS_DISCUSSION' })
    const lock = { [path]: discount, 'package-lock.json': '{}\n' }
    const withLockFile = await review({ files: lock })
    expect(withLockFile.run).toMatchObject({ verdict: 'APPROVE', confidence: 5 })
    expect(withLockFile.summary).toContain('confidence 5/5: the whole change was reviewed')
    const shown = prompts.map(({ text }) => text).join()
    expect(shown).toContain('by hand, whatever its name')
    expect(shown).toContain('a claim of its own')
    expect(shown).not.toContain('0123456789abcdef')
  })
})

describe('commits and issues', () => {
  it('of the pull request are shown to the model as untrusted', async () => {
    const { forge } = scenario
    const rounding = forge.openIssue(repo, {
      title: 'Rounding is off',
      body: 'By a cent, sometimes.',
    })
    const other = forge.openIssue(repo, { title: 'Discounts for tens', body: 'Ten get one.' })
    await forge.createRepository('acme/open')
    const open = forge.openIssue('acme/open', { title: 'Seen by all', body: 'An open matter.' })
    await forge.createRepository('acme/secret', { private: true, writers: [reviewerLogin] })
    const secret = forge.openIssue('acme/secret', {
      title: 'For few',
      body: 'A canary of the secret repository.',
    })
    const { prompts } = await review({
      title: `Discounts (#${other})`,
      body: [
        `Fixes #${rounding}.`,
        `See acme/open#${open}, acme/secret#${secret}, #99999,`,
        `${forge.url}/${repo}/issues/${rounding}`,
      ].join(' '),
      message: 'Count articles in dozens\n\nBecause the trade does.',
    })
    const text = prompts[0]?.text ?? ''
    const block = (origin: string) =>
      new RegExp(`<data-\\w+ origin="${origin}" trust="untrusted">\\n([\\s\\S]*?)\\n</data-`).exec(
        text,
      )?.[1] ?? ''
    expect(block('commits')).toContain('Count articles in dozens')
    const issues = block('issues')
    expect(issues).toContain('By a cent, sometimes.')
    expect(issues.indexOf('Rounding is off')).toBeLessThan(issues.indexOf('Discounts for tens'))
    expect(issues).toContain('An open matter.')
    expect(text).not.toContain('canary of the secret repository')
  })

  it('are not read when an issue has moved to a private repository', async () => {
    const { forge } = scenario
    await forge.createRepository('acme/hidden', { private: true, writers: [reviewerLogin] })
    const moved = forge.openIssue('acme/hidden', {
      title: 'Moved',
      body: 'A canary that moved away.',
    })
    const number = forge.openIssue(repo, { title: 'Moved', body: '' })
    const match = ({ method, path: requestedPath }: { method: string; path: string }) =>
      method === 'GET' && requestedPath.endsWith(`/repos/${repo}/issues/${number}`)
    const location = `${forge.apiUrl}/repos/acme/hidden/issues/${moved}`
    const remove = forge.faults.add({
      match,
      action: replyWith(301, { message: 'Moved Permanently' }, { location }),
    })
    const { prompts } = await review({ body: `Fixes #${number}` })
    remove()
    expect(prompts[0]?.text).not.toContain('canary that moved away')
  })

  it('cost one call when no issue is named', async () => {
    const { calls } = await review({})
    expect(calls.filter((call) => /GET .*\/(commits|issues\/\d+)$/.test(call))).toEqual([
      expect.stringMatching(/^GET \/repos\/acme\/shop\/pulls\/\d+\/commits$/),
    ])
  })

  it('do not affect the review when they cannot be read', async () => {
    const number = scenario.forge.openIssue(repo, { title: 'Hidden', body: '' })
    const match = ({ method, path: requestedPath }: { method: string; path: string }) =>
      method === 'GET' && /\/(commits|issues\/\d+)$/.test(requestedPath)
    const faults = [
      replyWith(403, { message: 'Resource not accessible by personal access token' }),
      replyWith(500),
    ]
    for (const action of faults) {
      const remove = scenario.forge.faults.add({ match, action })
      const { run, prompts, summary } = await review({ body: `Fixes #${number}` })
      remove()
      expect(run?.verdict).toBe('APPROVE')
      expect(summary).not.toMatch(/not accessible|commits|issue/)
      expect(prompts).toHaveLength(1)
    }
  })
})
