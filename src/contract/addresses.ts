// Lists the method and path of every endpoint of the API. Contains no schemas: the page loads it.

export interface Address {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** A part such as `:id` is a parameter. */
  readonly path: string
}

/** The names are those of the endpoints in the other files of this folder. */
export const addresses = {
  healthz: { method: 'GET', path: '/healthz' },
  readyz: { method: 'GET', path: '/readyz' },
  receiveDelivery: { method: 'POST', path: '/api/v1/webhooks/host' },
  receiveAppDelivery: { method: 'POST', path: '/api/v1/webhooks/app' },

  startSignIn: { method: 'GET', path: '/auth/login' },
  finishSignIn: { method: 'GET', path: '/auth/callback' },
  signInWithToken: { method: 'POST', path: '/auth/login' },
  signInOptions: { method: 'GET', path: '/auth/options' },
  signOut: { method: 'POST', path: '/auth/logout' },
  showMe: { method: 'GET', path: '/auth/me' },
  shortLivedToken: { method: 'POST', path: '/api/v1/auth/token' },
  listApiTokens: { method: 'GET', path: '/api/v1/tokens' },
  createApiToken: { method: 'POST', path: '/api/v1/tokens' },
  revokeApiToken: { method: 'DELETE', path: '/api/v1/tokens/:id' },
  listNotificationChannels: { method: 'GET', path: '/api/v1/notifications' },
  addNotificationChannel: { method: 'POST', path: '/api/v1/notifications' },
  confirmNotificationChannel: { method: 'POST', path: '/api/v1/notifications/:id/confirm' },
  removeNotificationChannel: { method: 'DELETE', path: '/api/v1/notifications/:id' },
  listPeople: { method: 'GET', path: '/api/v1/people' },
  changePerson: { method: 'PATCH', path: '/api/v1/people/:id' },
  signOutPerson: { method: 'POST', path: '/api/v1/people/:id/sign-out' },
  planPersonDeletion: { method: 'GET', path: '/api/v1/people/:id/deletion' },
  deletePerson: { method: 'DELETE', path: '/api/v1/people/:id' },
  listAudit: { method: 'GET', path: '/api/v1/audit' },
  showSettings: { method: 'GET', path: '/api/v1/settings' },
  showRepositorySettings: { method: 'GET', path: '/api/v1/settings/repository' },
  listRules: { method: 'GET', path: '/api/v1/rules' },
  readRuleSamples: { method: 'GET', path: '/api/v1/rules/:id' },
  checkSettingsFile: { method: 'POST', path: '/api/v1/settings/check' },
  checkSources: { method: 'GET', path: '/api/v1/settings/sources' },
  runChecks: { method: 'GET', path: '/api/v1/settings/checks' },

  showApp: { method: 'GET', path: '/api/v1/app' },
  startAppRegistration: { method: 'POST', path: '/api/v1/app' },
  finishAppRegistration: { method: 'GET', path: '/api/v1/app/callback' },
  removeApp: { method: 'DELETE', path: '/api/v1/app' },
  rotateAppWebhookSecret: { method: 'POST', path: '/api/v1/app/webhook-secret' },

  listRepositories: { method: 'GET', path: '/api/v1/repos' },
  connectRepository: { method: 'POST', path: '/api/v1/repos/:owner/:repo/install' },
  disconnectRepository: { method: 'DELETE', path: '/api/v1/repos/:owner/:repo/install' },
  showRepositoryHealth: { method: 'GET', path: '/api/v1/repos/:owner/:repo/health' },
  rotateWebhookSecret: { method: 'POST', path: '/api/v1/repos/:owner/:repo/webhook-secret' },

  listReviews: { method: 'GET', path: '/api/v1/reviews' },
  listInbox: { method: 'GET', path: '/api/v1/inbox' },
  countInbox: { method: 'GET', path: '/api/v1/inbox/counts' },
  readReview: { method: 'GET', path: '/api/v1/reviews/:id' },
  readReviewDiff: { method: 'GET', path: '/api/v1/reviews/:id/diff' },
  retryReview: { method: 'POST', path: '/api/v1/reviews/:id/retry' },
  dismissFinding: { method: 'POST', path: '/api/v1/reviews/:id/findings/:fingerprint/dismiss' },
  reopenFinding: { method: 'DELETE', path: '/api/v1/reviews/:id/findings/:fingerprint/dismiss' },
  listFindings: { method: 'GET', path: '/api/v1/findings' },
  countFindings: { method: 'GET', path: '/api/v1/findings/counts' },
  exportFindings: { method: 'GET', path: '/api/v1/findings/export' },
  listDeliveries: { method: 'GET', path: '/api/v1/deliveries' },
  liveStream: { method: 'GET', path: '/api/v1/live' },

  projectMap: { method: 'GET', path: '/api/v1/memory/project-map' },
  memoryStats: { method: 'GET', path: '/api/v1/memory/stats' },
  listMemories: { method: 'GET', path: '/api/v1/memory' },
  addMemory: { method: 'POST', path: '/api/v1/memory' },
  editMemory: { method: 'PATCH', path: '/api/v1/memory/:id' },
  dismissMemory: { method: 'DELETE', path: '/api/v1/memory/:id' },
  memoryHistory: { method: 'GET', path: '/api/v1/memory/:id/history' },
  showCodeMap: { method: 'GET', path: '/api/v1/memory/code-map' },
  rescan: { method: 'POST', path: '/api/v1/memory/rescan' },
  readScan: { method: 'GET', path: '/api/v1/memory/scan' },

  insights: { method: 'GET', path: '/api/v1/analytics/insights' },
  reviewMetrics: { method: 'GET', path: '/api/v1/analytics/reviewing' },
  outcomes: { method: 'GET', path: '/api/v1/analytics/outcomes' },
  contributors: { method: 'GET', path: '/api/v1/analytics/contributors' },
  repositoryGraph: { method: 'GET', path: '/api/v1/analytics/graph' },
} as const satisfies Readonly<Record<string, Address>>

/** The path at which a code host delivers. @param host its id; null for the first one */
export function deliveryPath(host: string | null): string {
  const { path } = addresses.receiveDelivery
  return host === null ? path : path.replace(/host$/, host)
}

/**
 * The path at which a code host delivers to the App. A further host has one address for both
 * kinds: a header says which kind it is.
 */
export function appDeliveryPath(host: string | null): string {
  return host === null ? addresses.receiveAppDelivery.path : deliveryPath(host)
}

/**
 * The path at which a sign-in at a code host ends. No path is below another one: GitHub permits
 * every path below the one that an OAuth application is registered with.
 */
export function callbackPath(host: string | null): string {
  const { path } = addresses.finishSignIn
  return host === null ? path : path.replace(/callback$/, `${host}/callback`)
}

/** Fills the parameters of a path with percent-encoded values. */
export function formatPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}
