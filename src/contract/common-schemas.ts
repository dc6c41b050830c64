// Defines schemas that several endpoints share: errors, parameters and timestamps.
import { z } from 'zod'
import { toStorableText } from './storable-text.ts'

const errorBody = z
  .object({ detail: z.string().describe('What is wrong, as a sentence for people') })
  .meta({ id: 'Error' })

const statusDescriptions = {
  400: 'The request is malformed or cannot be fulfilled',
  401: 'The credential is missing, invalid or expired',
  403: 'The caller has no access',
  404: 'The resource does not exist, or the caller cannot see it',
  409: 'The request conflicts with the current state of the resource',
  413: 'The request body is too large',
  414: 'A segment of the path is too long',
  415: 'The request body is not JSON',
  422: 'A parameter is malformed or out of range. The detail names the parameter.',
  429: 'Too many requests. If there is a `Retry-After` header, wait that many seconds.',
  500: 'Internal error. The log of the service has the cause.',
  502: 'The code-hosting platform returned an error or did not answer',
  503: 'A part of the service is not configured or not available',
} as const

export type ErrorStatus = keyof typeof statusDescriptions

/** Makes the schemas of error responses, by status. */
export function errorResponses(...statuses: readonly ErrorStatus[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, errorBody.describe(statusDescriptions[status])]),
  )
}

/** A Date that is serialized as ISO 8601 in UTC, with `Z`. */
export const timestamp = z.date()

export const count = z.int().min(0)
export const valueCounts = z.array(z.object({ value: z.string(), count }))
export const verdictCounts = z.object({
  APPROVE: count,
  REQUEST_CHANGES: count,
  NEEDS_DISCUSSION: count,
})
export const period = z.object({ start: timestamp, end: timestamp, days: z.int() })

/** Creates the schema of a whole number in a query string. */
export function integerParameter(name: string, minimum: number, maximum: number) {
  const error = `${name} must be a whole number from ${minimum} to ${maximum}`
  const parseInteger = (value: unknown) =>
    typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  const schema = z.int({ error }).min(minimum, { error }).max(maximum, { error })
  return z.preprocess(parseInteger, schema)
}

/** Creates the schema of a word in a query string or body that is one of several. */
export function choiceParameter<const Value extends string>(
  name: string,
  values: readonly Value[],
) {
  return z.enum(values, { error: `${name} must be one of ${values.join(', ')}` })
}

/** Even percent-encoded, a search of this size fits into the server's limit for headers. */
const maxSearchBytes = 10_240

/** An optional search text. Its default is empty. */
export const searchParameter = textInput('search', maxSearchBytes)
  .refine(
    (search) => search.length > maxSearchBytes || Buffer.byteLength(search) <= maxSearchBytes,
    {
      error: `search must have ${maxSearchBytes} bytes at most`,
    },
  )
  .default('')

/** Creates the schema of a text in a query string or body. Replaces what databases can't store. */
export function textInput(name: string, maximum: number) {
  return z
    .string({ error: `${name} must be a string` })
    .max(maximum, { error: `${name} must have ${maximum} characters at most` })
    .overwrite(toStorableText)
}

/** Restricts a list or statistics to one repository. */
export const repoFilter = textInput('repo', 300)
  .optional()
  .describe('Returns only data of this repository, in the form `owner/repo`')

/** The period of statistics ends now. */
export const periodParameter = integerParameter('days', 7, 90)
  .default(30)
  .describe('Length of the period in days')

export const cursorParameter = integerParameter('before', 1, 999_999_999_999_999)
  .optional()
  .describe('Cursor: the value of `next` in the previous page')
export const nextCursor = z
  .int()
  .nullable()
  .describe('Cursor of the next page, or null on the last page')

/** A required repository. Any text is valid: endpoints answer a malformed name differently. */
export const repoParameter = z
  .string({ error: 'repo is required, as owner/repo' })
  .describe('Repository in the form `owner/repo`')

/** The code host that a request is about. */
export const hostParameter = z
  .string()
  .optional()
  .describe('ID of the code host, if it is not the first one')

/** The body of requests that replace the secret of a webhook. */
export const secretRotation = z.object({
  leaked: z
    .boolean()
    .default(false)
    .describe(
      'Whether the former secrets are refused at once. Otherwise they are accepted for three ' +
        'days, because the platform sends failed deliveries again with their first signature.',
    ),
})
