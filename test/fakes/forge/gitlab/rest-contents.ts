// REST routes of git contents: trees, files, commits, comparisons, languages and contributors.
import { createHash } from 'node:crypto'
import { compareCommits } from '../comparison.ts'
import { git, tryGit } from '../git.ts'
import { type ForgeResponse, json } from '../http.ts'
import {
  commitsBetween,
  readBlob,
  readBranches,
  readTree,
  resolveCommit,
  type TreeEntry,
} from '../objects.ts'
import { countLanguages } from '../rest-repositories.ts'
import {
  flag,
  list,
  notFound,
  oneOf,
  type ProjectCall,
  type Route,
  refuse,
  refuseInput,
  requireText,
} from './calls.ts'
import { shapeCommit } from './commits.ts'
import { answerKeyset, answerPage } from './pages.ts'
import { readModes, shapeDiff } from './shape-merge-requests.ts'
import { projectUrl } from './shape-projects.ts'

export const contentRoutes: readonly Route[] = [
  ['GET', '/repository/tree', showTree],
  ['GET', '/repository/files/:path/raw', showRawFile],
  ['GET', '/repository/files/:path', showFile],
  ['HEAD', '/repository/files/:path', showFile],
  ['GET', '/repository/commits', listCommits],
  ['GET', '/repository/commits/:sha', showCommit],
  ['GET', '/repository/branches', listBranches],
  ['GET', '/repository/branches/:branch', showBranch],
  ['GET', '/repository/compare', compare],
  ['GET', '/repository/merge_base', showMergeBase],
  ['GET', '/repository/contributors', listContributors],
  ['GET', '/languages', showLanguages],
]

async function commitAt(call: ProjectCall, name: string, missing: string): Promise<string> {
  const ref = call.input[name]
  const wanted = typeof ref === 'string' && ref !== '' ? ref : call.repository.defaultBranch
  const sha = await resolveCommit(call.repository, wanted)
  if (sha === null) throw notFound(missing)
  return sha
}

/** Folders come before files, and these before submodules (app/models/tree.rb). */
const kindOrder: Readonly<Record<TreeEntry['type'], number>> = { tree: 0, blob: 1, commit: 2 }

const shapeEntry = ({ mode, path, sha, type }: TreeEntry) => ({
  id: sha,
  name: path.split('/').at(-1),
  type,
  path,
  mode,
})

async function showTree(call: ProjectCall): Promise<ForgeResponse> {
  const commit = await commitAt(call, 'ref', 'Tree')
  const path = String(call.input.path ?? '').replace(/^\/+|\/+$/g, '')
  const recursive = flag(call, 'recursive') === true
  if (path !== '') {
    const [folder] = await readTree(call.repository, commit, false, path)
    if (folder?.type !== 'tree') throw notFound('invalid revision or path')
  }
  const below = path === '' ? '' : `${path}/`
  const read = await readTree(call.repository, commit, recursive, below)
  const entries = read
    .filter((entry) => entry.path.startsWith(below) && entry.path !== path)
    .sort((one, other) => kindOrder[one.type] - kindOrder[other.type])
  const pagination = oneOf(call, 'pagination', ['legacy', 'keyset', 'none'], 'legacy')
  if (pagination === 'none') {
    if (!recursive) throw refuseInput('pagination cannot be "none" unless "recursive" is true')
    return json(200, entries.map(shapeEntry))
  }
  if (pagination === 'legacy') return await answerPage(call, entries, shapeEntry)
  const of = (entry: TreeEntry) => Buffer.from(entry.path).toString('base64url')
  return await answerKeyset(call, entries, shapeEntry, { name: 'page_token', of })
}

async function findFile(call: ProjectCall) {
  const ref = String(call.input.ref ?? 'HEAD')
  const name = ref === 'HEAD' ? call.repository.defaultBranch : ref
  const commit = await resolveCommit(call.repository, name)
  if (commit === null) throw notFound('Commit')
  const path = call.parameters.path!
  if (path.split('/').some((part) => part === '..' || part === ''))
    throw refuseInput('file_path should be a valid file path')
  const [entry] = await readTree(call.repository, commit, false, path)
  if (entry?.type !== 'blob' || entry.path !== path) throw notFound('File')
  const bytes = await readBlob(call.repository, entry.sha)
  const last = await git(call.repository.directory, ['rev-list', '-1', commit, '--', path])
  const facts = {
    file_name: path.split('/').at(-1)!,
    file_path: path,
    size: bytes.length,
    encoding: 'base64',
    content_sha256: createHash('sha256').update(bytes).digest('hex'),
    ref,
    blob_id: entry.sha,
    commit_id: commit,
    last_commit_id: last.toString('utf8').trim(),
    execute_filemode: entry.mode === '100755',
  }
  return { bytes, facts }
}

/** What is known of a file, as headers. */
const factHeaders = (facts: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      `x-gitlab-${name.replaceAll('_', '-')}`,
      String(value).replace(/[^\x20-\x7e]/g, '?'),
    ]),
  )

async function showFile(call: ProjectCall): Promise<ForgeResponse> {
  const { bytes, facts } = await findFile(call)
  return json(200, { ...facts, content: bytes.toString('base64') }, factHeaders(facts))
}

async function showRawFile(call: ProjectCall): Promise<ForgeResponse> {
  const { bytes, facts } = await findFile(call)
  const headers = { 'content-type': 'text/plain', 'content-disposition': 'inline' }
  return { status: 200, headers: { ...headers, ...factHeaders(facts) }, body: bytes }
}

