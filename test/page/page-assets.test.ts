// How the service hands out the page: its policy, what may be kept, what is unknown, and how much is loaded at first.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addPageRoutes, pageFolder } from '../../src/http/page-routes.ts'
import { createServer } from '../../src/http/server.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { startTestApp, type TestApp } from '../start-app.ts'

/** What a browser loads before anything shows, in bytes as they are sent. */
const mostAtFirst = 200 * 1024

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ parts: { web: true, worker: false } })
})
afterAll(() => app?.[Symbol.asyncDispose]())

/** The addresses of what a document loads. */
function filesOf(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string)
}

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
  ])('is the same document at %s, which runs nothing but our own files', async (path) => {
    const response = await fetch(app.url + path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    const html = await response.text()
    expect(html.match(/<style|\son\w+=|\sstyle=|<script(?![^>]*\ssrc=)/g)).toBeNull()
    expect(filesOf(html).every((file) => file.startsWith('/assets/'))).toBe(true)
  })

  it.each([
    '/review',
    '/reviews/12/x',
    '/assets/unheard-of.js',
    '/assets/',
    '/assets/../package.json',
    '/index.html',
  ])('leaves %s unknown', async (path) => {
    const response = await fetch(app.url + path)
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 404,
      body: { detail: 'Not found' },
    })
  })

  it('has files that are kept for good, and are sent compressed', async () => {
    const files = filesOf(await (await fetch(`${app.url}/`)).text())
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

  it('loads no more than 200 KB at first', () => {
    const html = readFileSync(join(pageFolder, 'index.html'), 'utf8')
    const files = filesOf(html).map((file) => readFileSync(join(pageFolder, file)))
    const bytes = [Buffer.from(html), ...files].reduce(
      (sum, content) => sum + gzipSync(content).length,
      0,
    )
    expect(bytes).toBeLessThanOrEqual(mostAtFirst)
  })

  it('says what to do where it has not been built, and may stand below a path', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'umpire-page-'))
    const server = await createServer(createLogger({ level: 'silent', secrets: [] }))
    const below = await createServer(createLogger({ level: 'silent', secrets: [] }))
    try {
      await addPageRoutes(server, 'https://umpire.example', empty)
      const missing = await server.inject({ url: '/reviews' })
      expect(missing.statusCode).toBe(200)
      expect(missing.body).toMatch(/npm run build/)
      expect(missing.body).toContain('href="/docs"')
      await addPageRoutes(below, 'https://example.org/umpire', pageFolder)
      const { body } = await below.inject({ url: '/reviews' })
      expect(body).toContain('name="base-path" content="/umpire/"')
      expect(filesOf(body).every((file) => file.startsWith('/umpire/assets/'))).toBe(true)
    } finally {
      await Promise.all([server.close(), below.close()])
      rmSync(empty, { recursive: true })
    }
  })
})
