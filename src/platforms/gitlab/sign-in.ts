// Describes how people sign in at GitLab, and whose tokens are whose.
// https://docs.gitlab.com/api/oauth2/
import type { OAuthHost } from '../http/oauth.ts'

/** Tokens live for two hours. Renewing one makes its refresh token invalid. */
export const gitlabOAuth: OAuthHost = {
  authorizePath: '/oauth/authorize',
  tokenPath: '/oauth/token',
  // No narrower scope permits comments and webhooks.
  scope: 'api',
  authorizeFields: { response_type: 'code' },
  codeFields: { grant_type: 'authorization_code' },
  // A code without an address has the same error for every application, a wrong token too.
  probe: {
    grant_type: 'authorization_code',
    code: 'not-a-code',
    redirect_uri: 'https://localhost/',
  },
  wrongApplication: 'invalid_client',
}

/**
 * Access tokens of projects and groups have the same prefix. They belong to accounts of their own,
 * so that who has one can only sign in as that account. Other tokens are of applications, jobs and
 * deployments. Where a server has a prefix of its own, people sign in with the OAuth application.
 */
export function isPersonalToken(token: string): boolean {
  return token.startsWith('glpat-')
}

/**
 * Whether an account is named as GitLab names those of access tokens. People may have such names
 * too, so this only decides where GitLab doesn't say what an account is: in deliveries.
 */
export function isBotLogin(login: string): boolean {
  return /^(?:project|group)_\d+_bot(?:_\w+|\d*)$|^service_account_/i.test(login)
}
