// The payload of a push, with its newest commits and the files of each.
import type { RefChange } from '../dialect.ts'
import type { Repository, User } from '../entities.ts'
import { git, tryGit } from '../git.ts'
import { commitsBetween } from '../objects.ts'
import type { ForgeState } from '../state.ts'
import { shapeHookCommit } from './commits.ts'
import { type Shape, shapeHookProject, shapeUser } from './shape-projects.ts'

const noCommit = '0'.repeat(40)

/** More commits are counted only (lib/gitlab/data_builder/push.rb). */
const maximumCommits = 20

export async function shapeHookPush(
  state: ForgeState,
  repository: Repository,
  { after, before, branch }: RefChange,
  sender: User,
): Promise<Shape> {
  const known = before === null ? await startOf(repository, branch) : before
  const commits = after === null ? [] : await commitsBetween(repository, known, after)
  const shown = commits.slice(-maximumCommits)
  const user = shapeUser(state, sender)
  return {
    event_name: 'push',
    before: before ?? noCommit,
    after: after ?? noCommit,
    ref: `refs/heads/${branch}`,
    ref_protected: branch === repository.defaultBranch,
    checkout_sha: after,
    message: null,
    user_id: sender.id,
    user_name: sender.name,
    user_username: sender.login,
    user_email: '',
    user_avatar: user.avatar_url,
    project_id: repository.id,
    project: shapeHookProject(state, repository),
    commits: await Promise.all(
      shown.map(async (sha) => ({
        ...shapeHookCommit(state, repository, sha),
        ...(await changedPaths(repository, sha)),
      })),
    ),
    total_commits_count: commits.length,
    push_options: {},
  }
}

/** What a new branch began at: its commits are those that the default branch lacks. */
async function startOf(repository: Repository, branch: string): Promise<string | null> {
  if (branch === repository.defaultBranch) return null
  const name = `refs/heads/${repository.defaultBranch}`
  const found = await tryGit(repository.directory, ['rev-parse', '--verify', '--quiet', name])
  return found.code === 0 ? found.stdout.toString('utf8').trim() : null
}

async function changedPaths(repository: Repository, sha: string): Promise<Shape> {
  const list = await git(repository.directory, [
    ...['diff-tree', '--root', '--no-commit-id', '--name-status', '--no-renames', '-r', '-z', sha],
  ])
  const fields = list.toString('utf8').split('\0').filter(Boolean)
  const pathsWith = (letters: string) =>
    fields.filter((_, index) => index % 2 === 1 && letters.includes(fields[index - 1]!))
  return { added: pathsWith('A'), modified: pathsWith('MT'), removed: pathsWith('D') }
}
