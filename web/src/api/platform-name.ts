// Finds code hosts, and formats the names of their repositories for people.
import { useSuspenseQuery } from '@tanstack/react-query'
import { hostOf, toHostPath, withoutFirstHost } from '../../../src/contract/repository-name.ts'
import { type Me, meQuery } from './shared-queries.ts'
import { useApi } from './use-api.ts'

export type CodeHost = Me['hosts'][number]

/** It is the code host of a repository or of the account, whose user must be signed in. */
export function useCodeHost(repo?: string): CodeHost {
  const { data: me } = useSuspenseQuery(meQuery(useApi()))
  const [first] = me.hosts as [CodeHost]
  const id = repo === undefined ? me.platform : hostOf(repo)
  return me.hosts.find((host) => host.id === id) ?? first
}

/** The name of the repository at an address of the page, which may end with the first host. */
export function useRepositoryName(owner: string, repo: string): string {
  const { data: me } = useSuspenseQuery(meQuery(useApi()))
  const [first] = me.hosts as [CodeHost]
  return withoutFirstHost(`${owner}/${repo}`, first.id)
}

/** It is what people call the code host of a repository, or of the account. */
export function usePlatformName(repo?: string): string {
  return useCodeHost(repo).name
}

/** A repository as its host spells it; the id of another host than the first follows. */
export function formatRepository(repo: string): string {
  const host = hostOf(repo)
  return host === null ? toHostPath(repo) : `${toHostPath(repo)} (${host})`
}

/** The name of a host, with its address if another one has the same name. */
export function distinguishHosts<Host extends { readonly name: string; readonly url: string }>(
  hosts: readonly Host[],
): readonly (Host & { readonly label: string })[] {
  return hosts.map((host) => {
    const isUnique = hosts.filter(({ name }) => name === host.name).length === 1
    return { ...host, label: isUnique ? host.name : `${host.name} (${new URL(host.url).host})` }
  })
}
