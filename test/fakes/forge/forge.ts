// A small code-hosting platform that speaks as GitHub, Gitea or Forgejo: real git, real HTTP.
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  observationActions,
  pullRequestActions,
  repositoryActions,
  signInActions,
} from './actions.ts'
import { appActions } from './apps/app-actions.ts'
import { checkActions } from './checks/check-actions.ts'
import { commentActions } from './comment-actions.ts'
import type { Dialect, DialectName } from './dialect.ts'
import { forgejoDialect, giteaDialect } from './gitea/dialect.ts'
import { githubDialect } from './github/dialect.ts'
import { gitlabDialect } from './gitlab/dialect.ts'
import type { Forge, ForgeOptions } from './interface.ts'
import type { PullRequestView } from './pull-request-view.ts'
import { createForgeServer } from './server.ts'
import {
  createState,
  type Delivery,
  type ForgeLimits,
  type RateLimit,
  type SeenRequest,
} from './state.ts'
import { toolActions } from './tools/tool-actions.ts'

export {
  applyThenDrop,
  closeMidBody,
  delayRequest,
  drop,
  type Hold,
  hold,
  htmlPage,
  replyWith,
  truncateBody,
} from './faults.ts'
export type { Forge, ForgeOptions, PullRequestInput } from './interface.ts'
export type { Delivery, ForgeLimits, PullRequestView, RateLimit, SeenRequest }

const dialects: Readonly<Record<DialectName, Dialect>> = {
  github: githubDialect,
  gitea: giteaDialect,
  forgejo: forgejoDialect,
  gitlab: gitlabDialect,
}

export async function startForge(options: ForgeOptions = {}): Promise<Forge> {
  const dialect = dialects[options.dialect ?? 'github']
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'forge-')))
  const state = createState(dialect, dataDir, options.clock ?? (() => new Date()), options.observe)
  const server = createForgeServer(state)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve)
  })
  const { address, family, port } = server.address() as AddressInfo
  state.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  const close = async () => {
    if (state.stop.signal.aborted) return
    state.stop.abort()
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
    await Promise.all([...state.repositories.values()].map((repository) => repository.writes))
    if (options.dataDir === undefined)
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
  }
  return {
    ...repositoryActions(state),
    ...pullRequestActions(state),
    ...commentActions(state),
    ...observationActions(state),
    ...signInActions(state),
    ...appActions(state),
    ...checkActions(state),
    ...toolActions(state),
    url: state.url,
    apiUrl: state.url + dialect.apiPath,
    graphqlUrl: `${state.url}/api/graphql`,
    close,
    [Symbol.asyncDispose]: close,
  }
}
