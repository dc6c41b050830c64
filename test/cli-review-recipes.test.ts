// The recipes of docs/command-line.md, as they stand there.
import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { breakpoint, conflict, type LocalTestRepository, makeLocalRepository } from './local-repository.ts'

const page = await readFile(new URL('../docs/command-line.md', import.meta.url), 'utf8')
const bin = fileURLToPath(new URL('../bin', import.meta.url))

/** The first fenced block of a language. */
function recipe(language: string): string {
  return new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? ''
}

let repository: LocalTestRepository
beforeAll(async () => {
  repository = await makeLocalRepository()
  const remote = join(repository.home, 'remote.git')
  await repository.git('init', '--quiet', '--bare', remote)
  await repository.git('remote', 'add', 'origin', remote)
  await repository.commit({ 'a.js': 'one()\n' })
  await repository.git('push', '--quiet', 'origin', 'main')
})
afterAll(() => repository[Symbol.asyncDispose]())

function run(file: string, args: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const path = `${bin}${delimiter}${process.env.PATH}`
    const environment = { PATH: path, HOME: repository.home, GIT_CONFIG_NOSYSTEM: '1', ...env }
    execFile(file, args as string[], { cwd: repository.folder, env: environment }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    )
  })
}

it('the hook keeps a push with findings back, and lets one without pass', async () => {
  const hook = join(repository.folder, '.git/hooks/pre-push')
  await writeFile(hook, recipe('sh'))
  await chmod(hook, 0o755)
  await repository.git('checkout', '--quiet', '-b', 'topic')
  await repository.commit({ 'b.js': conflict })
  const refused = await run('git', ['push', 'origin', 'topic'])
  expect(refused.output).toContain('b.js')
  expect(refused.code).not.toBe(0)
  await repository.commit({ 'b.js': breakpoint })
  expect((await run('git', ['push', 'origin', 'topic'])).code).toBe(0)
  // From here on only what the remote doesn't have is looked at.
  await repository.commit({ 'c.js': conflict })
  expect((await run('git', ['push', 'origin', 'topic'])).output).not.toContain('b.js')
})

it('the job annotates the findings of a pull request, and fails', async () => {
  const workflow = parse(recipe('yaml')) as { jobs: { review: { steps: { run?: string }[] } } }
  const script = workflow.jobs.review.steps.find((step) => step.run !== undefined)?.run ?? ''
  await repository.git('checkout', '--quiet', '-B', 'change', 'origin/main')
  await repository.commit({ 'd.js': conflict })
  const { code, output } = await run('sh', ['-c', script], { GITHUB_BASE_REF: 'main' })
  expect(output).toMatch(/^::error file=d\.js,line=1,/m)
  expect(code).toBe(1)
})
