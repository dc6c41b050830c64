// Accounts and repositories in the format of Gitea and Forgejo.
import { permits } from '../access.ts'
import type { Permission, Repository, User } from '../entities.ts'
import { encodePath } from '../shape-accounts.ts'
import { fullName } from '../state.ts'
import type { Host } from './host.ts'

export type Shape = Record<string, unknown>

export const repositoryWebUrl = ({ state }: Host, repository: Repository) =>
  `${state.url}/${encodePath(fullName(repository))}`
export const repositoryApiUrl = ({ state }: Host, repository: Repository) =>
  `${state.url}${state.dialect.apiPath}/repos/${encodePath(fullName(repository))}`

/** An account as `viewer` sees it: the address of others is hidden. */
export function shapeUser(host: Host, user: User, viewer: User | null = null): Shape {
  const { profile, state } = host
  const domain = new URL(state.url).hostname
  const hidden = `${profile.noreply(user.id, user.login)}@noreply.${domain}`
  return {
    id: user.id,
    login: user.login,
    login_name: '',
    source_id: 0,
    full_name: user.name === user.login ? '' : user.name,
    email: viewer === null ? hidden : user.email,
    avatar_url: `${state.url}/avatars/${user.id}`,
    html_url: `${state.url}/${encodeURIComponent(user.login)}`,
    ...{ language: '', is_admin: false, last_login: '0001-01-01T00:00:00Z' },
    created: '2020-01-01T00:00:00Z',
    ...{ restricted: false, active: viewer === user, prohibit_login: false, location: '' },
    ...profile.user,
    ...{ website: '', description: '', visibility: 'public' },
    ...{ followers_count: 0, following_count: 0, starred_repos_count: 0 },
    username: user.login,
  }
}

/** A repository with the access of a caller. */
export function shapeRepository(
  host: Host,
  repository: Repository,
  permission: Permission,
  viewer: User | null = null,
): Shape {
  const [api, web] = [repositoryApiUrl(host, repository), repositoryWebUrl(host, repository)]
  const open = [...repository.issues.values()].filter((issue) => issue.state === 'open')
  const pulls = open.filter(({ number }) => repository.pulls.has(number)).length
  const { parent } = repository
  return {
    id: repository.id,
    owner: shapeUser(host, repository.owner, viewer),
    name: repository.name,
    full_name: fullName(repository),
    description: repository.description ?? '',
    empty: repository.heads.size === 0,
    private: repository.private,
    fork: parent !== null,
    ...{ template: false, mirror: false, size: 0, language: '' },
    languages_url: `${api}/languages`,
    html_url: web,
    url: api,
    link: '',
    ssh_url: `git@${new URL(web).hostname}:${fullName(repository)}.git`,
    clone_url: `${web}.git`,
    ...{ original_url: '', website: '', stars_count: 0, forks_count: 0, watchers_count: 1 },
    open_issues_count: open.length - pulls,
    open_pr_counter: pulls,
    release_counter: 0,
    default_branch: repository.defaultBranch,
    archived: false,
    created_at: repository.createdAt,
    updated_at: repository.pushedAt,
    archived_at: '1970-01-01T00:00:00Z',
    permissions: {
      admin: permits(permission, 'admin'),
      push: permits(permission, 'write'),
      pull: permits(permission, 'read'),
    },
    has_issues: true,
    internal_tracker: {
      enable_time_tracker: true,
      allow_only_contributors_to_track_time: true,
      enable_issue_dependencies: true,
    },
    ...{ has_wiki: true, has_pull_requests: true, has_projects: true, has_releases: true },
    ...{ has_packages: false, has_actions: false, ignore_whitespace_conflicts: false },
    ...{ allow_merge_commits: true, allow_rebase: true, allow_rebase_explicit: true },
    ...{ allow_squash_merge: true, allow_fast_forward_only_merge: true },
    ...{ allow_rebase_update: true, default_delete_branch_after_merge: false },
    ...{ default_merge_style: 'merge', avatar_url: '', internal: false, mirror_interval: '' },
    ...{ object_format_name: 'sha1', mirror_updated: '0001-01-01T00:00:00Z' },
    ...host.profile.repository,
    ...(parent === null ? {} : { parent: shapeRepository(host, parent, permission) }),
  }
}
