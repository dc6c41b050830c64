// Describes an error as an HTTP status and the detail of the response.
import type { FastifyError } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { databaseErrorCode, isDatabaseUnavailable } from '../db/database-errors.ts'
import { type RequestErrorCode, UmpireError } from '../domain/errors.ts'

const statusOf: Readonly<Record<RequestErrorCode | 'delivery_invalid', number>> = {
  delivery_invalid: 400,
  request_malformed: 400,
  already_done: 400,
  not_authenticated: 401,
  access_denied: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  request_invalid: 422,
  too_many: 429,
  platform_failed: 502,
  not_configured: 503,
}

/** Replaces messages of Fastify, which contain its error codes or parts of the request. */
const detailOf: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The path is not valid percent-encoding',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is too long',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be JSON, of the type application/json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON',
}

interface ErrorResponse {
  readonly status: number
  readonly detail: string
  readonly retryAfterSeconds?: number
}

const internalError: ErrorResponse = { status: 500, detail: 'Internal server error' }

/**
 * Describes an error. The messages of unexpected errors are not shown to clients: they get 500.
 *
 * @param bodyLimit the body limit of the route in bytes
 */
export function describeError(error: FastifyError, bodyLimit: number | undefined): ErrorResponse {
  if (isDatabaseUnavailable(error)) {
    const isDiskFull = databaseErrorCode(error) === 'database_disk_full'
    const reason = isDiskFull
      ? 'There is hardly any disk space left.'
      : 'The database is not reachable.'
    return { status: 503, detail: `${reason} Try again.`, retryAfterSeconds: 5 }
  }
  if (error instanceof UmpireError) return describeUmpireError(error)
  if (hasZodFastifySchemaValidationErrors(error)) return { status: 422, detail: listIssues(error) }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return { status: 413, detail: `The body is larger than ${bodyLimit} bytes` }
  }
  const status = error.statusCode ?? 500
  return status < 500 ? { status, detail: detailOf[error.code] ?? error.message } : internalError
}

function describeUmpireError(error: UmpireError): ErrorResponse {
  const status = (statusOf as Record<string, number | undefined>)[error.code]
  if (status === undefined) return internalError
  const { message: detail, retryAfterMs } = error
  if (retryAfterMs === undefined) return { status, detail }
  return { status, detail, retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }
}

function listIssues({ validation = [], validationContext }: FastifyError): string {
  const messages = validation.map(({ instancePath, keyword, message }) => {
    const isWholeBody = validationContext === 'body' && instancePath === '/'
    if (isWholeBody && keyword === 'invalid_type') return 'The body must be a JSON object'
    return message ?? 'A parameter is malformed'
  })
  return [...new Set(messages)].slice(0, 5).join('; ')
}
