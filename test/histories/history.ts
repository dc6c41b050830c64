// One random history of a repository: what people do with its pull requests, and what must be shown
// in the end. The same seed makes the same history.
import { createRandom, type Random } from '../crash/random.ts'
import type { Forge } from '../fakes/forge/forge.ts'

/** A pull request as the history left it. */
export interface PlayedPullRequest {
  readonly number: number
  readonly branch: string
  /** All of its heads, oldest first. */
  readonly heads: string[]
  state: 'open' | 'closed' | 'merged'
  draft: boolean
  /** How many findings a review of the newest head has. */
  findings: number
}

export interface History {
  readonly seed: number
  readonly repo: string
  readonly pullRequests: readonly PlayedPullRequest[]
  /** What was done, for a person who reads a failure. */
  readonly log: readonly string[]
  /** How many things are done. */
  readonly length: number
  /** Does the next thing. */
  act(): Promise<void>
}

const author = 'alice'
const maxPullRequests = 2
const maxActs = 6

/** Creates the repository of a history, which belongs to an account of its own. */
export async function createHistory(forge: Forge, seed: number): Promise<History> {
  const repo = `owner-${seed}/shop`
  const random = createRandom(seed)
  await forge.createRepository(repo, { admins: [author] })
  const base = {
    'README.md': `# Shop ${seed}\n`,
    '.umpire.yml': 'reviews: { drafts: static }\n',
  }
  await forge.push(repo, 'main', base, { author })
  const pullRequests: PlayedPullRequest[] = []
  const log: string[] = []
  const length = random.between(2, maxActs)
  let version = 0

  async function push(branch: string, findings: number): Promise<string> {
    const files = { [`src/${branch}.ts`]: writeCode(findings, ++version) }
    return forge.push(repo, branch, files, { author, message: `Version ${version} on ${branch}` })
  }

  async function open(): Promise<void> {
    const branch = `topic-${pullRequests.length + 1}`
    const findings = random.between(0, 2)
    const draft = random.chance(0.2)
    const head = await push(branch, findings)
    const number = await forge.openPullRequest({ repo, head: branch, author, draft })
    pullRequests.push({ number, branch, heads: [head], state: 'open', draft, findings })
    log.push(`open #${number}${draft ? ' as a draft' : ''} with ${findings} findings`)
  }

  const change: Readonly<Record<string, (one: PlayedPullRequest) => void | Promise<void>>> = {
    async push(one) {
      one.findings = random.between(0, 2)
      one.heads.push(await push(one.branch, one.findings))
    },
    close(one) {
      forge.closePullRequest(repo, one.number)
      one.state = 'closed'
    },
    async reopen(one) {
      await forge.reopenPullRequest(repo, one.number)
      one.state = 'open'
    },
    async merge(one) {
      await forge.mergePullRequest(repo, one.number)
      one.state = 'merged'
    },
    ready(one) {
      forge.markReadyForReview(repo, one.number)
      one.draft = false
    },
    retitle: (one) => forge.editPullRequest(repo, one.number, { title: `Title ${++version}` }),
  }

  return {
    seed,
    repo,
    pullRequests,
    log,
    length,
    async act() {
      const living = pullRequests.filter(({ state }) => state !== 'merged')
      const mayOpen = pullRequests.length < maxPullRequests
      if (living.length === 0 || (mayOpen && random.chance(0.3))) {
        if (mayOpen) await open()
        return
      }
      const one = random.pick(living)
      const name = chooseChange(random, one)
      await change[name]!(one)
      log.push(`${name} #${one.number}: ${one.findings} findings, ${one.state}`)
    },
  }
}

function chooseChange(random: Random, { state, draft }: PlayedPullRequest): string {
  if (state === 'closed') return 'reopen'
  if (draft && random.chance(0.4)) return 'ready'
  return random.pick(['push', 'push', 'push', 'push', 'close', 'merge', 'retitle'])
}

/** The static reviewer reports each duplicate key. */
function writeCode(findings: number, version: number): string {
  const flaws = Array.from(
    { length: findings },
    (_, at) => `export const ports${at} = { http: 80, admin: 81, http: ${8000 + at} }`,
  )
  return [...flaws, `export const version = ${version}`, ''].join('\n')
}
