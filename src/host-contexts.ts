// The part of the composition root that creates what belongs to one code host, for each of them.
import type { AppContext, Config, Hosts, ServiceContext } from './context.ts'
import { hostOf, withoutFirstHost } from './contract/repository-name.ts'
import { createAppTokens } from './platforms/app-tokens.ts'
import type { HostSettings } from './platforms/code-hosts.ts'
import { createCodeHost } from './platforms/create-code-host.ts'
import type { WritePacer } from './platforms/write-pacer.ts'
import { openSibling } from './workflows/choose-access.ts'
import { createUserTokens } from './workflows/connecting/user-tokens.ts'
import { createToolLogs } from './workflows/gathering/list-tool-logs.ts'
import { createOrganizationSettings } from './workflows/gathering/organization-settings.ts'

export function createHosts(
  service: Omit<ServiceContext, 'hosts' | 'config'>,
  config: Config,
  writePacer: WritePacer,
): Hosts {
  const all: AppContext[] = []
  const hosts = indexHosts(all)
  for (const settings of config.hosts) {
    const shared = { ...service, hosts, config: { ...config, ...settings } }
    all.push(createHostContext(shared, writePacer))
  }
  return hosts
}

/** @param all the contexts of all hosts, the first one first; they may be added afterwards */
export function indexHosts<Context extends Pick<AppContext, 'platform'>>(
  all: readonly Context[],
): Hosts<Context> {
  const find = (id: string) => all.find(({ platform }) => platform.id === id)
  return {
    all,
    get first() {
      return all[0] as Context
    },
    find,
    of: (repo) => find(hostOf(repo) ?? '') ?? (all[0] as Context),
    shorten: (repo) => withoutFirstHost(repo, (all[0] as Context).platform.id),
  }
}

function createHostContext(
  shared: ServiceContext & { readonly config: Config },
  writePacer: WritePacer,
): AppContext {
  const { config, log, metrics } = shared
  const access = createHostAccess(shared, config, { metrics, writePacer })
  const { platform } = access
  return {
    ...shared,
    ...access,
    organizationSettings: createOrganizationSettings({
      platform,
      openSibling: (of, repo) => openSibling({ ...shared, ...access }, of, repo),
    }),
    toolLogs: createToolLogs({ platform, log }),
  }
}

/** Creates the client of a code host and the tokens for it. That is all that commands need. */
export function createHostAccess(
  stored: Pick<ServiceContext, 'db' | 'keys' | 'log'>,
  config: HostSettings,
  options?: Parameters<typeof createCodeHost>[1],
): Pick<AppContext, 'platform' | 'appTokens' | 'userTokens'> {
  const platform = createCodeHost(config.platform, options)
  const appTokens = platform.apps && createAppTokens(platform.apps)
  return { platform, appTokens, userTokens: createUserTokens({ ...stored, config, platform }) }
}
