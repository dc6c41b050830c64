// Routes of a repository's details, permissions, files, commits and statuses.
import { accountPermission, permits } from '../access.ts'
import type { CommitStatus, Permission, User } from '../entities.ts'
import { git, gitLine } from '../git.ts'
import { type ForgeResponse, header } from '../http.ts'
import { readBlob, readTree, resolveCommit, type TreeEntry } from '../objects.ts'
import { countLanguages } from '../rest-repositories.ts'
import { encodePath } from '../shape-accounts.ts'
import { announceChange, nextId, now } from '../state.ts'
import {
  answer,
  answerPage,
  failed,
  notFound,
  paginate,
  type RepositoryCall,
  type Route,
  readBody,
  refuse,
  requirePermission,
  requireUser,
} from './host.ts'
import { gitHeaders } from './rest-pulls.ts'
import {
  repositoryApiUrl,
  repositoryWebUrl,
  type Shape,
  shapeRepository,
  shapeUser,
} from './shape-accounts.ts'
import { shapeCommit, shapePushed } from './shape-commits.ts'
import { shapeStatus } from './shape-pulls.ts'

export const repositoryRoutes: readonly Route<RepositoryCall>[] = [
  ['GET', '', showRepository],
  ['GET', '/languages', showLanguages],
  ['GET', '/collaborators/:login/permission', showPermission],
  ['GET', '/branches', listBranches],
  ['GET', '/commits', listCommits],
  ['GET', '/commits/:ref/status', showCombinedStatus],
  ['GET', '/commits/:ref/statuses', listStatuses],
  ['GET', '/statuses/:ref', listStatuses],
  ['POST', '/statuses/:ref', createStatus],
  ['GET', '/git/commits/:sha', showCommit],
  ['GET', '/git/trees/:sha', showTree],
  ['GET', '/raw/*path', showRaw],
  ['GET', '/contents', showContents],
  ['GET', '/contents/*path', showContents],
]

function showRepository(call: RepositoryCall): ForgeResponse {
  const { permission, repository, request } = call
  const viewer = request.token?.user ?? null
  return answer(200, shapeRepository(call, repository, permission, viewer))
}

/** The names of roles; those between two are the lower one, which these hosts don't have. */
const roleNames: Readonly<Record<Permission, string>> = {
  none: 'none',
  read: 'read',
  triage: 'read',
  write: 'write',
  maintain: 'write',
  admin: 'admin',
}

/** Only administrators see the permissions of others; everybody sees their own. */
function showPermission(call: RepositoryCall): ForgeResponse {
  const caller = requireUser(call)
  const { login } = call.parameters
  const user: User | undefined = call.state.users.get(login!.toLowerCase())
  const refused = refuse(
    call,
    403,
    'Only admins can query all permissions, repo admins can query all repo permissions, collaborators can query only their own',
  )
  const mayAsk = permits(call.permission, 'admin') || caller === user
  if (user === undefined) {
    const unknown = refuse(call, 404, `user does not exist [uid: 0, name: ${login}]`)
    throw mayAsk || call.profile.name === 'forgejo' ? unknown : refused
  }
  if (!mayAsk) throw refused
  const isOwner = user === call.repository.owner
  const permission = isOwner ? 'owner' : roleNames[accountPermission(user, call.repository)]
  return answer(200, { permission, role_name: permission, user: shapeUser(call, user, caller) })
}

async function showLanguages(call: RepositoryCall): Promise<ForgeResponse> {
  const bytes = await countLanguages(call.repository)
  return answer(200, Object.fromEntries([...bytes].sort((one, other) => other[1] - one[1])))
}

function listBranches(call: RepositoryCall): Promise<ForgeResponse> {
  return answerPage(call, [...call.repository.heads], async ([name, sha]) => {
    const commit = await shapePushed(call, call.repository, sha)
    const unsigned = {
      ...{ verified: false, reason: 'gpg.error.not_signed_commit', signature: '' },
      ...{ signer: null, payload: '' },
    }
    const contexts = call.repository.requiredChecks.get(name) ?? []
    const mayWrite = permits(call.permission, 'write')
    return {
      name,
      commit: { ...commit, verification: unsigned, added: null, removed: null, modified: null },
      protected: contexts.length > 0,
      required_approvals: 0,
      enable_status_check: contexts.length > 0,
      status_check_contexts: contexts,
      ...{ user_can_push: mayWrite, user_can_merge: mayWrite },
      effective_branch_protection_name: contexts.length > 0 ? name : '',
    }
  })
}

