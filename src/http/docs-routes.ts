// The OpenAPI document, made from the routes' schemas, and a page to read it.
import type { FastifySchema, RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { errorResponses } from '../contract/common-schemas.ts'
import { isRateLimited } from './request-rate-limit.ts'
import type { Server } from './server.ts'

const description = `\
Get a bearer token for the session in your browser from \`POST /api/v1/auth/token\` and put it in under "Authorize"; the cookie
is sent by itself. Every error body is \`{ "detail": string }\`. Times are ISO 8601 in UTC. An endpoint takes the cookie, the bearer token, or
either of them, as it says; the one is never accepted in place of the other. Every answer carries \`x-request-id\`, which
the log has too.`

/** No script, style or address but our own; the page draws some of its pictures from \`data:\`. */
const pagePolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': ["'self'", 'data:'],
  'connect-src': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
}

/**
 * Adds `/openapi.json` and the page under `/docs`. Call it before the routes that it is to describe. What they are made
 * with is loaded here: only a server needs it.
 *
 * @param publicUrl where people reach the service
 */
export async function addDocsRoutes(server: Server, publicUrl: string): Promise<void> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  await server.register(swagger, {
    stripBasePath: false,
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Umpire', description, version: '1' },
      // Without its host, so that the page asks whatever address it was opened at.
      servers: [{ url: new URL(publicUrl).pathname }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          cookie: { type: 'apiKey', in: 'cookie', name: 'access_token' },
        },
      },
    },
    transform: (part) =>
      jsonSchemaTransform({ ...part, schema: describeRoute(part.schema, part.route) }),
    transformObject: (document) =>
      removeUnusedSchemas(jsonSchemaTransformObject(document) as Document) as never,
  })
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: pagePolicy as never,
    uiConfig: { docExpansion: 'list', persistAuthorization: false },
    // Its bar is for choosing between documents; there is one.
    theme: {
      title: 'Umpire: API',
      css: [{ filename: 'theme.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  })
  server.get('/openapi.json', { schema: { hide: true } }, async () => server.swagger())
}

/** Adds the answers that a route gets from the server around it. */
function describeRoute(schema: FastifySchema = {}, route: RouteOptions): FastifySchema {
  const fromServer = {
    ...(schema.body === undefined ? {} : errorResponses(400, 413, 415)),
    // A part of the path that is no percent-encoding, or too long.
    ...(route.url.includes(':') ? errorResponses(400, 414) : {}),
    ...(isRateLimited(route.url) ? errorResponses(429) : {}),
    ...errorResponses(500, 503),
  }
  return { ...schema, response: { ...fromServer, ...(schema.response as object) } }
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

/** Each named schema stands there once for what comes in and once for what goes out, whether it is used or not. */
function removeUnusedSchemas(document: Document): Document {
  const { schemas } = document.components
  const used = new Set<string>()
  const visit = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(
      /"#\/components\/schemas\/([^"]+)"/g,
    )) {
      if (used.has(name)) continue
      used.add(name)
      visit(schemas[name])
    }
  }
  visit({ ...document, components: null })
  const kept = Object.entries(schemas).filter(([name]) => used.has(name))
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(kept) } }
}