async function listCommits(call: ProjectCall): Promise<ForgeResponse> {
  const commit = await commitAt(call, 'ref_name', 'Commit')
  const path = typeof call.input.path === 'string' ? call.input.path : undefined
  const all = await commitsBetween(call.repository, null, commit, path)
  return await answerPage(call, all.reverse(), (sha) =>
    shapeCommit(call.state, call.repository, sha),
  )
}

async function showCommit(call: ProjectCall): Promise<ForgeResponse> {
  const sha = await resolveCommit(call.repository, call.parameters.sha!)
  if (sha === null) throw notFound('Commit')
  const shape = await shapeCommit(call.state, call.repository, sha)
  const numbers = await git(call.repository.directory, ['show', '--numstat', '--format=', sha])
  let [additions, deletions] = [0, 0]
  for (const line of numbers.toString('utf8').split('\n')) {
    const [added, deleted] = line.split('\t')
    additions += Number.parseInt(added ?? '', 10) || 0
    deletions += Number.parseInt(deleted ?? '', 10) || 0
  }
  const stats = { additions, deletions, total: additions + deletions }
  const more = { status: null, project_id: call.repository.id, last_pipeline: null }
  return json(200, { ...shape, stats, ...more })
}

async function shapeBranch(call: ProjectCall, [name, sha]: readonly [string, string]) {
  const isDefault = name === call.repository.defaultBranch
  return {
    name,
    commit: await shapeCommit(call.state, call.repository, sha),
    ...{ merged: false, protected: isDefault, developers_can_push: false },
    ...{ developers_can_merge: false, can_push: call.level >= 30, default: isDefault },
    web_url: `${projectUrl(call.state, call.repository)}/-/tree/${name}`,
  }
}

async function listBranches(call: ProjectCall): Promise<ForgeResponse> {
  const branches = [...(await readBranches(call.repository))]
  return await answerPage(call, branches, (branch) => shapeBranch(call, branch))
}

async function showBranch(call: ProjectCall): Promise<ForgeResponse> {
  const name = call.parameters.branch!
  const sha = (await readBranches(call.repository)).get(name)
  if (sha === undefined) throw notFound('Branch')
  return json(200, await shapeBranch(call, [name, sha]))
}

/** From the merge base on, unless `straight`. */
async function compare(call: ProjectCall): Promise<ForgeResponse> {
  const [from, to] = [requireText(call, 'from'), requireText(call, 'to')]
  const base = await resolveCommit(call.repository, from)
  const head = await resolveCommit(call.repository, to)
  if (base === null || head === null) throw notFound('Ref')
  const comparison = await compareCommits(call.repository, base, head)
  const modes = await readModes(call.repository, comparison)
  const shas = await commitsBetween(call.repository, base, head)
  const commits = await Promise.all(
    shas.map((sha) => shapeCommit(call.state, call.repository, sha)),
  )
  return json(200, {
    commit: commits.at(-1) ?? null,
    commits,
    diffs: comparison.files.map((file) =>
      shapeDiff(file, modes.get(file.path) ?? ['100644', '100644']),
    ),
    compare_timeout: false,
    compare_same_ref: base === head,
    web_url: `${projectUrl(call.state, call.repository)}/-/compare/${from}...${to}`,
  })
}

async function showMergeBase(call: ProjectCall): Promise<ForgeResponse> {
  const refs = list(call, 'refs')
  if (refs === null) throw refuseInput('refs is missing')
  if (refs.length < 2) throw refuse(400, 'Provide at least 2 refs')
  const found = await Promise.all(refs.map((ref) => resolveCommit(call.repository, ref)))
  const unknown = refs.filter((_, index) => found[index] === null)
  if (unknown.length > 0)
    throw refuse(400, `Could not find ref${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}`)
  const base = await tryGit(call.repository.directory, ['merge-base', ...(found as string[])])
  if (base.code !== 0) throw notFound('Merge Base')
  const sha = base.stdout.toString('utf8').trim()
  return json(200, await shapeCommit(call.state, call.repository, sha))
}

interface Contributor {
  readonly name: string
  readonly email: string
  commits: number
  readonly additions: 0
  readonly deletions: 0
}

/** Counts commits by address; lines aren't counted any more, and are always 0. */
async function listContributors(call: ProjectCall): Promise<ForgeResponse> {
  const head = await commitAt(call, 'ref', '')
  const order = oneOf(call, 'order_by', ['email', 'name', 'commits'], 'commits')
  const direction = oneOf(call, 'sort', ['asc', 'desc'], 'asc')
  const log = await git(call.repository.directory, [
    'log',
    '--no-merges',
    '--format=%an%x00%ae',
    head,
  ])
  const byEmail = new Map<string, Contributor>()
  for (const line of log.toString('utf8').split('\n').filter(Boolean)) {
    const [name, email] = line.split('\0') as [string, string]
    const empty: Contributor = { name, email, commits: 0, additions: 0, deletions: 0 }
    const known = byEmail.get(email) ?? empty
    known.commits += 1
    byEmail.set(email, known)
  }
  const all = [...byEmail.values()].sort((one, other) => (one[order] < other[order] ? -1 : 1))
  if (direction === 'desc') all.reverse()
  return await answerPage(call, all, (one) => one)
}

/** The share of each language in percent. */
async function showLanguages(call: ProjectCall): Promise<ForgeResponse> {
  const bytes = [...(await countLanguages(call.repository))]
  const total = bytes.reduce((sum, [, count]) => sum + count, 0)
  const share = (count: number) => Math.round((count / total) * 10_000) / 100
  const shares = bytes
    .sort((one, other) => other[1] - one[1])
    .map(([name, count]) => [name, share(count)] as const)
  return json(200, Object.fromEntries(shares))
}
