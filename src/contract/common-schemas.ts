// What the schemas of all endpoints share: errors, parameters, times.
import { z } from 'zod'
import { toStorableText } from './storable-text.ts'

/** Every error body. */
export const errorBody = z.object({ detail: z.string() }).meta({ id: 'Error' })

const statusDescriptions = {
  400: 'The request makes no sense',
  401: 'No valid credential',
  403: 'Not for this caller',
  404: 'There is no such thing, or not for this caller',
  409: 'Not now',
  413: 'The body is too large',
  414: 'A part of the path is too long',
  415: 'The body is not JSON',
  422: 'A parameter is malformed or out of range; the detail names it',
  429: 'Too many requests',
  500: 'Something is wrong here; the log knows what',
  502: 'The code-hosting platform stood in the way',
  503: 'A part of the service is not there, or not reachable now',
} as const

/** The error answers of an endpoint, for its `response`. */
export function errorResponses(...statuses: (keyof typeof statusDescriptions)[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, errorBody.describe(statusDescriptions[status])]),
  )
}

/** Which credential an endpoint asks for, for its `security`. */
export const security: Readonly<
  Record<'bearer' | 'cookie' | 'either', Record<string, string[]>[]>
> = {
  bearer: [{ bearer: [] }],
  cookie: [{ cookie: [] }],
  either: [{ cookie: [] }, { bearer: [] }],
}

/** A point in time; in JSON ISO 8601, UTC, with `Z`. */
export const timestamp = z.date()

/** A whole number in the query. */
export function integerParameter(name: string, minimum: number, maximum: number) {
  const error = `${name} must be a whole number from ${minimum} to ${maximum}`
  const read = (value: unknown) =>
    typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  return z.preprocess(read, z.int({ error }).min(minimum, { error }).max(maximum, { error }))
}

/** Of a search, in bytes: however they are encoded in an address, the server takes it. */
const maxSearchBytes = 10_240

/** What is searched for; empty where nothing is. */
export const searchParameter = textInput('search', maxSearchBytes)
  .refine(
    (search) => search.length > maxSearchBytes || Buffer.byteLength(search) <= maxSearchBytes,
    {
      error: `search must have ${maxSearchBytes} bytes at most`,
    },
  )
  .default('')

/** A text in the query or in a body, as databases can take it. */
export function textInput(name: string, maximum: number) {
  return z
    .string({ error: `${name} must be a string` })
    .max(maximum, { error: `${name} must have ${maximum} characters at most` })
    .overwrite(toStorableText)
}

/** Where a list or figures can be of one repository. */
export const repoFilter = textInput('repo', 300)
  .optional()
  .describe('Of this repository only, as `owner/repo`')

/** `owner/repo`, required, of any form: who asks decides what a malformed one comes to. */
export const repoParameter = z.string({ error: 'repo is required, as owner/repo' })
