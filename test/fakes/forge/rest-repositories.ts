// REST routes of the repository itself: details, hooks, languages, statistics, collaborators.
import { accountPermission, permits } from './access.ts'
import type { Hook, Repository } from './entities.ts'
import { git } from './git.ts'
import { ping } from './github/deliveries.ts'
import {
  type ForgeResponse,
  invalid,
  json,
  jsonBody,
  noContent,
  notFound,
  paginate,
  refuse,
} from './http.ts'
import { readBranches, readTree, resolveCommit } from './objects.ts'
import { answerDeliveries, answerDelivery, answerRedelivery } from './rest-deliveries.ts'
import { type RepositoryCall, type Route, requirePermission } from './routes.ts'
import { repositoryApiUrl, shapeRepository, shapeRoles, shapeUser } from './shape-accounts.ts'
import { shapeHook } from './shapes.ts'
import { announceChange, type ForgeState, nextId, now } from './state.ts'

/** Languages by extension: enough for tests and the demonstration. */
const languages: Record<string, string> = {
  ts: 'TypeScript',
  tsx: 'TypeScript',
  js: 'JavaScript',
  mjs: 'JavaScript',
  jsx: 'JavaScript',
  py: 'Python',
  go: 'Go',
  rs: 'Rust',
  rb: 'Ruby',
  java: 'Java',
  kt: 'Kotlin',
  cs: 'C#',
  c: 'C',
  h: 'C',
  cpp: 'C++',
  php: 'PHP',
  sh: 'Shell',
  css: 'CSS',
  html: 'HTML',
  sql: 'PLpgSQL',
}

export const repositoryRoutes: readonly Route[] = [
  ['GET', '', showRepository],
  ['GET', '/languages', showLanguages],
  ['GET', '/stats/contributors', showContributors],
  ['GET', '/branches', listBranches],
  ['GET', '/collaborators/:login/permission', showPermission],
  ['GET', '/hooks', listHooks],
  ['POST', '/hooks', createHook],
  [
    'GET',
    '/hooks/:id',
    (call) => json(200, shapeHook(call.state, call.repository, findHook(call))),
  ],
  ['PATCH', '/hooks/:id/config', changeHookConfig],
  ['DELETE', '/hooks/:id', deleteHook],
  [
    'GET',
    '/hooks/:id/deliveries',
    (call) => answerDeliveries(call.state, call.request, call.address, findHook(call).id),
  ],
  [
    'GET',
    '/hooks/:id/deliveries/:delivery',
    (call) => answerDelivery(call.state, findHook(call).id, call.parameters.delivery),
  ],
  [
    'POST',
    '/hooks/:id/deliveries/:delivery/attempts',
    (call) => answerRedelivery(call.state, findHook(call).id, call.parameters.delivery),
  ],
]

function showRepository(call: RepositoryCall): ForgeResponse {
  const shape = shapeRepository(call.state, call.repository, call.permission)
  return json(200, { ...shape, network_count: 0, subscribers_count: 0 })
}

/** Counts the bytes of each language on the default branch. */
export async function countLanguages(repository: Repository): Promise<Map<string, number>> {
  const head = await resolveCommit(repository, repository.defaultBranch)
  const bytes = new Map<string, number>()
  for (const entry of head === null ? [] : await readTree(repository, head, true)) {
    const language = languages[/\.([^./]+)$/.exec(entry.path)?.[1]?.toLowerCase() ?? '']
    if (language !== undefined && entry.size !== null)
      bytes.set(language, (bytes.get(language) ?? 0) + entry.size)
  }
  return bytes
}

async function showLanguages(call: RepositoryCall): Promise<ForgeResponse> {
  const bytes = await countLanguages(call.repository)
  return json(200, Object.fromEntries([...bytes].sort((one, other) => other[1] - one[1])))
}

/** As at GitHub, the first call for a commit only starts the computation and answers 202. */
async function showContributors(call: RepositoryCall): Promise<ForgeResponse> {
  const { repository, state } = call
  const head = await resolveCommit(repository, repository.defaultBranch)
  if (head === null) return noContent()
  if (!repository.statisticsRequested.has(head)) {
    repository.statisticsRequested.add(head)
    return json(202, {})
  }
  const log = await git(repository.directory, [
    'log',
    '--no-merges',
    '--numstat',
    '-M',
    '--format=%x00%ae%x00%at',
    head,
  ])
  return json(200, sumContributors(state, log.toString('utf8')))
}

interface Week {
  readonly w: number
  a: number
  d: number
  c: number
}

/** Sums `git log --numstat` by author and week, fewest commits first, as GitHub lists them. */
function sumContributors(state: ForgeState, log: string): unknown[] {
  const byEmail = new Map<string, Map<number, Week>>()
  const fields = log.split('\0').slice(1)
  for (let index = 0; index < fields.length; index += 2) {
    const [seconds, ...changes] = fields[index + 1]!.split('\n').filter(Boolean)
    // Weeks start on Sunday; 1970-01-04 was one.
    const start = Math.floor((Number(seconds) - 259_200) / 604_800) * 604_800 + 259_200
    const weeks = byEmail.get(fields[index]!) ?? new Map<number, Week>()
    byEmail.set(fields[index]!, weeks)
    const week = weeks.get(start) ?? { w: start, a: 0, d: 0, c: 0 }
    weeks.set(start, week)
    week.c += 1
    for (const change of changes) {
      const [added, deleted] = change.split('\t')
      week.a += Number.parseInt(added!, 10) || 0
      week.d += Number.parseInt(deleted!, 10) || 0
    }
  }
  const contributors = [...byEmail]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([email, weeks]) => {
      const user = [...state.users.values()].find((candidate) => candidate.email === email)
      const list = [...weeks.values()].sort((one, other) => one.w - other.w)
      const total = list.reduce((sum, week) => sum + week.c, 0)
      return { author: user === undefined ? null : shapeUser(state, user), total, weeks: list }
    })
  return contributors.sort((one, other) => one.total - other.total)
}

