// Which permission of an App each endpoint of a repository needs, as GitHub documents them.
import { appPermissions } from '../access.ts'
import type { Repository, Token } from '../entities.ts'
import { Refusal } from '../http.ts'
import { includesPermission, type Permissions } from './app-state.ts'

/** Paths below the repository, and the permissions of which one is enough. The first counts. */
const rules: readonly (readonly [path: RegExp, names: readonly string[]])[] = [
  [/^$|^\/(languages|stats|collaborators|installation)\b/, ['metadata']],
  [/^\/code-scanning\b/, ['security_events']],
  [/^\/actions\b/, ['actions']],
  [/^\/hooks\b/, ['repository_hooks']],
  [/^\/branches\/.+\/protection/, ['administration']],
  [/^\/(check-runs|check-suites)\b/, ['checks']],
  [/^\/commits\/.+\/(check-runs|check-suites)$/, ['checks']],
  [/^\/statuses\/|^\/commits\/.+\/status(es)?$/, ['statuses']],
  [/^\/pulls\/\d+\/merge$/, ['contents']],
  [/^\/(branches|commits|contents|git|compare)\b/, ['contents']],
  [/^\/pulls\b/, ['pull_requests']],
  [/^\/issues\/\d+\/(comments|labels|reactions)/, ['issues', 'pull_requests']],
  [/^\/issues\/comments\b|^\/labels\b/, ['issues', 'pull_requests']],
  [/^\/issues\b/, ['issues']],
]

const namesFor = (below: string) => rules.find(([path]) => path.test(below))?.[1] ?? []

/**
 * Throws GitHub's 403 where an App's token lacks the permission of an endpoint. `below` is the path
 * after the repository. Public repositories can be read without a permission.
 */
export function requireAppPermission(
  token: Token | null,
  repository: Repository,
  method: string,
  below: string,
): void {
  if (token?.grant === undefined && token?.app === undefined) return
  const level = method === 'GET' ? 'read' : 'write'
  const names = namesFor(below)
  const isPublic = level === 'read' && !repository.private && names[0] !== 'repository_hooks'
  const granted = appPermissions(token, repository) ?? {}
  if (isPublic || names.some((name) => includesPermission(granted, name, level))) return
  const accepted = names.map((name) => `${name}=${level}`).join('; ')
  throw notAccessible({ 'x-accepted-github-permissions': accepted })
}

/** GitHub's answer to an App that lacks a permission. */
export function notAccessible(headers: Record<string, string> = {}): Refusal {
  const body = {
    message: 'Resource not accessible by integration',
    documentation_url: 'https://docs.github.com/rest',
    status: '403',
  }
  return new Refusal(403, body, headers)
}

/** The permission without which an installation gets no deliveries of an event. */
const eventPermissions: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['pull_requests'],
  pull_request_review: ['pull_requests'],
  pull_request_review_comment: ['pull_requests'],
  pull_request_review_thread: ['pull_requests'],
  issues: ['issues'],
  issue_comment: ['issues', 'pull_requests'],
  push: ['contents'],
  merge_group: ['merge_queues'],
  check_run: ['checks'],
  check_suite: ['checks'],
  status: ['statuses'],
}

/** Returns whether permissions let an App see an event. */
export function seesEvent(permissions: Permissions, event: string): boolean {
  const names = eventPermissions[event]
  return names?.some((name) => includesPermission(permissions, name, 'read')) ?? true
}