/** Lists commits of a branch or commit, newest first, with those of a path alone. */
async function listCommits(call: RepositoryCall): Promise<ForgeResponse> {
  const { query } = call.request
  const [path, ref] = [query.get('path') ?? '', query.get('sha') || call.repository.defaultBranch]
  const head = await resolveCommit(call.repository, ref)
  // Without a path an unknown branch is 404 with `null`, and with one the server fails.
  if (head === null && path !== '') throw failed(call)
  if (head === null) return answer(404, null)
  const paths = path === '' ? [] : [`:(literal)${path}`]
  const list = await git(call.repository.directory, ['rev-list', head, '--', ...paths])
  const all = list.toString('utf8').split('\n').filter(Boolean)
  if (all.length === 0) throw notFound(call, 'FileCommitsCount')
  const { headers, items } = paginate(call, all)
  const shapes = await Promise.all(items.map((sha) => shapeCommit(call, call.repository, sha)))
  const more = { 'x-total': String(all.length), ...gitHeaders(call, all.length) }
  return answer(200, shapes, { ...headers, ...more })
}

async function showCommit(call: RepositoryCall): Promise<ForgeResponse> {
  const { sha } = call.parameters
  const commit = await resolveCommit(call.repository, sha!)
  if (commit === null) throw notFound(call, `commit doesn't exist: ${sha}`)
  return answer(200, await shapeCommit(call, call.repository, commit))
}

async function requireCommit(call: RepositoryCall): Promise<string> {
  const commit = await resolveCommit(call.repository, call.parameters.ref!)
  if (commit === null) throw failed(call)
  return commit
}

/** The statuses of a commit, newest first. */
const statusesOf = (call: RepositoryCall, sha: string) =>
  call.repository.statuses.filter((status) => status.sha === sha).reverse()

async function listStatuses(call: RepositoryCall): Promise<ForgeResponse> {
  const { ref } = call.parameters
  const isAddress = call.request.path.includes('/statuses/')
  const isRead = call.profile.resolvesStatusRefs || !isAddress
  const all = statusesOf(call, isRead ? await requireCommit(call) : ref!)
  if (call.request.query.get('sort') === 'oldest') all.reverse()
  const shape = (status: CommitStatus) => shapeStatus(call, call.repository, status)
  if (call.profile.pagesLists) return answerPage(call, all, shape)
  return answer(200, all.map(shape), paginate(call, all).headers)
}

async function showCombinedStatus(call: RepositoryCall): Promise<ForgeResponse> {
  const sha = await requireCommit(call)
  const newest = new Map<string, CommitStatus>()
  for (const status of statusesOf(call, sha))
    if (!newest.has(status.context)) newest.set(status.context, status)
  const all = [...newest.values()]
  const worst = ['error', 'failure', 'pending', 'success'].find((state) =>
    all.some((status) => status.state === state),
  )
  const combined = {
    state: worst ?? '',
    sha,
    total_count: all.length,
    statuses: all.map((status) => shapeStatus(call, call.repository, status)),
    repository: shapeRepository(call, call.repository, call.permission),
    commit_url: `${repositoryApiUrl(call, call.repository)}/commits/${sha}`,
    url: `${repositoryApiUrl(call, call.repository)}/commits/${sha}/status`,
  }
  return answer(200, combined, { 'x-total-count': String(all.length) })
}

/** Takes a branch too, any text as the state, and a description of any length. */
async function createStatus(call: RepositoryCall): Promise<ForgeResponse> {
  const author = requirePermission(call, 'write')
  const body = readBody(call)
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const status: CommitStatus = {
    id: nextId(call.state),
    sha: await requireCommit(call),
    context: text(body.context),
    state: text(body.state) as CommitStatus['state'],
    description: text(body.description),
    targetUrl: text(body.target_url),
    author,
    createdAt: now(call.state),
  }
  call.repository.statuses.push(status)
  announceChange(call.state)
  return answer(201, shapeStatus(call, call.repository, status))
}

/** Lists a tree with everything below where `recursive` is set, at most 1,000 entries a page. */
async function showTree(call: RepositoryCall): Promise<ForgeResponse> {
  const { query } = call.request
  const ref = call.parameters.sha!
  const sha = await resolveCommit(call.repository, ref)
  if (sha === null) throw refuse(call, 400, `sha not found [${ref}]`)
  const isDeep = ['true', '1'].includes(query.get('recursive') ?? '')
  const all = await readTree(call.repository, sha, isDeep)
  const wanted = Number.parseInt(query.get('per_page') ?? '', 10)
  const size = wanted > 0 ? Math.min(wanted, Math.min(1000, call.state.limits.treeEntries)) : 1000
  const page = Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1)
  const api = `${repositoryApiUrl(call, call.repository)}/git`
  const entries = all.slice((page - 1) * size, page * size).map((entry) => ({
    path: entry.path,
    mode: entry.mode,
    type: entry.type,
    size: entry.size ?? 0,
    sha: entry.sha,
    url:
      entry.type === 'commit'
        ? ''
        : `${api}/${entry.type === 'tree' ? 'trees' : 'blobs'}/${entry.sha}`,
  }))
  return answer(
    200,
    {
      sha,
      url: `${api}/trees/${sha}`,
      tree: entries,
      truncated: page * size < all.length,
      page,
      total_count: all.length,
    },
    { 'x-total-count': String(all.length) },
  )
}

