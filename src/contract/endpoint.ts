// Defines what an endpoint is, and the types of its requests and responses for clients.
import type { z } from 'zod'
import type { Address } from './addresses.ts'
import type { ErrorStatus } from './common-schemas.ts'
import type { RecordOf } from './records.ts'

/** What a server and its clients must agree on. */
export interface Route extends Address {
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** The status of a success. The default is 200. */
  readonly status?: 202 | 302 | 303
  readonly response: z.ZodType | MediaResponse
  /** The statuses of the errors of the route itself. A credential adds 401. */
  readonly errors?: readonly ErrorStatus[]
}

/** A response that is not JSON. */
interface MediaResponse {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>>
}

/** A route of the public API. */
export interface Endpoint extends Route {
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly credential: Credential
}

/** The credential that an endpoint requires. `either` is the cookie or the bearer token. */
export type Credential = 'none' | 'bearer' | 'cookie' | 'either'

/** Describes an endpoint of the public API at an address. */
export function endpoint<
  const Place extends Address,
  const Description extends Omit<Endpoint, keyof Address>,
>(address: Place, description: Description): Place & Description {
  return { ...address, ...description }
}

/** What a client sends. Parts without a required field can be left out. */
export type RequestInput<Called extends Route> = Part<'params', Called['params']> &
  Part<'query', Called['query']> &
  Part<'body', Called['body']>

type Part<Name extends string, Schema> = Schema extends z.ZodType
  ? Partial<InputOf<Schema>> extends InputOf<Schema>
    ? { readonly [Key in Name]?: InputOf<Schema> }
    : { readonly [Key in Name]: InputOf<Schema> }
  : unknown

/** Fields with a default are optional. Numbers in a query are parsed from text. */
type InputOf<Schema extends z.ZodType> = {
  readonly [Key in keyof z.input<Schema>]: (z.input<Schema> & z.output<Schema>)[Key]
}

/** The record that a route returns for a successful response. */
export type ResponseRecord<Called extends Route> = Called['response'] extends z.ZodType
  ? RecordOf<z.output<Called['response']>>
  : never

/** The body of a successful response, as a client reads it. */
export type ResponseBody<Called extends Route> = Called['response'] extends z.ZodType
  ? Jsonify<z.output<Called['response']>>
  : never

/** The type after JSON serialization: dates become texts. */
type Jsonify<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? Jsonify<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Jsonify<Value[Key]> }
      : Value
