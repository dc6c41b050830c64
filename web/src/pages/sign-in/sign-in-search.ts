// URL parameters of the sign-in page: return path and error code.

export interface SignInSearch {
  readonly return_to?: string
  /** An error code; see `describeSignInError`. */
  readonly failed?: string
}

export function parseSignInSearch(search: Record<string, unknown>): SignInSearch {
  const { return_to: returnTo, failed } = search
  return {
    ...(typeof returnTo === 'string' && { return_to: returnTo }),
    ...(typeof failed === 'string' && { failed }),
  }
}

const signInErrors: Readonly<Record<string, string>> = {
  cancelled: 'The sign-in was canceled on GitHub.',
  access_denied: 'Your account can’t sign in here. Ask the operator for access.',
  platform_failed: 'GitHub couldn’t confirm your account. Try again in a moment.',
}

export function describeSignInError(failed: string): string {
  return signInErrors[failed] ?? 'The sign-in on GitHub wasn’t completed. Sign in again.'
}
