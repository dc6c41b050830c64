// The type of the HTTP server, to which routes are added.
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'

/** Routes of the server validate requests and serialize responses by their zod schemas. */
export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends the page, which says that there is nothing at its address; null without a page. */
    sendNotFoundPage: ((reply: FastifyReply) => FastifyReply) | null
  }
  interface FastifyContextConfig {
    /** Requests of the route are so frequent that they are logged only at `debug`. */
    quiet?: boolean
  }
}
