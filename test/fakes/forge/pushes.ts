// Pushes of every kind and merges.
import { mergeProblem } from './checks/required-checks.ts'
import type { PullRequest, Repository, User } from './entities.ts'
import { git, tryGit } from './git.ts'
import { readBranches, resolveCommit, runExclusive } from './objects.ts'
import { applyRefChanges, finishMerge } from './pull-requests.ts'
import {
  announceChange,
  type ForgeState,
  fullName,
  now,
  repositoryNamed,
  userNamed,
} from './state.ts'

/**
 * Runs an operation that can move branches, one at a time for each repository. Pull requests are
 * updated and deliveries sent before this returns.
 */
export async function changeRefs<T>(
  state: ForgeState,
  repository: Repository,
  pusher: User,
  change: () => Promise<T>,
): Promise<T> {
  return await runExclusive(repository, async () => {
    const before = await readBranches(repository)
    const result = await change()
    const after = await readBranches(repository)
    repository.heads = after
    const moved = [...new Set([...before.keys(), ...after.keys()])]
      .map((branch) => ({
        branch,
        before: before.get(branch) ?? null,
        after: after.get(branch) ?? null,
      }))
      .filter((move) => move.before !== move.after)
    if (moved.length > 0) {
      repository.pushedAt = now(state)
      await applyRefChanges(state, repository, moved, pusher)
    }
    announceChange(state)
    return result
  })
}

/**
 * The content of a file; null removes it. A mode other than 100644 makes an executable, a link or a
 * submodule.
 */
export type PushedFile =
  | string
  | Uint8Array
  | null
  | { readonly mode: string; readonly content: string | Uint8Array }

export interface PushOptions {
  readonly message?: string
  /** Login of the author and pusher; the repository's owner by default. */
  readonly author?: string
  /**
   * The branch or commit from which a new (or forced) branch starts; the default branch if missing,
   * null for none.
   */
  readonly parent?: string | null
  /** Discards the branch and starts again from `parent`. */
  readonly force?: boolean
  readonly date?: Date
}

/** Pushes a commit to a branch. Returns its id. */
export async function pushFiles(
  state: ForgeState,
  name: string,
  branch: string,
  files: Readonly<Record<string, PushedFile>>,
  options: PushOptions = {},
): Promise<string> {
  const repository = repositoryNamed(state, name)
  const author = options.author === undefined ? repository.owner : userNamed(state, options.author)
  return await changeRefs(state, repository, author, async () => {
    const tip =
      options.force === true ? null : await resolveCommit(repository, `refs/heads/${branch}`)
    const start =
      tip ?? (options.parent === null ? null : await startingPoint(repository, options.parent))
    const input = importStream({
      branch,
      start,
      files,
      message: options.message ?? `Change ${Object.keys(files).slice(0, 3).join(', ')}`,
      identity: `${author.name} <${author.email}> ${Math.floor((options.date ?? state.clock()).getTime() / 1000)} +0000`,
    })
    const out = await git(repository.directory, ['fast-import', '--quiet', '--force', '--done'], {
      input,
    })
    return out.toString('utf8').trim()
  })
}

async function startingPoint(
  repository: Repository,
  parent: string | undefined,
): Promise<string | null> {
  const start = await resolveCommit(repository, parent ?? `refs/heads/${repository.defaultBranch}`)
  if (start === null && parent !== undefined)
    throw new Error(`${fullName(repository)} has no commit ${parent}.`)
  return start
}

/** Renders one commit as input of git fast-import, which then prints its id. */
function importStream(input: {
  branch: string
  start: string | null
  files: Readonly<Record<string, PushedFile>>
  message: string
  identity: string
}): Buffer {
  const parts: Uint8Array[] = []
  const line = (text: string) => parts.push(Buffer.from(`${text}\n`))
  const data = (content: string | Uint8Array) => {
    const bytes = Buffer.from(content as Uint8Array)
    line(`data ${bytes.length}`)
    parts.push(bytes)
    line('')
  }
  if (input.start === null) line(`reset refs/heads/${input.branch}`)
  line(`commit refs/heads/${input.branch}`)
  line('mark :1')
  line(`author ${input.identity}`)
  line(`committer ${input.identity}`)
  data(input.message)
  if (input.start !== null) line(`from ${input.start}`)
  for (const [path, file] of Object.entries(input.files)) {
    const quoted = `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
    if (file === null) line(`D ${quoted}`)
    else if (typeof file === 'string' || file instanceof Uint8Array) {
      line(`M 100644 inline ${quoted}`)
      data(file)
    } else if (file.mode === '160000') line(`M 160000 ${file.content} ${quoted}`)
    else {
      line(`M ${file.mode} inline ${quoted}`)
      data(file.content)
    }
  }
  line('')
  line('get-mark :1')
  line('done')
  return Buffer.concat(parts)
}

/** Removes a branch like a push does; open pull requests from it are closed. */
export async function deleteBranch(state: ForgeState, name: string, branch: string): Promise<void> {
  const repository = repositoryNamed(state, name)
  await changeRefs(state, repository, repository.owner, async () => {
    await git(repository.directory, ['update-ref', '-d', `refs/heads/${branch}`])
  })
}

/**
 * Merges with a merge commit and delivers `closed`. Throws if git finds a conflict, or a required
 * check hasn't passed. Returns the merge commit.
 */
export async function mergePull(state: ForgeState, pull: PullRequest, by: User): Promise<string> {
  const { repository } = pull
  if (pull.state === 'closed') throw new Error(`#${pull.number} is closed.`)
  const problem = mergeProblem(repository, pull.baseRef, pull.headSha)
  if (problem !== null) throw new Error(problem)
  return await changeRefs(state, repository, by, async () => {
    const { commit } = await makeMergeCommit(state, pull, by)
    await git(repository.directory, ['update-ref', `refs/heads/${pull.baseRef}`, commit])
    finishMerge(state, pull, commit, by)
    return commit
  })
}

/** Makes the commit that merges a pull request, without moving a branch. */
export async function makeMergeCommit(
  state: ForgeState,
  pull: PullRequest,
  by: User,
): Promise<{ base: string; commit: string }> {
  const { repository } = pull
  const base = (await resolveCommit(repository, `refs/heads/${pull.baseRef}`))!
  const arguments_ = ['merge-tree', '--write-tree', base, pull.headSha]
  const merged = await tryGit(repository.directory, arguments_)
  if (merged.code !== 0) throw new Error(`${fullName(repository)}#${pull.number} has conflicts.`)
  const tree = merged.stdout.toString('utf8').split('\n')[0]!
  const seconds = Math.floor(state.clock().getTime() / 1000)
  const commit = await commitTree(repository, tree, [base, pull.headSha], by, seconds, pull)
  return { base, commit }
}

async function commitTree(
  repository: Repository,
  tree: string,
  parents: string[],
  author: User,
  seconds: number,
  pull: PullRequest,
): Promise<string> {
  const text = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${author.name} <${author.email}> ${seconds} +0000`,
    `committer ${author.name} <${author.email}> ${seconds} +0000`,
    '',
    `Merge pull request #${pull.number} from ${pull.headOwner.login}/${pull.headRef}\n\n${pull.title}\n`,
  ].join('\n')
  const out = await git(repository.directory, ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    input: text,
  })
  return out.toString('utf8').trim()
}