interface FoundEntry {
  readonly commit: string
  readonly ref: string
  readonly path: string
  /** Null for the root. */
  readonly entry: TreeEntry | null
}

/** Finds what a path is at the commit or branch in `ref`. */
async function findEntry(call: RepositoryCall): Promise<FoundEntry> {
  const path = (call.parameters.path ?? '').replace(/^\/+|\/+$/g, '')
  const ref = call.request.query.get('ref') || call.repository.defaultBranch
  const commit = await resolveCommit(call.repository, ref)
  if (commit === null) {
    const error = `object does not exist [id: ${ref}, rel_path: ]`
    throw notFound(call, undefined, error)
  }
  if (path === '') return { commit, ref, path, entry: null }
  const parts = path.split('/')
  const isOdd = parts.some((part) => part === '' || part === '.' || part === '..')
  const [entry] = isOdd ? [] : await readTree(call.repository, commit, false, path)
  if (entry === undefined) {
    const error = `object does not exist [id: , rel_path: ${path}]`
    throw notFound(call, 'GetContentsOrList', error)
  }
  return { commit, ref, path, entry }
}

/** Answers a file's bytes. A folder isn't found. */
async function showRaw(call: RepositoryCall): Promise<ForgeResponse> {
  let found: FoundEntry
  try {
    found = await findEntry(call)
  } catch {
    throw notFound(call)
  }
  const { entry } = found
  if (entry === null || entry.type !== 'blob') throw notFound(call, 'getBlobForEntry')
  const etag = `"${entry.sha}"`
  const headers = { 'cache-control': 'private, max-age=300', etag }
  if (header(call.request, 'if-none-match') === etag) return { status: 304, headers, body: '' }
  const bytes = await readBlob(call.repository, entry.sha)
  const isText = !bytes.includes(0)
  const type = isText ? 'text/plain; charset=utf-8' : 'application/octet-stream'
  return { status: 200, headers: { ...headers, 'content-type': type }, body: bytes }
}

/** Answers a file in base64, of up to 10 MB, or what is in a folder. */
async function showContents(call: RepositoryCall): Promise<ForgeResponse> {
  const found = await findEntry(call)
  const { commit, entry, path } = found
  if (entry === null || entry.type === 'tree') {
    const inside = await readTree(call.repository, commit, false, path && `${path}/`)
    const shapes = inside.map((one) => shapeEntry(call, found, one, null))
    return answer(200, await Promise.all(shapes))
  }
  const bytes = entry.type === 'blob' ? await readBlob(call.repository, entry.sha) : null
  return answer(200, await shapeEntry(call, found, entry, bytes))
}

const entryTypes: Readonly<Record<string, string>> = {
  '120000': 'symlink',
  '160000': 'submodule',
  '040000': 'dir',
}

/** The newest commit that changed a path, and in Gitea its times. */
async function readLastCommit(call: RepositoryCall, commit: string, path: string): Promise<Shape> {
  const format = '--format=%H %cI %aI'
  const arguments_ = ['log', '-1', format, commit, '--', `:(literal)${path}`]
  const [sha, committed, authored] = (await gitLine(call.repository.directory, arguments_)).split(
    ' ',
  )
  const seconds = (time: string) => new Date(time).toISOString().replace('.000', '')
  return {
    last_commit_sha: sha,
    ...(call.profile.name === 'gitea'
      ? { last_committer_date: seconds(committed!), last_author_date: seconds(authored!) }
      : {}),
  }
}

async function shapeEntry(
  call: RepositoryCall,
  { commit, ref }: FoundEntry,
  entry: TreeEntry,
  bytes: Buffer | null,
): Promise<Shape> {
  const [api, web] = [
    repositoryApiUrl(call, call.repository),
    repositoryWebUrl(call, call.repository),
  ]
  const path = encodePath(entry.path)
  const kind = call.repository.heads.has(ref) ? `branch/${encodePath(ref)}` : `commit/${commit}`
  const self = `${api}/contents/${path}?ref=${encodeURIComponent(ref)}`
  const html = `${web}/src/${kind}/${path}`
  const git = `${api}/git/${entry.type === 'tree' ? 'trees' : 'blobs'}/${entry.sha}`
  const isFile = bytes !== null && entry.mode !== '120000'
  return {
    name: entry.path.split('/').at(-1),
    path: entry.path,
    sha: entry.sha,
    ...(await readLastCommit(call, commit, entry.path)),
    type: entryTypes[entry.mode] ?? 'file',
    size: entry.size ?? 0,
    encoding: isFile ? 'base64' : null,
    content: isFile ? bytes.toString('base64') : null,
    target: bytes !== null && entry.mode === '120000' ? bytes.toString('utf8') : null,
    url: self,
    html_url: html,
    git_url: git,
    download_url: entry.type === 'blob' ? `${web}/raw/${kind}/${path}` : null,
    submodule_git_url: null,
    _links: { self, git, html },
  }
}
