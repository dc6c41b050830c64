// Describes how people sign in at Gitea and Forgejo.
import type { OAuthHost } from '../http/oauth.ts'

/**
 * Servers that don't know scopes ignore them. A person who granted other scopes before has to
 * revoke them first, because Gitea refuses a second grant for an application.
 */
export const giteaOAuth: OAuthHost = {
  authorizePath: '/login/oauth/authorize',
  tokenPath: '/login/oauth/access_token',
  // Permissions of teams are read with that of organizations.
  scope: 'read:user read:organization write:issue write:repository',
  authorizeFields: { response_type: 'code' },
  codeFields: { grant_type: 'authorization_code' },
  // A wrong secret with a code has the same error as a wrong code.
  probe: { grant_type: 'refresh_token', refresh_token: 'not-a-token' },
  wrongApplication: 'invalid_client',
}

/** Tokens that people create are 40 hexadecimal digits; those of applications are JWTs. */
export function isPersonalToken(token: string): boolean {
  return /^[0-9a-f]{40}$/i.test(token)
}
