// What the routes of GitLab's REST API get, and the refusals that they answer with.
import type { PullRequest, Repository, Token, User } from '../entities.ts'
import { type ForgeRequest, type ForgeResponse, Refusal } from '../http.ts'
import type { ForgeState } from '../state.ts'

export interface Call {
  readonly state: ForgeState
  readonly request: ForgeRequest
  readonly token: Token | null
  /** Decoded parameters of the path. */
  readonly parameters: Readonly<Record<string, string>>
  /** Those of the query and of the body, which GitLab reads as one. */
  readonly input: Readonly<Record<string, unknown>>
}

export interface ProjectCall extends Call {
  readonly repository: Repository
  /** The caller's role in the project: 0 for none, 10 guest to 50 owner. */
  readonly level: number
}

export type Handle<Given> = (call: Given) => ForgeResponse | Promise<ForgeResponse>

/** The method, the pattern below the API's root, and the handler. The first match wins. */
export type Route<Given = ProjectCall> = readonly [
  method: string,
  pattern: string,
  handle: Handle<Given>,
]

/** Most errors: `message` is a text, a list, or lists of texts by field. */
export const refuse = (status: number, message: unknown, headers: Record<string, string> = {}) =>
  new Refusal(status, { message }, headers)

/** Errors of the parameters' types, before a route's own code, as Grape answers them. */
export const refuseInput = (error: string, status = 400) => new Refusal(status, { error })

/** A record that isn't there; `f` is small where the server's code didn't ask for it itself. */
export const notFound = (what = '') =>
  refuse(404, what === '' ? '404 Not found' : `404 ${what} Not Found`)

export const forbidden = (reason = '') =>
  refuse(403, reason === '' ? '403 Forbidden' : `403 Forbidden - ${reason}`)

export const unauthorized = () => refuse(401, '401 Unauthorized')

export const badRequest = (reason: string) => refuse(400, `400 Bad request - ${reason}`)

/** Writes messages by field as Ruby prints a hash: errors of notes have it in their text. */
export function rubyHash(errors: Readonly<Record<string, readonly string[]>>): string {
  const fields = Object.entries(errors).map(
    ([field, texts]) => `:${field}=>[${texts.map((text) => JSON.stringify(text)).join(', ')}]`,
  )
  return `{${fields.join(', ')}}`
}

/** Returns the user of a call. Throws 401 without one. */
export function requireUser(call: Call): User {
  if (call.token === null) throw unauthorized()
  return call.token.user
}

/** Returns the user of a call. Throws 401 without one, and 403 below a role. */
export function requireLevel(call: ProjectCall, level: number): User {
  const user = requireUser(call)
  if (call.level < level) throw forbidden()
  return user
}

/** Finds the merge request of a path. */
export function findMergeRequest(call: ProjectCall): PullRequest {
  const pull = call.repository.pulls.get(Number(call.parameters.iid))
  if (pull === undefined) throw notFound()
  return pull
}

/** Returns a text that a call must have. */
export function requireText(call: Call, name: string): string {
  const value = call.input[name]
  if (value === undefined || value === null) throw refuseInput(`${name} is missing`)
  return String(value)
}

/** Returns a parameter that has one of some values, or its default. */
export function oneOf<Value extends string>(
  call: Call,
  name: string,
  values: readonly Value[],
  otherwise: Value,
): Value {
  const value = call.input[name]
  if (value === undefined || value === '') return otherwise
  if (values.includes(value as Value)) return value as Value
  throw refuseInput(`${name} does not have a valid value`)
}

/** Returns a parameter that says yes or no, which queries write as text; null where it is absent. */
export function flag(call: Call, name: string): boolean | null {
  const value = call.input[name]
  if (value === undefined || value === null || value === '') return null
  if ([true, 'true', '1', 1, 't', 'on'].includes(value as string)) return true
  if ([false, 'false', '0', 0, 'f', 'off'].includes(value as string)) return false
  throw refuseInput(`${name} is invalid`)
}

/** Returns a list, which GitLab also takes as a text with commas; null where it is absent. */
export function list(call: Call, name: string): string[] | null {
  const value = call.input[name]
  if (value === undefined || value === null) return null
  const entries = Array.isArray(value) ? value.map(String) : String(value).split(',')
  return entries.map((entry) => entry.trim()).filter(Boolean)
}
