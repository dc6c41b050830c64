// GitLab's formats of accounts and projects.
import type { Repository, User } from '../entities.ts'
import { type ForgeState, fullName } from '../state.ts'
import { memberLevel } from './roles.ts'

export type Shape = Record<string, unknown>

/** Times have milliseconds in the API. */
export const apiTime = (time: string | null) => time?.replace(/(?<=:\d\d)Z$/, '.000Z') ?? null

export const apiUrl = (state: ForgeState) => `${state.url}/api/v4`
export const projectUrl = (state: ForgeState, repository: Repository) =>
  `${state.url}/${fullName(repository)}`

/** The last part of a group's path; logins of people have one part. */
const lastPart = (path: string) => path.split('/').at(-1)!

export function shapeUser(state: ForgeState, user: User): Shape {
  return {
    id: user.id,
    username: user.login,
    public_email: null,
    name: user.name,
    state: 'active',
    locked: false,
    avatar_url: `${state.url}/uploads/-/system/user/avatar/${user.id}/avatar.png`,
    web_url: `${state.url}/${user.login}`,
  }
}

/** The account of a token, with what only it sees. */
export function shapeCurrentUser(state: ForgeState, user: User): Shape {
  return {
    ...shapeUser(state, user),
    ...{ created_at: '2020-01-01T00:00:00.000Z', bio: '', location: '', linkedin: '', twitter: '' },
    ...{ website_url: '', organization: '', job_title: '', pronouns: null, work_information: null },
    ...{ bot: user.type === 'Bot', local_time: null, last_sign_in_at: null, confirmed_at: null },
    ...{ last_activity_on: null, email: user.email, theme_id: 3, color_scheme_id: 1 },
    ...{ projects_limit: 100_000, current_sign_in_at: null, identities: [], external: false },
    ...{ can_create_group: true, can_create_project: true, two_factor_enabled: false },
    ...{ private_profile: false, commit_email: user.email, preferred_language: 'en' },
  }
}

export function shapeMember(state: ForgeState, user: User, repository: Repository): Shape {
  return {
    ...shapeUser(state, user),
    access_level: memberLevel(user, repository),
    created_at: apiTime(repository.createdAt),
    expires_at: null,
    membership_state: 'active',
  }
}

function shapeNamespace(state: ForgeState, owner: User): Shape {
  const isGroup = owner.type === 'Organization'
  const above = owner.login.split('/').slice(0, -1).join('/')
  const parent = state.users.get(above.toLowerCase())
  return {
    id: owner.id,
    name: isGroup ? lastPart(owner.login) : owner.name,
    path: lastPart(owner.login),
    kind: isGroup ? 'group' : 'user',
    full_path: owner.login,
    parent_id: parent?.id ?? null,
    avatar_url: null,
    web_url: isGroup ? `${state.url}/groups/${owner.login}` : `${state.url}/${owner.login}`,
  }
}

/** What names a project where another one refers to it. */
function shapeIdentity(repository: Repository): Shape {
  const name = fullName(repository)
  return {
    id: repository.id,
    description: repository.description,
    name: repository.name,
    name_with_namespace: name.split('/').join(' / '),
    path: repository.name,
    path_with_namespace: name,
    created_at: apiTime(repository.createdAt),
  }
}

/** The fields that `simple=true` leaves. */
export function shapeProjectSimply(state: ForgeState, repository: Repository): Shape {
  const web = projectUrl(state, repository)
  const host = new URL(state.url).hostname
  return {
    ...shapeIdentity(repository),
    default_branch: repository.defaultBranch,
    ...{ tag_list: [], topics: [] },
    ssh_url_to_repo: `git@${host}:${fullName(repository)}.git`,
    http_url_to_repo: `${web}.git`,
    web_url: web,
    readme_url: null,
    ...{ forks_count: 0, avatar_url: null, star_count: 0 },
    last_activity_at: apiTime(repository.pushedAt),
    visibility: repository.private ? 'private' : 'public',
    namespace: shapeNamespace(state, repository.owner),
  }
}

