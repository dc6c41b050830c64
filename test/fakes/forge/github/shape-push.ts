// The payload of a push, with its commits and the files of each.

import type { RefChange } from '../dialect.ts'
import type { Repository, User } from '../entities.ts'
import { git, tryGit } from '../git.ts'
import { commitsBetween, readCommitIdentity } from '../objects.ts'
import { repositoryWebUrl } from '../shape-accounts.ts'
import type { ForgeState } from '../state.ts'

const noCommit = '0'.repeat(40)

/** GitHub lists this many commits of a push. */
const maxCommits = 2048

export async function shapePush(
  state: ForgeState,
  repository: Repository,
  { after, before, branch }: RefChange,
  pusher: User,
): Promise<Record<string, unknown>> {
  const created = before === null
  const kept = created || after === null || (await contains(repository, before, after))
  const listed = after === null ? [] : await pushedCommits(repository, before, after)
  const web = repositoryWebUrl(state, repository)
  const range = `${(before ?? noCommit).slice(0, 12)}...${(after ?? noCommit).slice(0, 12)}`
  return {
    ref: `refs/heads/${branch}`,
    before: before ?? noCommit,
    after: after ?? noCommit,
    base_ref: null,
    created,
    deleted: after === null,
    forced: !kept,
    compare: `${web}/compare/${range}`,
    commits: await Promise.all(listed.map((sha) => shapePushed(state, repository, sha))),
    head_commit: after === null ? null : await shapePushed(state, repository, after),
    pusher: { name: pusher.login, email: pusher.email },
  }
}

const contains = async (repository: Repository, older: string, newer: string) =>
  (await tryGit(repository.directory, ['merge-base', '--is-ancestor', older, newer])).code === 0

/** A new branch brings what no other branch has. */
async function pushedCommits(
  repository: Repository,
  before: string | null,
  after: string,
): Promise<string[]> {
  if (before === null) return [after]
  return (await commitsBetween(repository, before, after)).slice(-maxCommits)
}

async function shapePushed(
  state: ForgeState,
  repository: Repository,
  sha: string,
): Promise<Record<string, unknown>> {
  const arguments_ = ['diff-tree', '--root', '-r', '-z', '--no-commit-id', '--name-status', sha]
  const fields = (await git(repository.directory, arguments_)).toString('utf8').split('\0')
  const pathsOf = (...kinds: string[]) =>
    fields.filter((_, index) => index % 2 === 1 && kinds.includes(fields[index - 1]!))
  return {
    ...(await readCommitIdentity(repository, sha)),
    distinct: true,
    url: `${repositoryWebUrl(state, repository)}/commit/${sha}`,
    added: pathsOf('A'),
    removed: pathsOf('D'),
    modified: pathsOf('M', 'T'),
  }
}