async function listBranches(call: RepositoryCall): Promise<ForgeResponse> {
  const [page, headers] = paginate(call.request, call.address, [
    ...(await readBranches(call.repository)),
  ])
  const commits = `${repositoryApiUrl(call.state, call.repository)}/commits`
  const isProtected = (name: string) => (call.repository.requiredChecks.get(name) ?? []).length > 0
  const shapes = page.map(([name, sha]) => ({
    name,
    commit: { sha, url: `${commits}/${sha}` },
    protected: isProtected(name),
  }))
  return json(200, shapes, headers)
}

/**
 * As at GitHub, only a caller with write access gets the permissions of others. `permission` knows
 * four levels, `role_name` all roles.
 */
function showPermission(call: RepositoryCall): ForgeResponse {
  if (!permits(call.permission, 'write')) {
    throw refuse(403, 'Must have push access to view collaborator permission.')
  }
  const user = call.state.users.get(call.parameters.login!.toLowerCase())
  if (user === undefined) throw notFound()
  const role = accountPermission(user, call.repository)
  const permission = role === 'maintain' ? 'write' : role === 'triage' ? 'read' : role
  const shape = { ...shapeUser(call.state, user), permissions: shapeRoles(role), role_name: role }
  return json(200, { permission, user: shape, role_name: role })
}

/** Hooks are hidden from all but admins, and from tokens without a scope for them. */
function requireHookAccess(call: RepositoryCall): void {
  requirePermission(call, 'admin', true)
  const { app, grant, scopes = [] } = call.request.token ?? {}
  if (app !== undefined || grant !== undefined) return
  if (!scopes.some((scope) => scope === 'repo' || scope.endsWith(':repo_hook'))) throw notFound()
}

function findHook(call: RepositoryCall): Hook {
  requireHookAccess(call)
  const hook = call.repository.hooks.find(
    (candidate) => String(candidate.id) === call.parameters.id,
  )
  if (hook === undefined) throw notFound()
  return hook
}

function listHooks(call: RepositoryCall): ForgeResponse {
  requireHookAccess(call)
  const [page, headers] = paginate(call.request, call.address, call.repository.hooks)
  const shapes = page.map((hook) => shapeHook(call.state, call.repository, hook))
  return json(200, shapes, headers)
}

function createHook(call: RepositoryCall): ForgeResponse {
  requireHookAccess(call)
  const body = jsonBody(call.request)
  const config = (body.config ?? {}) as Record<string, unknown>
  if (body.name !== undefined && body.name !== 'web') throw invalid('Hook', 'name', 'invalid')
  if (typeof config.url !== 'string' || !URL.canParse(config.url)) {
    throw refuse(422, 'Validation Failed', [
      { resource: 'Hook', code: 'custom', message: 'url is not a valid URL' },
    ])
  }
  const hook = addHook(call.state, call.repository, {
    url: config.url,
    secret: typeof config.secret === 'string' ? config.secret : '',
    // GitHub's default is the form encoding.
    contentType: config.content_type === 'json' ? 'json' : 'form',
    events: Array.isArray(body.events) ? body.events.map(String) : ['push'],
    active: body.active !== false,
  })
  ping(call.state, call.repository, hook, call.request.token!.user)
  return json(201, shapeHook(call.state, call.repository, hook))
}

/** Adds a hook, and nothing else. */
export function insertHook(
  state: ForgeState,
  repository: Repository,
  input: Omit<Hook, 'id' | 'createdAt'>,
): Hook {
  const hook: Hook = { id: nextId(state), createdAt: now(state), ...input }
  repository.hooks.push(hook)
  announceChange(state)
  return hook
}

/** Adds a hook without a ping. Refuses a duplicate address and events, as GitHub does. */
export function addHook(
  state: ForgeState,
  repository: Repository,
  input: Pick<Hook, 'url' | 'secret' | 'contentType' | 'events' | 'active'>,
): Hook {
  if (repository.hooks.some((hook) => hook.url === input.url)) {
    const message = 'Hook already exists on this repository'
    throw refuse(422, 'Validation Failed', [{ resource: 'Hook', code: 'custom', message }])
  }
  return insertHook(state, repository, input)
}

/** A new secret signs from now on; deliveries that are sent again keep their signature. */
function changeHookConfig(call: RepositoryCall): ForgeResponse {
  const hook = findHook(call)
  const { secret, url } = jsonBody(call.request)
  const changed = {
    ...hook,
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof secret === 'string' ? { secret } : {}),
  }
  call.repository.hooks = call.repository.hooks.map((one) => (one === hook ? changed : one))
  announceChange(call.state)
  return json(200, shapeHook(call.state, call.repository, changed).config)
}

function deleteHook(call: RepositoryCall): ForgeResponse {
  const hook = findHook(call)
  call.repository.hooks = call.repository.hooks.filter((candidate) => candidate !== hook)
  announceChange(call.state)
  return noContent()
}
