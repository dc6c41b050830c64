// What the service says when it refuses, as an error.

/** An answer that is no success, or none at all (status 0). The message is the service's `detail`. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, detail: string) {
    super(detail)
    this.name = 'ApiError'
    this.status = status
  }
}

/** What to show of any error. */
export function getErrorMessage(error: unknown): string {
  if (error instanceof ApiError) return error.message
  return 'The page ran into an error of its own. Loading it again may help.'
}

/** Whether the service said that nobody is signed in. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}
