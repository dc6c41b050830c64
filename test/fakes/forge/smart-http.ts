// Clone, fetch and push over HTTP: git's own http-backend, run as CGI.

import { dirname, join } from 'node:path'
import { runProgram } from '../run-program.ts'
import { permits } from './access.ts'
import type { Repository } from './entities.ts'
import { gitEnvironment, gitLine } from './git.ts'
import { type ForgeRequest, type ForgeResponse, header } from './http.ts'
import { changeRefs } from './pushes.ts'
import { encodePath } from './shape-accounts.ts'
import { type ForgeState, fullName } from './state.ts'

/** Owners of one part, and groups of more. */
const pathPattern = /^\/(.+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/

/** Whether a path belongs to git's smart HTTP protocol. */
export const isGitPath = (path: string): boolean => pathPattern.test(path)

const text = (
  status: number,
  body: string,
  headers: Record<string, string> = {},
): ForgeResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body,
})

/** Answers a request of a git client. A push updates pull requests before it is answered. */
// oxlint-disable-next-line complexity -- one condition for each error of the protocol
export async function serveGit(state: ForgeState, request: ForgeRequest): Promise<ForgeResponse> {
  const [, owner, repo, action] = pathPattern.exec(request.path)!
  const name = decodeURIComponent(`${owner}/${repo}`).toLowerCase()
  const former = state.formerNames.get(name)
  const repository = state.repositories.get(name) ?? former
  const service = action === 'info/refs' ? request.query.get('service') : action
  const permission =
    repository === undefined ? 'none' : state.dialect.gitPermission(request.token, repository)
  const needed = service === 'git-receive-pack' ? 'write' : 'read'
  if (!permits(permission, needed) || (request.credentials && request.token === null)) {
    return denyAccess(request, permission === 'none' ? null : repository!)
  }
  if (repository === former && repository !== undefined)
    return redirect(state, request, repository, action!)
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') {
    return text(403, 'Please upgrade your git client.\n')
  }
  const run = () => runBackend(repository!, request, action!)
  if (action !== 'git-receive-pack') return await run()
  return await changeRefs(state, repository!, request.token!.user, run)
}

function redirect(
  state: ForgeState,
  request: ForgeRequest,
  repository: Repository,
  action: string,
): ForgeResponse {
  const query = request.query.size === 0 ? '' : `?${request.query}`
  return text(301, '', {
    location: `${state.url}/${encodePath(fullName(repository))}.git/${action}${query}`,
  })
}

function denyAccess(request: ForgeRequest, visible: Repository | null): ForgeResponse {
  // As at GitHub, anonymous users must sign in, whether or not the repository exists.
  if (request.token === null)
    return text(401, 'Authentication required.\n', { 'www-authenticate': 'Basic realm="Forge"' })
  if (visible === null) return text(404, 'Repository not found.\n')
  const { login } = request.token.user
  return text(403, `Permission to ${fullName(visible)}.git denied to ${login}.\n`)
}

/** Where `git http-backend` is: started by its path, it needs one process less. */
let backend: Promise<string> | undefined

/** Runs `git http-backend` for one request (CGI, RFC 3875). */
async function runBackend(
  repository: Repository,
  request: ForgeRequest,
  action: string,
): Promise<ForgeResponse> {
  const environment: Record<string, string> = {
    ...gitEnvironment(),
    GIT_PROJECT_ROOT: dirname(repository.directory),
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${repository.id}.git/${action}`,
    REQUEST_METHOD: request.method,
    QUERY_STRING: request.query.toString(),
    CONTENT_TYPE: header(request, 'content-type'),
    CONTENT_LENGTH: String(request.body.length),
    HTTP_CONTENT_ENCODING: header(request, 'content-encoding'),
    GIT_PROTOCOL: header(request, 'git-protocol'),
    REMOTE_ADDR: '127.0.0.1',
    // With a user, git's backend allows pushes; write access was checked before.
    ...(request.token === null ? {} : { REMOTE_USER: request.token.user.login }),
  }
  backend ??= gitLine(repository.directory, ['--exec-path'])
  const program = join(await backend, 'git-http-backend')
  const run = { program, args: [], env: environment, input: request.body }
  return readCgi((await runProgram(run)).stdout)
}

function readCgi(output: Buffer): ForgeResponse {
  const end = output.indexOf('\r\n\r\n')
  if (end < 0) return text(500, 'git http-backend gave no answer.\n')
  const headers: Record<string, string> = {}
  for (const line of output.subarray(0, end).toString('latin1').split('\r\n')) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const status = Number.parseInt(headers.status ?? '200', 10)
  delete headers.status
  return { status, headers, body: output.subarray(end + 4) }
}
