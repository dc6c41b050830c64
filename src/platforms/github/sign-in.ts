// Describes how people sign in at GitHub.
import type { OAuthHost } from '../http/oauth.ts'

export const githubOAuth: OAuthHost = {
  authorizePath: '/login/oauth/authorize',
  tokenPath: '/login/oauth/access_token',
  // Connecting a repository and reviewing it need this scope. GitHub ignores scopes of Apps.
  scope: 'repo',
  authorizeFields: {},
  codeFields: {},
  // GitHub checks the application's credentials before it checks the code.
  probe: { code: 'not-a-code' },
  wrongApplication: 'incorrect_client_credentials',
}

/**
 * False for tokens with a prefix of an application: OAuth, user-to-server, server-to-server,
 * refresh. Enterprise Server tokens from before 2021 have no prefix and count as personal.
 */
export function isPersonalToken(token: string): boolean {
  return !/^gh[ousr]_/i.test(token)
}
