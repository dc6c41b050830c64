// The settings of an organization and of directories, read with the App's installation.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledScenario, startInstalledScenario } from '../installed-app-scenario.ts'

let scene: InstalledScenario
beforeAll(async () => {
  scene = await startInstalledScenario()
})
afterAll(() => scene[Symbol.asyncDispose]())

const breakpoint = { 'src/price.ts': 'export const price = 1\ndebugger\n' }
const hidden = { private: true, admins: ['alice'] } as const

it('reads a private `.github` of the installation with a token for its files alone', async () => {
  await scene.forge.createRepository('acme/.github', hidden)
  const settings = { '.umpire.yml': 'rules: { disable: [breakpoint] }\n' }
  await scene.forge.push('acme/.github', 'main', settings, { author: 'alice' })
  scene.install('acme/.github')
  await scene.settled()
  const reviewed = await scene.review(breakpoint)
  expect(scene.forge.pullRequest(reviewed.repo, reviewed.number).inlineComments).toEqual([])
  const scopes = scene.forge.requests
    .filter(({ path, body }) => path.endsWith('/access_tokens') && body.includes('"repositories"'))
    .map(({ body }) => JSON.parse(body))
  expect(scopes).toEqual([{ repositories: ['.github'], permissions: { contents: 'read' } }])
})

it('does without a private `.github` that the installation does not have', async () => {
  await using other = await startInstalledScenario()
  await other.forge.createRepository('acme/.github', hidden)
  const settings = { '.umpire.yml': 'rules: { disable: [breakpoint] }\n' }
  await other.forge.push('acme/.github', 'main', settings, { author: 'alice' })
  const { repo, number } = await other.review(breakpoint)
  expect(other.forge.pullRequest(repo, number).inlineComments).toHaveLength(1)
})

it('reviews a head again when settings of its directories changed, and not otherwise', async () => {
  const { forge } = scene
  const reviewed = await scene.review(breakpoint, {
    draft: true,
    settings: 'rules: { disable: [] }\n',
  })
  const { repo, number } = reviewed
  const files = {
    same: { 'docs/a.md': 'A text.\n' },
    other: { 'src/.umpire.yml': 'instructions: Prices are whole.\n' },
  }
  const readDecisions = async () => {
    const runs = scene.app.db
      .selectFrom('workflowRuns')
      .select('decision')
      .where('repo', '=', repo)
      .orderBy('id')
    return (await runs.execute()).map(({ decision }) => 'decidedAgain' in (decision as object))
  }
  forge.markReadyForReview(repo, number)
  await scene.settled()
  expect(await readDecisions()).toEqual([false, true])
  const moveTo = async (base: keyof typeof files) => {
    await forge.push(repo, base, files[base], { author: 'alice' })
    await forge.editPullRequest(repo, number, { base })
    await scene.settled()
    return readDecisions()
  }
  expect(await moveTo('same')).toEqual([false, true, true])
  expect(await moveTo('other')).toEqual([false, true, true, false])
})
