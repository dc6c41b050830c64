// A fixture of the platform contract on a running Gitea or Forgejo, which it makes accounts and
// repositories on. A proxy before it counts writes, loses answers and holds lists.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createPlatform } from '../../src/platforms/index.ts'
import {
  type Files,
  mainFiles,
  type PlatformFixture,
  type PostedState,
} from './platform-contract.ts'

const run = promisify(execFile)
const secret = 'a secret for signatures'
const password = 'Contract-Passw0rd!'

export interface RealServer {
  readonly id: 'gitea' | 'forgejo'
  readonly url: string
  /** A token of an administrator of the server, with all scopes. */
  readonly token: string
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

async function readBody(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream))
}

/** A number in a list that its items carry, and that rises with each of them. */
const listedIds = {
  comments: /\/comments(\?|$)/,
  reviews: /\/reviews(\?|$)/,
}

/** Forwards requests, and does to them what a test wants. */
async function startProxy(target: string) {
  const state = {
    writes: 0,
    edits: new Map<string, number>(),
    maxIds: { comments: 0, reviews: 0 },
    held: null as { comments: number; reviews: number } | null,
    lose: null as { path: RegExp; late: boolean; isLost: boolean } | null,
    refuses: null as ((method: string, path: string) => boolean) | null,
  }
  const findKind = (path: string) =>
    (['comments', 'reviews'] as const).find((kind) => listedIds[kind].test(path))

  /** Returns what a list shows while it is held. */
  function filter(path: string, text: string): string {
    const kind = findKind(path)
    if (kind === undefined || !text.startsWith('[')) return text
    const items: { id: number }[] = JSON.parse(text)
    const { held, lose } = state
    if (lose?.late && lose.isLost && lose.path.test(path.split('?')[0]!)) {
      const shown = JSON.stringify(items.filter(({ id }) => id <= (held?.[kind] ?? id)))
      state.held = null
      state.lose = null
      return shown
    }
    if (held !== null) return JSON.stringify(items.filter(({ id }) => id <= held[kind]))
    for (const { id } of items) state.maxIds[kind] = Math.max(state.maxIds[kind], id)
    return text
  }

  function recordWrite(method: string, path: string) {
    if (method === 'GET' || !path.startsWith('/api/v1/')) return
    state.writes++
    const id = /\/comments\/(\d+)$/.exec(path)?.[1]
    if (id !== undefined && method === 'PATCH') state.edits.set(id, (state.edits.get(id) ?? 0) + 1)
  }

  async function forward(request: IncomingMessage, method: string, path: string) {
    const body = await readBody(request)
    const { host: _, connection: __, 'content-length': ___, ...sent } = request.headers
    const answer = await fetch(target + path, {
      method,
      headers: sent as Record<string, string>,
      body: method === 'GET' ? null : new Uint8Array(body),
      redirect: 'manual',
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const isList = method === 'GET' && (answer.headers.get('content-type') ?? '').includes('json')
    const shown = isList ? Buffer.from(filter(path, bytes.toString())) : bytes
    return { status: answer.status, headers: toHeaders(answer.headers), shown }
  }

  /** Whether the answer to this write must be lost. */
  function loses(method: string, path: string): boolean {
    const { lose } = state
    if (lose === null || lose.isLost || method !== 'POST' || !lose.path.test(path)) return false
    lose.isLost = true
    if (lose.late) state.held = { ...state.maxIds }
    return true
  }

  const server = await listen(async (request, response) => {
    const { method = 'GET', url: path = '/' } = request
    if (state.refuses?.(method, path))
      return response.writeHead(403, { 'content-type': 'application/json' }).end('{}')
    recordWrite(method, path)
    const { status, headers, shown } = await forward(request, method, path)
    if (loses(method, path)) return request.socket.destroy()
    return response.writeHead(status, headers).end(shown)
  })
  return { ...server, state }
}

function toHeaders(headers: Headers): Record<string, string | string[]> {
  const { 'content-length': _, 'content-encoding': __, ...rest } = Object.fromEntries(headers)
  return { ...rest, 'set-cookie': headers.getSetCookie() }
}

// biome-ignore lint/suspicious/noExplicitAny: the server's answers are what is tested
type Json = any

/** Calls the server directly, as one of the accounts. */
function createApi(server: RealServer) {
  return async function api(
    authorization: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<Json> {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
    return text === '' ? {} : JSON.parse(text)
  }
}

/** Starts with accounts and repositories of its own. */
export async function startRealGitea(server: RealServer): Promise<PlatformFixture> {
  const api = createApi(server)
  const suffix = randomBytes(4).toString('hex')
  const names = {
    owner: `contract-o-${suffix}`,
    login: `contract-r-${suffix}`,
    other: `contract-w-${suffix}`,
  }
  const { owner, login, other: otherLogin } = names
  const tokens: Record<string, string> = {}
  for (const username of Object.values(names)) {
    await api(`token ${server.token}`, 'POST', '/admin/users', {
      ...{ username, password, email: `${username}@example.test`, must_change_password: false },
    })
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const made = await api(basic, 'POST', `/users/${username}/tokens`, {
      name: 'contract',
      scopes: ['all'],
    })
    tokens[username] = made.sha1
  }
  const as = (who: string, method: string, path: string, body?: object) =>
    api(`token ${tokens[who]}`, method, path, body)

  const received: { headers: IncomingHttpHeaders; body: Buffer }[] = []
  const receiver = await listen(async (request, response) => {
    received.push({ headers: request.headers, body: await readBody(request) })
    response.end()
  })
  const proxy = await startProxy(server.url)
  const makeRepository = async (name: string, isPrivate: boolean, admin: boolean) => {
    await as(owner, 'POST', '/user/repos', {
      name,
      private: isPrivate,
      default_branch: 'main',
      auto_init: true,
    })
    if (admin)
      await as(owner, 'PUT', `/repos/${owner}/${name}/collaborators/${login}`, {
        permission: 'admin',
      })
  }
  let repo = `${owner}/hello-${suffix}`
  await makeRepository(`hello-${suffix}`, true, true)
  await as(owner, 'PUT', `/repos/${repo}/collaborators/${otherLogin}`, { permission: 'write' })
  await makeRepository('public', false, false)
  await makeRepository('hidden', true, false)
  await makeRepository('second', false, true)
  await as(owner, 'POST', `/repos/${repo}/hooks`, {
    ...{ type: 'gitea', active: true, events: ['pull_request_only', 'pull_request_sync'] },
    config: { url: receiver.url, content_type: 'json', secret },
  })
  const application = await as(login, 'POST', '/user/applications/oauth2', {
    ...{ name: 'umpire', confidential_client: true },
    redirect_uris: ['http://127.0.0.1:1/auth/callback'],
  })
  const folder = await mkdtemp(join(tmpdir(), 'real-gitea-'))
  const git = async (...args: string[]) => (await run('git', args, { cwd: folder })).stdout.trim()
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', otherLogin)
  await git('config', 'user.email', `${otherLogin}@example.test`)
  const remote = () => `${server.url.replace('://', `://git:${tokens[otherLogin]}@`)}/${repo}.git`
  let commits = 0

  async function push(branch: string, files: Files, message = 'Change files'): Promise<string> {
    const isNew = (await git('ls-remote', remote(), `refs/heads/${branch}`)) === ''
    await git('fetch', '-q', remote(), isNew ? 'main' : branch)
    await git('checkout', '-q', '-f', '--detach', 'FETCH_HEAD')
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, path)
      await mkdir(dirname(file), { recursive: true })
      if (content === null) await rm(file, { force: true })
      else await writeFile(file, content)
    }
    await git('add', '-A')
    // Each commit differs, even within a second and without a change.
    const committer = ['-c', `committer.name=contract ${++commits}`]
    await git(...committer, 'commit', '-q', '--allow-empty', '-m', message)
    await git('push', '-q', remote(), `HEAD:refs/heads/${branch}`)
    return git('rev-parse', 'HEAD')
  }
  await push('main', mainFiles)
  const pull = (number: number) => `/repos/${repo}/pulls/${number}`
  const waitFor = async <T>(find: () => Promise<T | undefined> | T | undefined): Promise<T> => {
    for (let tries = 0; tries < 300; tries++) {
      const found = await find()
      if (found !== undefined) return found
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error('The server did not do it in time.')
  }

  type ListedReview = {
    id: number
    state: string
    dismissed: boolean
    body: string
    user: { login: string }
  }
  type ListedComment = {
    id: number
    body: string
    path: string
    position: number
    original_position: number
    user: { login: string }
    pull_request_review_id: number
  }
  const listAll = async <T>(path: string): Promise<T[]> => {
    const all: T[] = []
    for (let page = 1; ; page++) {
      const items = (await as(owner, 'GET', `${path}?limit=50&page=${page}`)) as unknown as T[]
      all.push(...items)
      if (items.length < 50) return all
    }
  }
  const listInline = async (number: number): Promise<ListedComment[]> => {
    const reviews = await listAll<ListedReview>(`${pull(number)}/reviews`)
    const lists = await Promise.all(
      reviews.map(
        async ({ id }) =>
          (await as(
            owner,
            'GET',
            `${pull(number)}/reviews/${id}/comments`,
          )) as unknown as ListedComment[],
      ),
    )
    return lists.flat().sort((a, b) => a.id - b.id)
  }
  const states = {
    COMMENT: 'commented',
    APPROVED: 'approved',
    REQUEST_CHANGES: 'changes_requested',
  } as const

  async function readPosted(number: number): Promise<PostedState> {
    const comments = (await as(
      owner,
      'GET',
      `/repos/${repo}/issues/${number}/comments`,
    )) as unknown as ListedComment[]
    const reviews = await listAll<ListedReview>(`${pull(number)}/reviews`)
    const toPosted = ({ id, body, user }: ListedComment) => ({
      ...{
        id: String(id),
        author: user.login,
        body,
        edits: proxy.state.edits.get(String(id)) ?? 0,
      },
    })
    return {
      comments: comments.map(toPosted),
      inline: (await listInline(number)).map((one) => ({
        ...toPosted(one),
        path: one.path,
        side: one.original_position > 0 ? 'LEFT' : 'RIGHT',
        line: one.position || one.original_position || null,
        startLine: null,
      })),
      reviews: reviews
        .filter(({ state }) => state in states)
        .map(({ id, state, dismissed, body, user }) => ({
          ...{ id: String(id), author: user.login, body },
          state: dismissed ? ('dismissed' as const) : states[state as keyof typeof states],
        })),
    }
  }

  const platform = createPlatform({
    ...{ id: server.id, url: proxy.url, apiUrl: `${proxy.url}/api/v1`, oauth: null },
    userAgent: 'umpire-test',
  })
  const { state } = proxy
  return {
    platform,
    traits: {
      draftTitle: (title) => `WIP: ${title}`,
      webhookEvents: ['issues', 'pull_request', 'pull_request_sync'],
      grantedScope: null,
      pullPath: 'pulls',
      commentsOnRanges: false,
      followsLines: false,
      // Gitea fails for lines after the last one, and Forgejo accepts any.
      refusedPlaces:
        server.id === 'forgejo'
          ? null
          : [
              { path: 'src/count.ts', endLine: 999 },
              { path: 'README.md', endLine: 999 },
            ],
      replacesVerdicts: true,
      writersDismiss: false,
      refusesDiffs: false,
      postsReviews: true,
      restrictsDismissals: true,
      signsDeliveries: true,
      pingsWebhooks: true,
      writersEdit: true,
      countsDeliveredLines: true,
      listsSizes: true,
      hasGroups: false,
      hidesPermissions: true,
    },
    application: { clientId: application.client_id, clientSecret: application.client_secret },
    access: { repo, token: tokens[login]! },
    login,
    otherAccess: { repo, token: tokens[otherLogin]! },
    otherLogin,
    personalToken: tokens[login]!,
    push,
    async open({ head, title = head, body = '', author = otherLogin, draft = false }) {
      const made = await as(author, 'POST', `/repos/${repo}/pulls`, {
        ...{ head, base: 'main', body, title: draft ? `WIP: ${title}` : title },
      })
      return made.number
    },
    openIssue: async (input) =>
      (await as(otherLogin, 'POST', `/repos/${repo}/issues`, input)).number,
    otherRepositories: {
      public: `${owner}/public`,
      hidden: `${owner}/hidden`,
      administered: `${owner}/second`,
    },
    url: proxy.url,
    merge: async (number) => {
      await waitFor(async () => {
        const { mergeable } = await as(owner, 'GET', pull(number))
        return mergeable || undefined
      })
      await as(owner, 'POST', `${pull(number)}/merge`, { Do: 'merge' })
    },
    close: async (number) => void (await as(owner, 'PATCH', pull(number), { state: 'closed' })),
    comment: async (number, author, body) =>
      String((await as(author, 'POST', `/repos/${repo}/issues/${number}/comments`, { body })).id),
    reply: async (number, commentId, author, body) => {
      const opening = (await listInline(number)).find(({ id }) => String(id) === commentId)!
      const { path, position, original_position } = opening
      const comment = { path, body, new_position: position, old_position: original_position }
      const reviews = `${pull(number)}/reviews`
      if (server.id === 'forgejo')
        await as(author, 'POST', `${reviews}/${opening.pull_request_review_id}/comments`, comment)
      else await as(author, 'POST', reviews, { event: 'COMMENT', body: '', comments: [comment] })
      return String((await listInline(number)).at(-1)!.id)
    },
    reactions: async (_number, commentId) => {
      const path = `/repos/${repo}/issues/comments/${commentId}/reactions`
      const list = (await as(owner, 'GET', path)) as unknown as {
        content: string
        user: { login: string }
      }[]
      return list.map(({ content, user }) => ({ content, author: user.login }))
    },
    readPosted,
    statuses: async (sha) => {
      const list = (await as(
        owner,
        'GET',
        `/repos/${repo}/commits/${sha}/statuses`,
      )) as unknown as {
        id: number
        context: string
        status: string
        description: string
        target_url: string
      }[]
      const newest = new Map(list.sort((a, b) => a.id - b.id).map((one) => [one.context, one]))
      return [...newest.values()].map(({ context, status, description, target_url: url }) => ({
        ...{ context, state: status, description, url },
      }))
    },
    webhooks: async () => {
      const list = (await as(owner, 'GET', `/repos/${repo}/hooks`)) as unknown as {
        id: number
        config: { url: string }
        events: string[]
        active: boolean
      }[]
      return list.map(({ id, config, events, active }) => ({ id, url: config.url, events, active }))
    },
    delivery: async (action, number) => {
      const name = action === 'synchronize' ? 'synchronized' : action
      const found = await waitFor(() =>
        received.find(({ body }) => {
          const payload = JSON.parse(body.toString())
          return payload.action === name && payload.number === number
        }),
      )
      return { ...found, secret }
    },
    rename: async (name) => {
      await as(owner, 'PATCH', `/repos/${repo}`, { name: name.split('/')[1] })
      repo = name
    },
    countWrites: () => state.writes,
    loseResponse: (of, { late } = { late: false }) => {
      const path = {
        summary: /\/issues\/\d+\/comments$/,
        inline: /\/pulls\/\d+\/reviews$/,
        check: /\/statuses\/\w+$/,
        dismissal: /\/dismissals$/,
      }[of]
      const lose = { path, late, isLost: false }
      state.lose = lose
      return () => lose.isLost
    },
    holdLists: () => {
      state.held = { ...state.maxIds }
      return () => {
        state.held = null
      }
    },
    decide: async (number, by, decision) => {
      // Nobody decides about a pull request of their own.
      const { user } = await as(owner, 'GET', pull(number))
      const author = user.login === by ? owner : by
      const event = decision === 'approved' ? 'APPROVED' : 'REQUEST_CHANGES'
      await as(author, 'POST', `${pull(number)}/reviews`, { event, body: 'By hand' })
    },
    dismiss: async (number, id, by) =>
      void (await as(
        by === otherLogin ? owner : by,
        'POST',
        `${pull(number)}/reviews/${id}/dismissals`,
        {
          message: 'By hand',
        },
      )),
    restrictDismissals: () => {
      state.refuses = (_method, path) => path.endsWith('/dismissals')
      return () => {
        state.refuses = null
      }
    },
    refuseEdits: () => {
      state.refuses = (method, path) => /PATCH|DELETE/.test(method) && /\/comments\/\d+$/.test(path)
      return () => {
        state.refuses = null
      }
    },
    refuseDiffs: () => {},
    descriptionProblems: () => [],
    signIn: (authorizeUrl, who) => signIn(server.url, authorizeUrl, who),
    apps: null,
    tools: null,
    [Symbol.asyncDispose]: async () => {
      for (const name of [repo.split('/')[1], 'public', 'hidden', 'second'])
        await as(owner, 'DELETE', `/repos/${owner}/${name}`)
      for (const name of Object.values(names))
        await api(`token ${server.token}`, 'DELETE', `/admin/users/${name}?purge=true`)
      await Promise.all([proxy.close(), receiver.close(), rm(folder, { recursive: true })])
    },
  }
}

/** Signs in with a browser's requests and confirms the application. Returns where that leads. */
async function signIn(url: string, authorizeUrl: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>()
  const visit = async (path: string, form?: Record<string, string>): Promise<Response> => {
    const answer = await fetch(new URL(path, url), {
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        origin: url,
        'sec-fetch-site': 'same-origin',
      },
      body: form === undefined ? null : new URLSearchParams(form),
      redirect: 'manual',
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    return answer
  }
  const readFields = (page: string) =>
    Object.fromEntries(
      [...page.matchAll(/<input[^>]*>/g)].flatMap(([input]) => {
        const name = /name="([^"]*)"/.exec(input)?.[1]
        const value = /value="([^"]*)"/.exec(input)?.[1] ?? ''
        return name === undefined ? [] : [[name, value.replaceAll('&amp;', '&')]]
      }),
    )
  const form = await (await visit('/user/login')).text()
  const { _csrf = '' } = readFields(form)
  await visit('/user/login', { _csrf, user_name: login, password })
  const { pathname, search } = new URL(authorizeUrl)
  const page = await visit(pathname + search)
  const back = page.headers.get('location')
  if (back !== null) return new URL(back)
  const fields = readFields(await page.text())
  const granted = await visit('/login/oauth/grant', { ...fields, granted: 'true' })
  return new URL(granted.headers.get('location')!)
}
