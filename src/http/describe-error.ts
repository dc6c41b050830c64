// What an error comes to over HTTP: the one mapper to a status and a detail.
import type { FastifyError } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { isDatabaseUnavailable } from '../db/errors.ts'
import { type RequestErrorCode, UmpireError } from '../domain/errors.ts'

const statusOf: Readonly<Record<RequestErrorCode | 'delivery_invalid', number>> = {
  delivery_invalid: 400,
  request_malformed: 400,
  already_done: 400,
  not_authenticated: 401,
  access_denied: 403,
  not_found: 404,
  conflict: 409,
  request_invalid: 422,
  too_many: 429,
  platform_failed: 502,
  not_configured: 503,
}

export interface ErrorAnswer {
  readonly status: number
  readonly detail: string
  readonly retryAfterSeconds?: number
}

const internal: ErrorAnswer = { status: 500, detail: 'Internal server error' }

/**
 * Only what was made to be shown is shown.
 *
 * @param bodyLimit the route's
 */
export function describeError(error: FastifyError, bodyLimit: number | undefined): ErrorAnswer {
  if (isDatabaseUnavailable(error)) {
    return { status: 503, detail: 'The database is not reachable. Try again.', retryAfterSeconds: 5 }
  }
  if (error instanceof UmpireError) return describeOwn(error)
  if (hasZodFastifySchemaValidationErrors(error)) return { status: 422, detail: listIssues(error) }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { status: 413, detail: `The body is larger than ${bodyLimit} bytes` }
  }
  const status = error.statusCode ?? 500
  return status < 500 ? { status, detail: error.message } : internal
}

function describeOwn(error: UmpireError): ErrorAnswer {
  const status = (statusOf as Record<string, number | undefined>)[error.code]
  if (status === undefined) return internal
  const { message: detail, retryAfterMs } = error
  return retryAfterMs === undefined
    ? { status, detail }
    : { status, detail, retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }
}

function listIssues(error: FastifyError): string {
  const messages = (error.validation ?? []).map((issue) => issue.message ?? 'A parameter is malformed')
  return [...new Set(messages)].slice(0, 5).join('; ')
}
