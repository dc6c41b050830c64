// Commits in GitLab's formats.
import { execFileSync } from 'node:child_process'
import type { Repository } from '../entities.ts'
import { git, gitEnvironment } from '../git.ts'
import type { ForgeState } from '../state.ts'
import { projectUrl, type Shape } from './shape-projects.ts'

const fields = ['%H', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B']
const showArguments = (sha: string) => ['show', '-s', `--format=${fields.join('%x00')}`, sha]

interface CommitText {
  readonly id: string
  readonly parents: readonly string[]
  readonly author: { readonly name: string; readonly email: string; readonly time: string }
  readonly committer: { readonly name: string; readonly email: string; readonly time: string }
  readonly message: string
}

function readText(text: string): CommitText {
  const [id, parents, an, ae, at, cn, ce, ct, message] = text.split('\0') as [string, ...string[]]
  return {
    id,
    parents: parents!.split(' ').filter(Boolean),
    author: { name: an!, email: ae!, time: new Date(at!).toISOString() },
    committer: { name: cn!, email: ce!, time: new Date(ct!).toISOString() },
    message: `${message!.trimEnd()}\n`,
  }
}

const titleOf = (message: string) => message.split('\n')[0]!

const commitUrl = (state: ForgeState, repository: Repository, sha: string) =>
  `${projectUrl(state, repository)}/-/commit/${sha}`

/** A commit in the API. */
export async function shapeCommit(
  state: ForgeState,
  repository: Repository,
  sha: string,
): Promise<Shape> {
  const text = await git(repository.directory, showArguments(sha))
  const commit = readText(text.toString('utf8'))
  return {
    id: commit.id,
    short_id: commit.id.slice(0, 8),
    created_at: commit.committer.time,
    parent_ids: commit.parents,
    title: titleOf(commit.message),
    message: commit.message,
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: commit.author.time,
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: commit.committer.time,
    ...{ trailers: {}, extended_trailers: {} },
    web_url: commitUrl(state, repository, commit.id),
  }
}

/**
 * A commit in deliveries. It is read at once, because a delivery shows what was there when
 * something happened.
 */
export function shapeHookCommit(state: ForgeState, repository: Repository, sha: string): Shape {
  const options = { cwd: repository.directory, env: gitEnvironment() }
  const text = execFileSync('git', showArguments(sha), options).toString('utf8')
  const { author, id, message } = readText(text)
  return {
    id,
    message,
    title: titleOf(message),
    timestamp: author.time.replace('.000Z', '+00:00'),
    url: commitUrl(state, repository, id),
    author: { name: author.name, email: author.email },
  }
}
