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

/** @param platform the name of the code host; null where people may sign in at several */
export function describeSignInError(failed: string, platform: string | null): string {
  const [start, name] = [platform ?? 'The code host', platform ?? 'the code host']
  const errors: Readonly<Record<string, string>> = {
    cancelled: `The sign-in was canceled on ${name}.`,
    access_denied: 'Your account can’t sign in here. Ask the operator for access.',
    ended: 'Your sign-in has expired or was revoked. Sign in again.',
    platform_failed: `${start} couldn’t confirm your account. Try again in a moment.`,
  }
  const unknown = `The sign-in on ${name} wasn’t completed. Sign in again.`
  return errors[failed] ?? unknown
}
