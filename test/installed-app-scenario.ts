// A scenario in which the App is installed, and reviews pull requests with its own token.
import { expect } from 'vitest'
import { createAppAtForge } from './app-scenario.ts'
import { type ConnectScenario, startConnectScenario, tokenOf } from './connect-scenario.ts'
import type { CheckRunView } from './fakes/forge/checks/check-interface.ts'
import { signInWithToken } from './sign-in.ts'

export const slug = 'umpire-acme'

export interface Reviewed {
  readonly repo: string
  readonly number: number
  readonly sha: string
}

export interface PullRequestOptions {
  readonly author?: string
  /** The settings of the base branch. */
  readonly settings?: string
  readonly title?: string
  readonly draft?: boolean
  readonly branch?: string
}

export interface InstalledScenario extends ConnectScenario {
  /** Adds a repository to the installation. */
  install(repo: string): void
  /** Waits until all deliveries were answered, and nothing is left to do. */
  settled(): Promise<void>
  /** Opens a pull request in a new repository of the installation, and waits until it settled. */
  review(files: Record<string, string>, options?: PullRequestOptions): Promise<Reviewed>
  checksOf(reviewed: Pick<Reviewed, 'repo' | 'sha'>): readonly CheckRunView[]
  /** Returns the only check run of a commit. */
  checkOf(reviewed: Pick<Reviewed, 'repo' | 'sha'>): CheckRunView
  runsOf(reviewed: Reviewed): Promise<{ id: number; status: string }[]>
  auditOf(reviewed: Reviewed): Promise<{ login: string; action: string }[]>
}

export async function startInstalledScenario(
  env: Record<string, string> = {},
): Promise<InstalledScenario> {
  const layers = { APP_ENV: 'development', MEMORY: 'off', GRAPH: 'off' }
  const scene = await startConnectScenario({ env: { ...layers, ...env } })
  const { app, forge } = scene
  const repositories = [await scene.createRepository()]
  const root = await signInWithToken(app, tokenOf('root'))
  const back = await createAppAtForge(forge, app, root, { organization: 'acme', as: 'alice' })
  await fetch(app.url + back, { headers: root.cookie, redirect: 'manual' })
  const installation = forge.installApp(slug, 'acme', { repositories, by: 'alice' })

  function install(repo: string): void {
    repositories.push(repo)
    forge.selectRepositories(installation, repositories, 'alice')
  }

  async function settled(): Promise<void> {
    const answered = () =>
      forge.waitFor(() => forge.deliveries.every(({ status }) => status !== null))
    await answered()
    await expect
      .poll(() => app.db.selectFrom('workItems').select(['kind', 'error']).execute(), {
        timeout: 30_000,
      })
      .toEqual([])
    await answered()
  }

  async function review(
    files: Record<string, string>,
    options: PullRequestOptions = {},
  ): Promise<Reviewed> {
    const { author = 'alice', branch = 'topic', settings, ...more } = options
    const repo = await scene.createRepository()
    const base = {
      'README.md': `# ${repo}\n`,
      ...(settings === undefined ? {} : { '.umpire.yml': settings }),
    }
    await forge.push(repo, 'main', base, { author: 'alice' })
    install(repo)
    const sha = await forge.push(repo, branch, files, { author: 'alice', message: `In ${repo}` })
    const number = await forge.openPullRequest({ ...more, repo, head: branch, author })
    await settled()
    return { repo, number, sha }
  }

  const checksOf: InstalledScenario['checksOf'] = ({ repo, sha }) => forge.checkRuns(repo, sha)
  return {
    ...scene,
    ...{ install, settled, review, checksOf },
    checkOf(reviewed) {
      const checks = checksOf(reviewed)
      expect(checks).toHaveLength(1)
      return checks[0]!
    },
    runsOf: ({ repo, number }) =>
      app.db
        .selectFrom('workflowRuns')
        .select(['id', 'status'])
        .where('repo', '=', repo)
        .where('prNumber', '=', number)
        .orderBy('id')
        .execute(),
    auditOf: ({ repo, number }) =>
      app.db
        .selectFrom('auditLog')
        .select(['login', 'action'])
        .where('subject', 'like', `${repo}#${number}%`)
        .orderBy('id')
        .execute(),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  }
}
