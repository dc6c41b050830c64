// GitHub's formats of accounts and repositories.
import { permits } from './access.ts'
import type { Permission, Repository, User } from './entities.ts'
import { type ForgeState, fullName } from './state.ts'

type Shape = Record<string, unknown>

/** The ids of GraphQL, made of the kind and the number. */
export const nodeId = (kind: string, id: number) =>
  `${kind}_${Buffer.from(String(id)).toString('base64url')}`

/** Encodes everything but slashes. */
export const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/')

export const apiUrl = (state: ForgeState) => `${state.url}/api/v3`
export const repositoryApiUrl = (state: ForgeState, repository: Repository) =>
  `${apiUrl(state)}/repos/${encodePath(fullName(repository))}`
export const repositoryWebUrl = (state: ForgeState, repository: Repository) =>
  `${state.url}/${encodePath(fullName(repository))}`

export function shapeUser(state: ForgeState, user: User): Shape {
  const path = encodeURIComponent(user.login)
  const api = `${apiUrl(state)}/users/${path}`
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId('U', user.id),
    avatar_url: `${state.url}/avatars/u/${user.id}`,
    gravatar_id: '',
    url: api,
    html_url: `${state.url}/${path}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: user.type,
    site_admin: false,
  }
}

/** A person or App in its own address, with what others can see. */
export function shapeProfile(state: ForgeState, user: User): Shape {
  return {
    ...shapeUser(state, user),
    ...{ name: user.name, company: null, blog: '', location: null, email: user.email },
    ...{ hireable: null, bio: null, public_repos: 0, public_gists: 0, followers: 0, following: 0 },
    created_at: '2020-01-01T00:00:00Z',
    updated_at: '2020-01-01T00:00:00Z',
  }
}

/** An organization in payloads, in its own format. */
export function shapeOrganization(state: ForgeState, account: User): Shape {
  const api = `${apiUrl(state)}/orgs/${encodeURIComponent(account.login)}`
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId('O', account.id),
    url: api,
    repos_url: `${api}/repos`,
    events_url: `${api}/events`,
    hooks_url: `${api}/hooks`,
    issues_url: `${api}/issues`,
    members_url: `${api}/members{/member}`,
    public_members_url: `${api}/public_members{/member}`,
    avatar_url: `${state.url}/avatars/u/${account.id}`,
    description: null,
  }
}

/** What a role lets people do, by GitHub's former names. */
export function shapeRoles(role: Permission): Shape {
  return {
    admin: permits(role, 'admin'),
    maintain: permits(role, 'maintain'),
    push: permits(role, 'write'),
    triage: permits(role, 'triage'),
    pull: permits(role, 'read'),
  }
}

/** The addresses below a repository's, by the name of their field. */
const addresses: Readonly<Record<string, string>> = {
  forks_url: '/forks',
  keys_url: '/keys{/key_id}',
  collaborators_url: '/collaborators{/collaborator}',
  teams_url: '/teams',
  hooks_url: '/hooks',
  issue_events_url: '/issues/events{/number}',
  events_url: '/events',
  assignees_url: '/assignees{/user}',
  branches_url: '/branches{/branch}',
  tags_url: '/tags',
  blobs_url: '/git/blobs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  git_refs_url: '/git/refs{/sha}',
  trees_url: '/git/trees{/sha}',
  statuses_url: '/statuses/{sha}',
  languages_url: '/languages',
  stargazers_url: '/stargazers',
  contributors_url: '/contributors',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  commits_url: '/commits{/sha}',
  git_commits_url: '/git/commits{/sha}',
  comments_url: '/comments{/number}',
  issue_comment_url: '/issues/comments{/number}',
  contents_url: '/contents/{+path}',
  compare_url: '/compare/{base}...{head}',
  merges_url: '/merges',
  archive_url: '/{archive_format}{/ref}',
  downloads_url: '/downloads',
  issues_url: '/issues{/number}',
  pulls_url: '/pulls{/number}',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  labels_url: '/labels{/name}',
  releases_url: '/releases{/id}',
  deployments_url: '/deployments',
}

export function shapeRepository(
  state: ForgeState,
  repository: Repository,
  permission?: Permission,
): Shape {
  const [api, web] = [repositoryApiUrl(state, repository), repositoryWebUrl(state, repository)]
  const open = [...repository.issues.values()].filter((issue) => issue.state === 'open').length
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.private,
    owner: shapeUser(state, repository.owner),
    html_url: web,
    description: repository.description,
    fork: repository.parent !== null,
    url: api,
    ...Object.fromEntries(Object.entries(addresses).map(([name, path]) => [name, api + path])),
    created_at: repository.createdAt,
    updated_at: repository.pushedAt,
    pushed_at: repository.pushedAt,
    git_url: `${web.replace(/^https?/, 'git')}.git`,
    ssh_url: `git@${new URL(web).hostname}:${fullName(repository)}.git`,
    clone_url: `${web}.git`,
    svn_url: web,
    ...{ homepage: null, size: 0, stargazers_count: 0, watchers_count: 0, language: null },
    ...{ has_issues: true, has_projects: false, has_downloads: true, has_wiki: false },
    ...{ has_pages: false, has_discussions: false, forks_count: 0, mirror_url: null },
    ...{ archived: false, disabled: false, open_issues_count: open, license: null },
    ...{ allow_forking: true, is_template: false, web_commit_signoff_required: false },
    ...{ topics: [], custom_properties: {}, forks: 0, open_issues: open, watchers: 0 },
    visibility: repository.private ? 'private' : 'public',
    default_branch: repository.defaultBranch,
    ...(permission === undefined ? {} : { permissions: shapeRoles(permission) }),
  }
}
