// REST routes of git contents: files, trees, commits, and the statuses of commits.
import { listCommitRuns } from './checks/rest-checks.ts'
import type { CommitStatus } from './entities.ts'
import {
  accepts,
  type ForgeResponse,
  invalid,
  json,
  jsonBody,
  notFound,
  paginate,
  refuse,
} from './http.ts'
import {
  commitsBetween,
  readBlob,
  readBranches,
  readTree,
  resolveCommit,
  shapeCommit,
  type TreeEntry,
  treeOf,
} from './objects.ts'
import { type RepositoryCall, type Route, requirePermission } from './routes.ts'
import {
  encodePath,
  repositoryApiUrl,
  repositoryWebUrl,
  shapeRepository,
} from './shape-accounts.ts'
import { shapeStatus } from './shapes.ts'
import { announceChange, nextId, now } from './state.ts'

export const contentRoutes: readonly Route[] = [
  ['GET', '/contents', showContents],
  ['GET', '/contents/*path', showContents],
  ['GET', '/git/commits/:sha', showGitCommit],
  ['GET', '/git/trees/*ref', showTree],
  ['GET', '/commits', listCommits],
  ['POST', '/statuses/:sha', createStatus],
  ['GET', '/statuses/*ref', listStatuses],
  ['GET', '/commits/*ref', showCommit],
]

async function requireCommit(call: RepositoryCall, ref: string): Promise<string> {
  const commit = await resolveCommit(call.repository, ref)
  if (commit === null) throw refuse(404, `No commit found for the ref ${ref}`)
  return commit
}

/** Returns a file as JSON (base64 up to 1 MB) or raw (up to 100 MB), or a folder as a list. */
// oxlint-disable-next-line complexity -- one condition for each form of the response
async function showContents(call: RepositoryCall): Promise<ForgeResponse> {
  const path = (call.parameters.path ?? '').replace(/^\/+|\/+$/g, '')
  const ref = call.request.query.get('ref') ?? call.repository.defaultBranch
  const commit = await requireCommit(call, ref)
  if (path !== '' && path.split('/').some((part) => part === '' || part === '.' || part === '..'))
    throw notFound()
  const [entry] = path === '' ? [] : await readTree(call.repository, commit, false, path)
  if (path === '' || entry?.type === 'tree') {
    const listed = await readTree(call.repository, commit, false, path && `${path}/`)
    return json(
      200,
      listed.map((inside) => shapeEntry(call, inside, ref)),
    )
  }
  if (entry === undefined) throw notFound()
  const shape = shapeEntry(call, entry, ref)
  if (entry.type === 'commit') return json(200, { ...shape, submodule_git_url: null })
  const bytes = await readBlob(call.repository, entry.sha)
  if (bytes.length > 100 * 1024 * 1024)
    throw refuse(403, 'This API returns blobs up to 100 MB in size.')
  if (accepts(call.request, 'raw')) {
    return {
      status: 200,
      headers: { 'content-type': 'application/vnd.github.v3.raw; charset=utf-8' },
      body: bytes,
    }
  }
  if (entry.mode === '120000') return json(200, { ...shape, target: bytes.toString('utf8') })
  const large = bytes.length > 1024 * 1024
  const content = large ? '' : bytes.toString('base64').replace(/.{60}/g, '$&\n')
  return json(200, { ...shape, content, encoding: large ? 'none' : 'base64' })
}

const entryTypes: Record<string, string> = {
  '120000': 'symlink',
  '160000': 'submodule',
  '040000': 'dir',
}

function shapeEntry(call: RepositoryCall, entry: TreeEntry, ref: string): Record<string, unknown> {
  const [api, web] = [
    repositoryApiUrl(call.state, call.repository),
    repositoryWebUrl(call.state, call.repository),
  ]
  const path = encodePath(entry.path)
  const at = encodeURIComponent(ref)
  const url = `${api}/contents/${path}?ref=${at}`
  const html = `${web}/blob/${at}/${path}`
  const blob = `${api}/git/blobs/${entry.sha}`
  return {
    type: entryTypes[entry.mode] ?? 'file',
    name: entry.path.split('/').at(-1),
    path: entry.path,
    sha: entry.sha,
    size: entry.size ?? 0,
    url,
    html_url: html,
    git_url: blob,
    _links: { self: url, git: blob, html },
    download_url: entry.type === 'blob' ? `${web}/raw/${at}/${path}` : null,
  }
}

/** Returns a tree; any value of `recursive` counts, as at GitHub. */
async function showTree(call: RepositoryCall): Promise<ForgeResponse> {
  const { repository, state } = call
  const ref = call.parameters.ref!
  const commit = await resolveCommit(repository, ref)
  if (commit === null && !/^[0-9a-f]{40}$/.test(ref)) throw notFound()
  const sha = await treeOf(repository, commit ?? ref).catch(() => Promise.reject(notFound()))
  const entries = await readTree(repository, sha, call.request.query.has('recursive'))
  const api = `${repositoryApiUrl(state, repository)}/git`
  return json(200, {
    sha,
    url: `${api}/trees/${sha}`,
    tree: entries.slice(0, state.limits.treeEntries).map((entry) => ({
      path: entry.path,
      mode: entry.mode,
      type: entry.type,
      sha: entry.sha,
      ...(entry.size === null ? {} : { size: entry.size }),
      ...(entry.type === 'commit' ? {} : { url: `${api}/${entry.type}s/${entry.sha}` }),
    })),
    truncated: entries.length > state.limits.treeEntries,
  })
}

