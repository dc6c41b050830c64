// Serves the OpenAPI document and its page, and the JSON Schema of the repository settings.
import type { FastifySchema, RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { describeSettings } from '../config/settings-schema.ts'
import { errorResponses } from '../contract/common-schemas.ts'
import { readDocsTheme } from './docs-theme.ts'
import { pageFolder } from './page-routes.ts'
import { isRateLimited } from './request-rate-limit.ts'
import type { Server } from './server.ts'

const description = `\
The API of Umpire, a service that reviews pull requests.

**Authentication.** Each endpoint accepts the session cookie \`access_token\`, a bearer token, or
either, as documented. An endpoint for one does not accept the other. To try endpoints on this
page, sign in: the browser sends the cookie. For a bearer token, call \`POST /api/v1/auth/token\`
and enter the result under "Authorize". For programs, create an API token.

**Errors.** Every error body is \`{ "detail": string }\`.

**Conventions.** Bodies are JSON. Times are ISO 8601 in UTC. Repository names are \`owner/repo\`.
Every response has the header \`x-request-id\`, which is also in the log of the service.`

/** The style element that Swagger UI adds, which highlights the XML of examples. */
const inlineStyleHash = 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='

/** Allows only scripts, styles and URLs of this service. Swagger UI also needs `data:` images. */
const pagePolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': ["'self'", `'${inlineStyleHash}'`],
  'font-src': "'self'",
  'img-src': ["'self'", 'data:'],
  'connect-src': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
}

const settingsFileSchema = {
  summary: 'Describe the repository settings',
  description: 'Returns the JSON Schema of `.umpire.yml`, for editors. Needs no credential.',
  tags: ['Repository settings'],
  response: { 200: z.record(z.string(), z.unknown()) },
}

/**
 * Adds `/openapi.json`, the page under `/docs` and the schema of `.umpire.yml`. Call it before the
 * routes that it describes. Loads the plugins here, because only a server needs them.
 *
 * @param publicUrl URL at which people reach the service
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
      // Has no host, so that the page sends requests to the address at which it was opened.
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
    theme: readDocsTheme(pageFolder, new URL(`${publicUrl}/`).pathname),
  })
  server.get('/openapi.json', { schema: { hide: true } }, async () => server.swagger())
  server.get('/schemas/repository-settings.json', { schema: settingsFileSchema }, async () => ({
    ...describeSettings(),
  }))
}

/** Adds the error responses that the server itself can give on a route. */
function describeRoute(schema: FastifySchema = {}, route: RouteOptions): FastifySchema {
  const hasPathParameters = route.url.includes(':')
  const serverResponses = {
    ...(schema.body === undefined ? {} : errorResponses(400, 413, 415)),
    ...(hasPathParameters ? errorResponses(400, 414) : {}),
    ...(isRateLimited(route.url) ? errorResponses(429) : {}),
    ...errorResponses(500, 503),
  }
  return { ...schema, response: { ...serverResponses, ...(schema.response as object) } }
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

/** The document contains an input and an output version of each named schema, used or not. */
function removeUnusedSchemas(document: Document): Document {
  const { schemas } = document.components
  const usedNames = new Set<string>()
  const visit = (part: unknown) => {
    for (const name of findSchemaReferences(part)) {
      if (usedNames.has(name)) continue
      usedNames.add(name)
      visit(schemas[name])
    }
  }
  visit({ ...document, components: null })
  const usedSchemas = Object.fromEntries(
    Object.entries(schemas).filter(([name]) => usedNames.has(name)),
  )
  return { ...document, components: { ...document.components, schemas: usedSchemas } }
}

function findSchemaReferences(part: unknown): string[] {
  const references = JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
  return [...references].map(([, name = '']) => name)
}
