// Serves the page: built files as they are, and the same document for every address that the page itself understands.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Server } from './server.ts'

/** Where `npm run build` puts the page. */
export const pageFolder = fileURLToPath(new URL('../../web/dist/', import.meta.url))

/** The page's own router knows the same. Other paths stay unknown, with 404. */
const pagePaths = [
  '/',
  '/sign-in',
  '/reviews',
  '/reviews/:id',
  '/deliveries',
  '/repositories',
  '/repositories/:owner/:repo',
  '/insights',
  '/settings',
]

/** No script, style or address but our own, and nothing inline. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Adds the page, as it is built when the server starts.
 *
 * @param publicUrl where people reach the service
 * @param folder of the built page; where there is none, a short document says so
 */
export async function addPageRoutes(
  server: Server,
  publicUrl: string,
  folder: string,
): Promise<void> {
  const basePath = new URL(`${publicUrl}/`).pathname
  const document = await readPage(folder, basePath)
  for (const address of pagePaths) {
    server.get(address, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .headers({ 'content-security-policy': contentSecurityPolicy, 'cache-control': 'no-cache' })
        .type('text/html; charset=utf-8')
        // The schemas' serializer is for JSON.
        .serializer((html: string) => html)
        .send(document),
    )
  }
  const assets = join(folder, 'assets')
  if (!existsSync(assets)) return
  const { default: serveFiles } = await import('@fastify/static')
  await server.register(serveFiles, {
    root: assets,
    prefix: '/assets/',
    // A route for each file: other names are unknown like every other path.
    wildcard: false,
    globIgnore: ['**/*.{br,gz}'],
    index: false,
    decorateReply: false,
    preCompressed: true,
    // Their names change with what is in them.
    immutable: true,
    maxAge: '365d',
  })
}

/** Its addresses are relative to where the service stands; from a page further down they have to be told in full. */
async function readPage(folder: string, basePath: string): Promise<string> {
  try {
    const built = await readFile(join(folder, 'index.html'), 'utf8')
    return built
      .replaceAll('="./', `="${basePath}`)
      .replace('name="base-path" content="/"', `name="base-path" content="${basePath}"`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return describeMissingPage(basePath)
  }
}

function describeMissingPage(basePath: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Umpire</title>
<h1>Umpire is running</h1>
<p>Its page has not been built here: run <code>npm run build</code> in the checkout, and start Umpire again.</p>
<p>All else works. <a href="${basePath}docs">The API and how to use it</a></p>
</html>
`
}
