// Defines what an endpoint is, and the types of its requests and responses for clients.
import type { z } from 'zod'
import type { Address } from './addresses.ts'
import type { ErrorStatus } from './common-schemas.ts'
import type { RecordOf } from './records.ts'

/** A server and its clients must agree on these parts. */
export interface Route extends Address {
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** A success has this status. The default is 200. */
  readonly status?: 202 | 302 | 303
  readonly response: z.ZodType | MediaResponse
  /** The route itself can fail with these statuses. A credential adds 401. */
  readonly errors?: readonly ErrorStatus[]
}

/** The response is not JSON. */
interface MediaResponse {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>>
}

/** The route is part of the public API. */
export interface Endpoint extends Route {
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly credential: Credential
}

/** An endpoint requires this credential. `either` is the cookie or the bearer token. */
export type Credential = 'none' | 'bearer' | 'cookie' | 'either'

/** The result has the literal types of its parts, from which clients derive theirs. */
export function endpoint<
  const Place extends Address,
  const Description extends Omit<Endpoint, keyof Address>,
>(address: Place, description: Description): Place & Description {
  return { ...address, ...description }
}

/** A client sends these parts. Parts without a required field can be left out. */
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

/** A route returns this record for a successful response. */
export type ResponseRecord<Called extends Route> = Called['response'] extends z.ZodType
  ? RecordOf<z.output<Called['response']>>
  : never

/** A client reads this body of a successful response. */
export type ResponseBody<Called extends Route> = Called['response'] extends z.ZodType
  ? Jsonify<z.output<Called['response']>>
  : never

/** JSON has no dates, so they become texts. */
type Jsonify<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? Jsonify<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Jsonify<Value[Key]> }
      : Value