/** A project; `permissions` are there for callers with an account only. */
export function shapeProject(
  state: ForgeState,
  repository: Repository,
  caller: User | null,
): Shape {
  const self = `${apiUrl(state)}/projects/${repository.id}`
  const { owner, parent } = repository
  const issues = [...repository.issues.values()].filter(
    (issue) => issue.state === 'open' && !repository.pulls.has(issue.number),
  )
  return {
    ...shapeProjectSimply(state, repository),
    _links: {
      self,
      issues: `${self}/issues`,
      merge_requests: `${self}/merge_requests`,
      repo_branches: `${self}/repository/branches`,
      labels: `${self}/labels`,
      events: `${self}/events`,
      members: `${self}/members`,
      cluster_agents: `${self}/cluster_agents`,
    },
    ...{ packages_enabled: true, empty_repo: false, archived: false },
    ...(owner.type === 'Organization' ? {} : { owner: shapeUser(state, owner) }),
    ...(parent === null ? {} : { forked_from_project: shapeProjectSimply(state, parent) }),
    ...{ issues_enabled: true, merge_requests_enabled: true, wiki_enabled: true },
    ...{ jobs_enabled: true, snippets_enabled: true, container_registry_enabled: true },
    ...{ can_create_merge_request_in: true, issues_access_level: 'enabled' },
    ...{ repository_access_level: 'enabled', merge_requests_access_level: 'enabled' },
    ...{ shared_runners_enabled: true, lfs_enabled: true, creator_id: owner.id },
    ...{ import_status: 'none', open_issues_count: issues.length, description_html: '' },
    updated_at: apiTime(repository.pushedAt),
    ...{ ci_config_path: '', public_jobs: true, shared_with_groups: [] },
    ...{ only_allow_merge_if_pipeline_succeeds: false, allow_merge_on_skipped_pipeline: null },
    ...{ request_access_enabled: true, only_allow_merge_if_all_discussions_are_resolved: false },
    ...{ remove_source_branch_after_merge: true, merge_method: 'merge' },
    ...{ squash_option: 'default_off', suggestion_commit_message: null },
    ...(caller === null ? {} : { permissions: shapeAccess(caller, repository) }),
  }
}

/** A role by the project itself or by its group; the owner's is by the group. */
function shapeAccess(user: User, repository: Repository): Shape {
  const level = memberLevel(user, repository)
  const access = level === 0 ? null : { access_level: level, notification_level: 3 }
  return { project_access: access, group_access: null }
}

/** A project in deliveries. */
export function shapeHookProject(state: ForgeState, repository: Repository): Shape {
  const web = projectUrl(state, repository)
  const ssh = `git@${new URL(state.url).hostname}:${fullName(repository)}.git`
  return {
    id: repository.id,
    name: repository.name,
    description: repository.description ?? '',
    web_url: web,
    avatar_url: null,
    git_ssh_url: ssh,
    git_http_url: `${web}.git`,
    namespace: lastPart(repository.owner.login),
    visibility_level: repository.private ? 0 : 20,
    path_with_namespace: fullName(repository),
    default_branch: repository.defaultBranch,
    ci_config_path: null,
    homepage: web,
    url: `${web}.git`,
    ssh_url: ssh,
    http_url: `${web}.git`,
  }
}

/** The deprecated short form beside it. */
export function shapeHookRepository(state: ForgeState, repository: Repository): Shape {
  const { name, url, description, homepage } = shapeHookProject(state, repository)
  return { name, url, description, homepage }
}

/** People without a public address: that is hidden. */
export function shapeHookUser(state: ForgeState, user: User): Shape {
  const { id, name, username, avatar_url } = shapeUser(state, user)
  return { id, name, username, avatar_url, email: '[REDACTED]' }
}
