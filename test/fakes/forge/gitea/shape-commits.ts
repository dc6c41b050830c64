// Commits in the format of Gitea and Forgejo.
import type { Repository, User } from '../entities.ts'
import { git, gitLine } from '../git.ts'
import type { Call, Host } from './host.ts'
import { repositoryApiUrl, repositoryWebUrl, type Shape, shapeUser } from './shape-accounts.ts'

const seconds = (time: string) => new Date(time).toISOString().replace('.000', '')

interface Read {
  readonly sha: string
  readonly parents: readonly string[]
  readonly author: { readonly name: string; readonly email: string; readonly date: string }
  readonly committer: { readonly name: string; readonly email: string; readonly date: string }
  readonly message: string
}

async function readCommit(repository: Repository, sha: string): Promise<Read> {
  const format = ['%H', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x00')
  const text = await gitLine(repository.directory, ['show', '-s', `--format=${format}`, sha])
  const [id, parents, an, ae, at, cn, ce, ct, message] = text.split('\0') as string[]
  return {
    sha: id!,
    parents: parents!.split(' ').filter(Boolean),
    author: { name: an!, email: ae!, date: seconds(at!) },
    committer: { name: cn!, email: ce!, date: seconds(ct!) },
    message: `${message!.trimEnd()}\n`,
  }
}

const accountOf = ({ state }: Host, email: string): User | undefined =>
  [...state.users.values()].find((user) => user.email === email)

/** What a commit changed: names of files, and counts of lines. */
async function readChanges(
  repository: Repository,
  sha: string,
): Promise<{ files: Shape[]; stats: Shape }> {
  const common = ['diff-tree', '--root', '-r', '-z', '--no-commit-id', '-m', '--first-parent']
  const [names, numbers] = await Promise.all([
    git(repository.directory, [...common, '--name-status', '--no-renames', sha]),
    git(repository.directory, [...common, '--numstat', '--no-renames', sha]),
  ])
  const fields = names.toString('utf8').split('\0')
  const statuses: Readonly<Record<string, string>> = { A: 'added', D: 'removed' }
  const files: Shape[] = []
  for (let index = 0; index + 1 < fields.length; index += 2)
    files.push({ filename: fields[index + 1], status: statuses[fields[index]!] ?? 'modified' })
  let [additions, deletions] = [0, 0]
  for (const line of numbers.toString('utf8').split('\0')) {
    const [added, deleted] = line.split('\t')
    additions += Number.parseInt(added ?? '', 10) || 0
    deletions += Number.parseInt(deleted ?? '', 10) || 0
  }
  return { files, stats: { total: additions + deletions, additions, deletions } }
}

/**
 * A commit of a list. The id of the tree is that of the commit, as observed at both. The query
 * leaves parts out: `stat`, `files` and `verification`.
 */
export async function shapeCommit(call: Call, repository: Repository, sha: string): Promise<Shape> {
  const { author, committer, message, parents, sha: id } = await readCommit(repository, sha)
  const api = `${repositoryApiUrl(call, repository)}/git`
  const wants = (part: string) => call.request.query.get(part) !== 'false'
  const changes = wants('stat') || wants('files') ? await readChanges(repository, id) : null
  const account = (email: string) => {
    const user = accountOf(call, email)
    return user === undefined ? null : shapeUser(call, user)
  }
  const unsigned = {
    reason: 'gpg.error.not_signed_commit',
    signature: '',
    signer: null,
    payload: '',
  }
  return {
    url: `${api}/commits/${id}`,
    sha: id,
    created: committer.date,
    html_url: `${repositoryWebUrl(call, repository)}/commit/${id}`,
    commit: {
      url: `${api}/commits/${id}`,
      author,
      committer,
      message,
      tree: { url: `${api}/trees/${id}`, sha: id, created: committer.date },
      verification: wants('verification') ? { verified: false, ...unsigned } : null,
    },
    author: account(author.email),
    committer: account(committer.email),
    parents: parents.map((parent) => ({
      url: `${api}/commits/${parent}`,
      sha: parent,
      created: '0001-01-01T00:00:00Z',
    })),
    files: wants('files') ? changes!.files : null,
    stats: wants('stat') ? changes!.stats : null,
  }
}

/** A commit of a push, as payloads show it. */
export async function shapePushed(host: Host, repository: Repository, sha: string): Promise<Shape> {
  const { author, committer, message, sha: id } = await readCommit(repository, sha)
  const { files } = await readChanges(repository, id)
  const person = ({ email, name }: { email: string; name: string }) => ({
    ...{ name, email, username: accountOf(host, email)?.login ?? '' },
  })
  const pathsOf = (status: string) =>
    files.filter((file) => file.status === status).map(({ filename }) => filename)
  return {
    ...{ id, message },
    url: `${repositoryWebUrl(host, repository)}/commit/${id}`,
    author: person(author),
    committer: person(committer),
    verification: null,
    timestamp: committer.date,
    added: pathsOf('added'),
    removed: pathsOf('removed'),
    modified: pathsOf('modified'),
  }
}
