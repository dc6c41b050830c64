// The platform contract for the GitHub adapter, on a local forge with GitHub's API.
import { expect, it } from 'vitest'
import { createPlatform } from '../src/platforms/index.ts'
import { confirmApp } from './app-scenario.ts'
import { startForgeFixture } from './contracts/forge-fixture.ts'
import {
  type AppFixture,
  describePlatform,
  type PlatformFixture,
  type PlatformTraits,
  type ToolFixture,
} from './contracts/platform-contract.ts'
import type { Forge } from './fakes/forge/forge.ts'
import { createDescriptionCheck } from './github/check-forge.ts'

const traits: PlatformTraits = {
  draftTitle: (title) => title,
  webhookEvents: ['issues', 'pull_request'],
  grantedScope: 'repo',
  pullPath: 'pull',
  commentsOnRanges: true,
  followsLines: true,
  refusedPlaces: [
    { path: 'src/count.ts', endLine: 35 },
    { path: 'src/none.ts', endLine: 1 },
  ],
  replacesVerdicts: false,
  writersDismiss: true,
  refusesDiffs: true,
  postsReviews: true,
  restrictsDismissals: true,
  signsDeliveries: true,
  countsDeliveredLines: true,
  listsSizes: true,
  pingsWebhooks: true,
  writersEdit: true,
  hasGroups: false,
  hidesPermissions: true,
}

const createGithub = (forge: Pick<Forge, 'url' | 'apiUrl'>) =>
  createPlatform({
    id: 'github',
    url: forge.url,
    apiUrl: forge.apiUrl,
    oauth: null,
    userAgent: 'umpire-test',
  })

async function start(): Promise<PlatformFixture> {
  const check = createDescriptionCheck()
  return startForgeFixture({
    dialect: 'github',
    traits,
    personalToken: 'ghp_0123456789',
    createPlatform: createGithub,
    deliveryHeader: 'x-github-delivery',
    writes: {
      summary: /\/issues\/\d+\/comments$/,
      inline: /\/pulls\/\d+\/reviews$/,
      check: /\/check-runs$/,
      dismissal: /\/dismissals$/,
    },
    observe: check.observe,
    descriptionProblems: (forge) => [...check.requestProblems(), ...check.answerProblems(forge)],
    apps: createApps,
    tools: createTools,
  })
}

/** What people do with an App on the forge. */
function createApps(forge: Forge, repo: string): AppFixture {
  const newestRun = (sha: string) => forge.checkRuns(repo, sha).at(-1)!.id
  return {
    async confirm({ action, manifest }) {
      forge.signInAs('octo')
      return confirmApp(forge, { action, manifest })
    },
    install: (slug) => {
      // The App belongs to the owner of the repository.
      return String(forge.installApp(slug, 'octo', { repositories: [repo], by: 'octo' }))
    },
    uninstall: (id) => forge.uninstallApp(Number(id), 'octo'),
    suspend: (id) => forge.suspendInstallation(Number(id), 'octo'),
    failedDelivery: async (event, { attempts = 1 } = {}) => {
      const newest = () => forge.deliveries.findLast((one) => one.event === event)!
      await forge.waitFor(() => newest().attempts.length >= attempts)
      return { id: newest().guid, payload: JSON.stringify(newest().payload) }
    },
    delivered: async (event) => {
      const delivery = forge.deliveries.findLast((one) => one.event === event)
      return JSON.stringify(delivery?.payload)
    },
    checks: (sha) =>
      forge.checkRuns(repo, sha).map(({ actions, detailsUrl: url, ...run }) => ({
        ...run,
        url,
        buttons: actions.map(({ identifier }) => identifier),
      })),
    rerun: (sha, by) => forge.rerunCheck(repo, newestRun(sha), by),
    rerunAll: (sha, slug, by) => forge.rerunAllChecks(repo, sha, slug, by),
    pressButton: (sha, request, by) => forge.pressCheckButton(repo, newestRun(sha), request, by),
    enqueue: (number, by) => forge.enqueue(repo, number, by),
    reopen: (number) => forge.reopenPullRequest(repo, number),
    markReady: (number) => forge.markReadyForReview(repo, number),
    edit: (number, change) => forge.editPullRequest(repo, number, change),
    addLabel: (number, name, by) => forge.addLabel(repo, number, name, by),
    removeLabel: (number, name, by) => forge.removeLabel(repo, number, name, by),
    requestReviewer: (number, login, by) => forge.requestReview(repo, number, login, by),
  }
}

/** What tools and CI do on the forge. */
function createTools(forge: Forge, repo: string): ToolFixture {
  const uploaded: number[] = []
  return {
    async uploadAnalysis(of, { tool, category, results }) {
      const found = Array.from({ length: results }, (_, at) => ({ message: { text: `${at}` } }))
      const runs = [{ tool: { driver: { name: tool } }, results: found }]
      const log = { version: '2.1.0', runs }
      if ('branch' in of) {
        const sha = (await forge.branches(repo)).get(of.branch)!
        const ref = `refs/heads/${of.branch}`
        return String(forge.uploadAnalysis(repo, { ref, sha, log, category }))
      }
      const { number, isMerge = false } = of
      const sha = isMerge
        ? await forge.makeTrialMerge(repo, number)
        : forge.pullRequest(repo, number).headSha
      const ref = `refs/pull/${number}/${isMerge ? 'merge' : 'head'}`
      return String(forge.uploadAnalysis(repo, { ref, sha, log, category }))
    },
    startRun(sha, event) {
      const run = forge.startWorkflow(repo, { sha, event })
      return async (artifacts) => {
        uploaded.push(...(await forge.endWorkflow(repo, run, artifacts)))
      }
    },
    expireArtifacts() {
      for (const id of uploaded) forge.expireArtifact(repo, id)
    },
  }
}

describePlatform('github', start)

it("finds issues in GitHub's own spelling", () => {
  const platform = createGithub({ url: 'https://github.example', apiUrl: '' })
  const found = platform.findIssues('acme/shop', { texts: ['See #3 and GH-4.'], branch: 'topic' })
  expect(found.map(({ number }) => number)).toEqual([3, 4])
})