/** Returns a commit as git has it, without accounts and changed files. */
async function showGitCommit(call: RepositoryCall): Promise<ForgeResponse> {
  const sha = call.parameters.sha!
  if (!/^[0-9a-f]{40}$/.test(sha) || (await resolveCommit(call.repository, sha)) === null)
    throw notFound()
  const whole = await shapeCommit(call.state, call.repository, sha)
  const { commit, html_url, node_id, parents } = whole
  const verification = {
    ...{ verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
  }
  const address = { html_url, node_id }
  return json(200, { sha, ...address, ...(commit as object), parents, verification })
}

async function listCommits(call: RepositoryCall): Promise<ForgeResponse> {
  const start = await resolveCommit(
    call.repository,
    call.request.query.get('sha') ?? call.repository.defaultBranch,
  )
  if (start === null) {
    const isEmpty = (await readBranches(call.repository)).size === 0
    throw isEmpty ? refuse(409, 'Git Repository is empty.') : notFound()
  }
  const all = await commitsBetween(
    call.repository,
    null,
    start,
    call.request.query.get('path') ?? undefined,
  )
  const [page, headers] = paginate(call.request, call.address, all.reverse())
  return json(
    200,
    await Promise.all(page.map((sha) => shapeCommit(call.state, call.repository, sha))),
    headers,
  )
}

/**
 * Routes `/commits/REF` and paths below it: branch names contain slashes, so the end of the path
 * decides.
 */
async function showCommit(call: RepositoryCall): Promise<ForgeResponse> {
  const [, ref, below] =
    /^(.+?)(?:\/(status|statuses|check-runs))?$/.exec(call.parameters.ref!) ?? []
  if (ref === undefined) throw notFound()
  if (below === 'statuses') return await listStatuses({ ...call, parameters: { ref } })
  if (below === 'check-runs') return await listCommitRuns(call, ref)
  if (below === 'status') return await showCombinedStatus(call, ref)
  const commit = await resolveCommit(call.repository, ref)
  if (commit === null) throw refuse(422, `No commit found for SHA: ${ref}`)
  if (accepts(call.request, 'sha')) {
    return {
      status: 200,
      headers: { 'content-type': 'application/vnd.github.v3.sha; charset=utf-8' },
      body: commit,
    }
  }
  return json(200, await shapeCommit(call.state, call.repository, commit))
}

/** Statuses of a commit, newest first. */
function statusesOf(call: RepositoryCall, sha: string): CommitStatus[] {
  return call.repository.statuses.filter((status) => status.sha === sha).reverse()
}

async function listStatuses(call: RepositoryCall): Promise<ForgeResponse> {
  const statuses = statusesOf(call, await requireCommit(call, call.parameters.ref!))
  const [page, headers] = paginate(call.request, call.address, statuses)
  const shapes = page.map((status) => shapeStatus(call.state, call.repository, status))
  return json(200, shapes, headers)
}

async function showCombinedStatus(call: RepositoryCall, ref: string): Promise<ForgeResponse> {
  const sha = await requireCommit(call, ref)
  const newest = new Map<string, CommitStatus>()
  for (const status of statusesOf(call, sha)) {
    if (!newest.has(status.context)) newest.set(status.context, status)
  }
  const states = [...newest.values()].map((status) => status.state)
  const failed = states.includes('failure') || states.includes('error')
  return json(200, {
    state: failed
      ? 'failure'
      : states.includes('pending') || states.length === 0
        ? 'pending'
        : 'success',
    statuses: [...newest.values()].map((status) =>
      shapeStatus(call.state, call.repository, status),
    ),
    sha,
    total_count: newest.size,
    repository: shapeRepository(call.state, call.repository),
    commit_url: `${repositoryApiUrl(call.state, call.repository)}/commits/${sha}`,
    url: `${repositoryApiUrl(call.state, call.repository)}/commits/${sha}/status`,
  })
}

async function createStatus(call: RepositoryCall): Promise<ForgeResponse> {
  const author = requirePermission(call, 'write')
  const { state, description, context, target_url: targetUrl } = jsonBody(call.request)
  const sha = call.parameters.sha!
  if ((await resolveCommit(call.repository, sha)) !== sha)
    throw refuse(422, `No commit found for SHA: ${sha}`)
  if (!['error', 'failure', 'pending', 'success'].includes(String(state))) {
    throw invalid('Status', 'state', 'custom', 'state is not included in the list')
  }
  if (typeof description === 'string' && description.length > 140) {
    throw invalid(
      'Status',
      'description',
      'custom',
      'description is too long (maximum is 140 characters)',
    )
  }
  const status: CommitStatus = {
    id: nextId(call.state),
    sha,
    context: typeof context === 'string' ? context : 'default',
    state: state as CommitStatus['state'],
    description: typeof description === 'string' ? description : null,
    targetUrl: typeof targetUrl === 'string' ? targetUrl : null,
    author,
    createdAt: now(call.state),
  }
  call.repository.statuses.push(status)
  announceChange(call.state)
  const shape = shapeStatus(call.state, call.repository, status)
  return json(201, shape, { location: String(shape.url) })
}
