// Tests of how the service serves the page: headers, caching, unknown paths and initial size.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServer } from '../../src/http/create-server.ts'
import { addPageRoutes, pageFolder } from '../../src/http/page-routes.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { startTestApp, type TestApp } from '../start-app.ts'

/** Maximum compressed size of the files that a browser loads first, in bytes. */
const maxInitialBytes = 200 * 1024

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ parts: { web: true, worker: false } })
})
afterAll(() => app?.[Symbol.asyncDispose]())

/** URLs of the files that a document loads. */
function listFiles(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string)
}

/** The address of the code host, to which forms are posted. */
const platformUrl = 'https://github.com'

describe('the page', () => {
  it.each([
    '/',
    '/sign-in',
    '/reviews',
    '/reviews/12',
    '/deliveries',
    '/repositories',
    '/repositories/acme/shop',
    '/insights',
    '/settings',
  ])('is the same document at %s and runs only our own files', async (path) => {
    const response = await fetch(app.url + path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    // Only the form that creates the App leaves this service.
    const formAction = `form-action 'self' ${platformUrl};`
    expect(policy).toContain(formAction)
    expect(policy.replace(formAction, '')).not.toMatch(/unsafe|https?:|\*/)
    const html = await response.text()
    expect(html.match(/<style|\son\w+=|\sstyle=|<script(?![^>]*\ssrc=)/g)).toBeNull()
    expect(listFiles(html).every((file) => file.startsWith('/assets/'))).toBe(true)
  })

  it.each([
    '/review',
    '/reviews/12/x',
    '/assets/unheard-of.js',
    '/assets/',
    '/assets/../package.json',
    '/index.html',
  ])('returns 404 for %s', async (path) => {
    const response = await fetch(app.url + path)
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 404,
      body: { detail: 'Not found' },
    })
  })

  it('is its own 404 for people who open an unknown address', async () => {
    const open = (path: string, method = 'GET') =>
      fetch(app.url + path, { method, headers: { accept: 'text/html,*/*;q=0.8' } })
    const page = await (await open('/')).text()
    for (const path of ['/review', '/reviews/12/x', '/no/such/page?x=1']) {
      const response = await open(path)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.text()).toBe(page)
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
    }
    // Programs get a detail, even if they ask for a page.
    for (const path of [
      '/api/v1/nothing',
      '/api',
      '/auth/x',
      '/mcp/x',
      '/assets/x.js',
      '/docs/x',
    ]) {
      const response = await open(path)
      expect([path, response.status, await response.json()]).toEqual([
        path,
        404,
        { detail: 'Not found' },
      ])
    }
    expect((await open('/review', 'POST')).headers.get('content-type')).toContain('json')
  })

  it('serves immutable, compressed assets', async () => {
    const files = listFiles(await (await fetch(`${app.url}/`)).text())
    expect(files.length).toBeGreaterThanOrEqual(3)
    for (const encoding of ['br', 'gzip']) {
      const file = files.find((name) => name.endsWith('.js'))
      const response = await fetch(app.url + file, { headers: { 'accept-encoding': encoding } })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-encoding')).toBe(encoding)
      expect(response.headers.get('content-type')).toMatch(/^(text|application)\/javascript/)
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(await response.text()).toBe(readFileSync(join(pageFolder, file ?? ''), 'utf8'))
    }
  })

  it('loads at most 200 KB initially', () => {
    const html = readFileSync(join(pageFolder, 'index.html'), 'utf8')
    const files = listFiles(html).map((file) => readFileSync(join(pageFolder, file)))
    const bytes = [Buffer.from(html), ...files].reduce(
      (sum, content) => sum + gzipSync(content).length,
      0,
    )
    expect(bytes).toBeLessThanOrEqual(maxInitialBytes)
  })

  it('explains how to build it, and works below a base path', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'umpire-page-'))
    const server = await createServer(createLogger({ level: 'silent', secrets: [] }))
    const below = await createServer(createLogger({ level: 'silent', secrets: [] }))
    try {
      await addPageRoutes(
        server,
        { publicUrl: 'https://umpire.example', platformUrls: [platformUrl] },
        empty,
      )
      const missing = await server.inject({ url: '/reviews' })
      expect(missing.statusCode).toBe(200)
      expect(missing.body).toMatch(/npm run build/)
      expect(missing.body).toContain('href="/docs"')
      await addPageRoutes(
        below,
        { publicUrl: 'https://example.org/umpire', platformUrls: [platformUrl] },
        pageFolder,
      )
      const { body } = await below.inject({ url: '/reviews' })
      expect(body).toContain('name="base-path" content="/umpire/"')
      expect(listFiles(body).every((file) => file.startsWith('/umpire/assets/'))).toBe(true)
    } finally {
      await Promise.all([server.close(), below.close()])
      rmSync(empty, { recursive: true })
    }
  })
})
