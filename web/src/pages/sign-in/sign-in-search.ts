// What the address of sign-in says: where to go afterwards, and what went wrong at the platform.

export interface SignInSearch {
  readonly return_to?: string
  /** A word for it; see `describeSignInError`. */
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
  cancelled: 'The sign-in was cancelled at the platform.',
  access_denied: 'Your account may not sign in here. The operator names who may.',
  platform_failed: 'The platform could not be asked who you are. Try again in a moment.',
}

export function describeSignInError(failed: string): string {
  return (
    signInErrors[failed] ?? 'The sign-in at the platform did not come to its end. Begin it again.'
  )
}
