// What differs between Gitea and Forgejo, as data: observed at servers of these versions.

export interface Profile {
  readonly name: 'gitea' | 'forgejo'
  readonly version: string
  /** The body of most 404s. */
  readonly notFound: { readonly message: string; readonly errors: null | readonly [] }
  readonly badToken: string
  /** Whether the message about a missing scope names those of the token. */
  readonly namesTokenScopes: boolean
  /** The status of the redirect from a former name, for all methods. */
  readonly movedStatus: 301 | 307
  readonly headers: Readonly<Record<string, string>>
  /** The families of headers of a delivery, with and without a signature. */
  readonly signedFamilies: readonly string[]
  readonly namesHookTarget: boolean
  /** The events of reviews that a webhook lists. */
  readonly reviewEvents: readonly string[]
  /** Whether addresses of webhooks are checked. */
  readonly checksHookUrl: boolean
  /** Whether a client can resolve threads. */
  readonly resolvesThreads: boolean
  /** Whether the comments of a review have addresses of their own, to add and delete them. */
  readonly hasReviewCommentRoutes: boolean
  /** Whether a comment of a review can be deleted as one of the conversation. */
  readonly deletesInlineAsComment: boolean
  /** Whether a line beyond the end of a file fails. */
  readonly refusesLinesBeyondFile: boolean
  /** Whether a line that no hunk contains gets a hunk made of the lines around it. */
  readonly makesContextHunks: boolean
  readonly refusesVerdictOnClosed: boolean
  /** Whether a token that renewed a sign-in is used up. */
  readonly endsRefreshTokens: boolean
  /** The error for a code with another redirect URI than it was requested with, and its text. */
  readonly wrongRedirect: readonly [error: string, text: string]
  /** The text about a token that renews sign-ins to another application. */
  readonly foreignRefreshToken: string
  /** Whether the lists of a commit's statuses and a repository's comments have pages. */
  readonly pagesLists: boolean
  /** The status for a comparison with an unknown branch. */
  readonly unknownBranchStatus: 404 | 500
  /** Whether the statuses at an address with a branch are those of its commit. */
  readonly resolvesStatusRefs: boolean
  readonly settings: Readonly<Record<string, unknown>>
  /** The fields of a pull request that lists leave out. */
  readonly unlistedPullFields: readonly string[]
  /** What else is different in lists of pull requests. */
  readonly listedPull: Readonly<Record<string, unknown>>
  /** What says nothing of assignees in the answer about one pull request. */
  readonly noAssignees: null | readonly []
  /** The status after a reaction was removed. */
  readonly removedReactionStatus: 200 | 204
  /** Whether a change to a state that there isn't fails. */
  readonly refusesUnknownState: boolean
  /** Why a pull request can't be merged yet. */
  readonly describeBlock: (reason: string) => string
  readonly user: Readonly<Record<string, unknown>>
  readonly repository: Readonly<Record<string, unknown>>
  readonly issue: Readonly<Record<string, unknown>>
  readonly pull: Readonly<Record<string, unknown>>
  /** What `changes` has besides former values. */
  readonly changes: Readonly<Record<string, unknown>>
  readonly noreply: (id: number, login: string) => string
}

/** Observed at Gitea 1.26.3. */
export const gitea: Profile = {
  name: 'gitea',
  version: '1.26.3',
  notFound: { message: 'not found', errors: null },
  badToken: 'invalid username, password or token',
  namesTokenScopes: true,
  // The documentation says nothing of it: a POST is redirected with 301 too, which most clients
  // follow with a GET.
  movedStatus: 301,
  headers: {},
  signedFamilies: ['Gitea', 'Gogs'],
  namesHookTarget: true,
  reviewEvents: ['pull_request_review'],
  checksHookUrl: true,
  resolvesThreads: true,
  hasReviewCommentRoutes: false,
  deletesInlineAsComment: true,
  refusesLinesBeyondFile: true,
  makesContextHunks: true,
  refusesVerdictOnClosed: true,
  // INVALIDATE_REFRESH_TOKENS is false by default.
  endsRefreshTokens: false,
  wrongRedirect: ['invalid_grant', 'redirect_uri differs from the original authorization request'],
  foreignRefreshToken: 'grant does not exist',
  pagesLists: true,
  unknownBranchStatus: 404,
  resolvesStatusRefs: false,
  settings: { default_max_response_size: 104_857_600 },
  unlistedPullFields: ['additions', 'deletions', 'changed_files'],
  listedPull: { assignees: null, requested_reviewers_teams: null },
  noAssignees: [],
  removedReactionStatus: 204,
  refusesUnknownState: true,
  describeBlock: (reason) => reason,
  user: {},
  repository: {
    ...{ branch_count: 1, has_code: true, projects_mode: 'all', allow_manual_merge: false },
    ...{ autodetect_manual_merge: false, default_allow_maintainer_edit: true },
    ...{ topics: [], licenses: [] },
  },
  issue: { time_estimate: 0, content_version: 0 },
  pull: { allow_maintainer_edit: true, content_version: 0 },
  changes: { added_labels: null, removed_labels: null },
  noreply: (id, login) => `${id}+${login}`,
}

/** Observed at Forgejo 11.0.15. */
export const forgejo: Profile = {
  name: 'forgejo',
  version: '11.0.15+gitea-1.22.0',
  notFound: { message: "The target couldn't be found.", errors: [] },
  badToken: 'user does not exist [uid: 0, name: ]',
  namesTokenScopes: false,
  movedStatus: 307,
  headers: { 'x-frame-options': 'SAMEORIGIN' },
  signedFamilies: ['Forgejo', 'Gitea', 'Gogs'],
  namesHookTarget: false,
  reviewEvents: [
    'pull_request_review_approved',
    'pull_request_review_rejected',
    'pull_request_review_comment',
  ],
  checksHookUrl: false,
  // The address of Gitea is answered with 405.
  resolvesThreads: false,
  hasReviewCommentRoutes: true,
  // It answers 204 and deletes nothing.
  deletesInlineAsComment: false,
  refusesLinesBeyondFile: false,
  makesContextHunks: false,
  refusesVerdictOnClosed: false,
  endsRefreshTokens: true,
  wrongRedirect: ['unauthorized_client', 'redirect_uri does not match the authorization request'],
  foreignRefreshToken: 'refresh token was not issued to this client',
  // `limit` is ignored, although the documentation has it.
  pagesLists: false,
  unknownBranchStatus: 500,
  resolvesStatusRefs: true,
  settings: {},
  unlistedPullFields: [],
  listedPull: {},
  noAssignees: null,
  removedReactionStatus: 200,
  refusesUnknownState: false,
  describeBlock: (reason) => `not allowed to merge [reason: ${reason}]`,
  user: { pronouns: '' },
  repository: {
    ...{ parent: null, wiki_branch: 'main', globally_editable_wiki: false, repo_transfer: null },
    ...{ default_allow_maintainer_edit: false, default_update_style: 'merge', topics: null },
  },
  issue: {},
  pull: { allow_maintainer_edit: false, review_comments: 0, flow: 0 },
  changes: {},
  noreply: (_id, login) => login,
}
