// Adds routes to a server by their description in the contract.
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { z } from 'zod'
import type { Caller } from '../accounts/tokens.ts'
import { errorResponses } from '../contract/common-schemas.ts'
import type { Credential, Endpoint, ResponseRecord, Route } from '../contract/endpoint.ts'
import { compileSerializer } from '../contract/records.ts'
import type { Authenticate } from './authenticate.ts'
import type { Server } from './server.ts'

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown

type RouteRequest<Added extends Route> = FastifyRequest<{
  Params: Parsed<Added['params']>
  Querystring: Parsed<Added['query']>
  Body: Parsed<Added['body']>
}> &
  (Added extends { credential: Exclude<Credential, 'none'> }
    ? { readonly caller: Caller }
    : unknown)

/** A handler returns a record, or the reply if it is a redirect or a stream. */
type Answer<Added extends Route> = ResponseRecord<Added> | FastifyReply

/** The route requires no credential. */
export type OpenRoute = Route & { readonly credential?: 'none' }

type Options = Pick<RouteShorthandOptions, 'config' | 'bodyLimit' | 'exposeHeadRoute'>

/**
 * Adds a route with the method, path, schemas, status and credential of the contract. What the
 * handler returns is converted to the fields of the contract.
 */
export type AddRoute<Allowed extends Route = Endpoint> = <Added extends Allowed>(
  route: Added,
  handler: (
    request: RouteRequest<Added>,
    reply: FastifyReply,
  ) => Answer<Added> | Promise<Answer<Added>>,
  options?: Options,
) => void

/** Creates a function that adds routes without a credential. */
export function createAddRoute(server: Server): AddRoute<OpenRoute>
/** Creates a function that adds routes with the authentication that they require. */
export function createAddRoute(server: Server, authenticate: Authenticate): AddRoute
export function createAddRoute(server: Server, authenticate?: Authenticate): AddRoute<Route> {
  return (route: Route & Partial<Endpoint>, handler, options) => {
    const { method, path, params, query, body, status = 200, response, errors = [] } = route
    const { summary, description, tags, credential = 'none' } = route
    const serialize = 'content' in response ? undefined : compileSerializer(response)
    const credentialErrors = credential === 'none' ? [] : ([401] as const)
    server.route({
      ...options,
      ...(credential !== 'none' && { onRequest: (authenticate as Authenticate)[credential] }),
      method,
      url: path,
      schema: {
        summary,
        description,
        tags,
        security: securityOf[credential],
        // Fastify warns about a part that is undefined.
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(body && { body }),
        response: { [status]: response, ...errorResponses(...credentialErrors, ...errors) },
      },
      handler: async (request, reply) => {
        reply.code(status)
        const answer = await handler(request as never, reply as never)
        return answer === reply ? reply : serialize?.(answer)
      },
    })
  }
}

/** The OpenAPI document lists the credentials in this form. */
const securityOf: Readonly<Record<Credential, Record<string, string[]>[] | undefined>> = {
  none: undefined,
  bearer: [{ bearer: [] }],
  cookie: [{ cookie: [] }],
  either: [{ cookie: [] }, { bearer: [] }],
}
