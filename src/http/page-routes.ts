// Adds the web page: its built files, and one document for every path of its router.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply } from 'fastify'
import type { Server } from './server.ts'

/** The folder into which `npm run build` writes the page. */
export const pageFolder = fileURLToPath(new URL('../../web/dist/', import.meta.url))

/** These are the paths of the router in `web/`. With other paths, the page has the status 404. */
const pagePaths = [
  '/',
  '/sign-in',
  '/reviews',
  '/reviews/:id',
  '/deliveries',
  '/repositories',
  '/repositories/:owner/:repo',
  '/insights',
  '/insights/findings',
  '/settings',
]

/**
 * Allows only scripts, styles and URLs of this service, and nothing inline. The form that creates
 * the App is posted to the code host.
 */
const contentSecurityPolicyFor = (platformOrigins: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    `form-action 'self' ${platformOrigins.join(' ')}`,
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * Adds the page in the state in which it is built when the server starts.
 *
 * @param urls URLs at which people reach the service and the code hosts
 * @param folder folder of the built page; if it is missing, a short document explains how to build
 */
export async function addPageRoutes(
  server: Server,
  { publicUrl, platformUrls }: { publicUrl: string; platformUrls: readonly string[] },
  folder: string,
): Promise<void> {
  const contentSecurityPolicy = contentSecurityPolicyFor(
    platformUrls.map((url) => new URL(url).origin),
  )
  const basePath = new URL(`${publicUrl}/`).pathname
  const document = await readPage(folder, basePath)
  const sendPage = (reply: FastifyReply) =>
    reply
      .headers({ 'content-security-policy': contentSecurityPolicy, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      // The default serializer would encode the text as JSON.
      .serializer((html: string) => html)
      .send(document)
  for (const path of pagePaths)
    server.get(path, { schema: { hide: true } }, async (_request, reply) => sendPage(reply))
  server.sendNotFoundPage = sendPage
  const assets = join(folder, 'assets')
  if (!existsSync(assets)) return
  const { default: serveFiles } = await import('@fastify/static')
  await server.register(serveFiles, {
    root: assets,
    prefix: '/assets/',
    // Adds a route for each file, so that other names get the same 404 as any unknown path.
    wildcard: false,
    globIgnore: ['**/*.{br,gz}'],
    index: false,
    decorateReply: false,
    preCompressed: true,
    // The file names contain a hash of the content.
    immutable: true,
    maxAge: '365d',
  })
}

/** The built document has relative URLs, which would not resolve from nested paths. */
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
<p>The web page has not been built: run <code>npm run build</code> in the checkout,
and start Umpire again.</p>
<p>Everything else works. <a href="${basePath}docs">API reference</a></p>
</html>
`
}
