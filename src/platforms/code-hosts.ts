// Reads which code hosts a deployment serves, and the configuration of each.
import { groupVariables, type ValuesOf, type Variables } from '../config/variable.ts'
import { anyText } from '../config/variable-parsers.ts'
import type { VariableReader } from '../config/variable-reader.ts'
import {
  hosts,
  hostTables,
  type PlatformConfig,
  type PlatformId,
  platformTables,
  readHost,
  readPlatformKind,
  readWriteLimits,
} from './platform-config.ts'

/** The deployment serves this code host. */
export interface CodeHost extends Omit<PlatformConfig, 'id'> {
  /** Identifies it in addresses and in the database. */
  readonly id: string
  /** Chooses the adapter. */
  readonly kind: PlatformId
  /** Names of its repositories end with this id. Null for the first host. */
  readonly name: string | null
}

/** What belongs to one host alone, and is never used for another. */
export interface HostSettings {
  readonly platform: CodeHost
  /** Used for repositories that no one has connected. */
  readonly fallback: ReturnType<typeof readHost>['fallback']
}

/** It has the settings of the first host, and a list of those of all hosts. */
export interface PlatformSettings extends HostSettings {
  /** It contains all hosts, and begins with the first one. */
  readonly hosts: readonly HostSettings[]
  readonly writeLimits: ReturnType<typeof readWriteLimits>
}

const listVariables = {
  ids: {
    name: 'PLATFORMS',
    parse: anyText,
    defaultDescription: 'that of `PLATFORM`',
    review: 'always',
    help:
      'ids of all code hosts, separated by commas, if there is more than one; ' +
      '`<id>=<kind>` for a second one of a kind. The first one has the variables of this table',
  },
} satisfies Variables

export const platformGroup = groupVariables(
  'Code host',
  [listVariables, ...platformTables],
  'Each further host of `PLATFORMS` has its own URLs, token, webhook secrets and OAuth ' +
    'application. Their names end with its id in capitals: `PLATFORM_URL_GITLAB`, and ' +
    '`PLATFORM_TOKEN_WORK_2` for the id `work-2`. See ' +
    '[several code hosts](operating.md#several-code-hosts).',
)

const hostRows = hostTables.flatMap((table) => Object.values(table))

/** The names that the variables of further hosts begin with. */
export const hostVariableNames = hostRows.map(({ name }) => name)

/** Other addresses and accounts have these names. */
const reservedIds = ['app', 'callback', 'host', 'operator']
const idPattern = /^[a-z][a-z0-9-]{0,30}$/

export function readPlatformConfig(reader: VariableReader): PlatformSettings {
  const listed = readList(reader, reader.read(listVariables))
  const hosts = listed.map(({ id, kind }, index): HostSettings => {
    const isFirst = index === 0
    const { platform, fallback } = readHost(reader, kind, isFirst ? '' : suffixOf(id))
    return { platform: { ...platform, id, kind, name: isFirst ? null : id }, fallback }
  })
  reportSharedAddress(reader, hosts)
  reportUnlisted(
    reader,
    listed.slice(1).map(({ id }) => id),
  )
  return { ...(hosts[0] as HostSettings), hosts, writeLimits: readWriteLimits(reader) }
}

interface ListedHost {
  readonly id: string
  readonly kind: PlatformId
}

/** The first host of the list is that of PLATFORM if the list is not set, or wrong. */
function readList(
  reader: VariableReader,
  { ids }: ValuesOf<typeof listVariables>,
): readonly ListedHost[] {
  const single = readPlatformKind(reader)
  if (ids === null) return [{ id: single, kind: single }]
  const items = ids.split(',').map((item) => item.trim())
  const listed = items.flatMap((item) => readItem(reader, item) ?? [])
  const known = listed.map(({ id }) => id)
  const repeated = known.find((id, index) => known.indexOf(id) !== index)
  if (repeated !== undefined) {
    const remedy = `give another one an id of its own: ${repeated}-2=${repeated}`
    reader.report(`PLATFORMS lists ${repeated} twice: ${remedy}`)
  }
  const [first = { id: single, kind: single }, ...others] = listed
  if (reader.environment.PLATFORM !== undefined && single !== first.kind) {
    reader.reportContradiction('PLATFORM must be the kind of the first of PLATFORMS, or not set')
  }
  return [first, ...others]
}

function readItem(reader: VariableReader, item: string): ListedHost | undefined {
  const [id = '', kind = id, ...rest] = item.split('=')
  const kinds = Object.keys(hosts)
  // A variable whose name ends with _FILE names a file.
  const isTaken = reservedIds.includes(id) || /(^|-)file$/.test(id)
  if (!idPattern.test(id) || rest.length > 0 || isTaken) {
    const form = 'at most 31 lower-case letters, digits and hyphens, the first one a letter'
    const taken = `not ${reservedIds.join(', ')} or file`
    return void reader.report(`PLATFORMS must be ids, separated by commas: ${form}, and ${taken}`)
  }
  if (!kinds.includes(kind)) {
    const choices = `<id> or <id>=<kind>, where the kind is ${kinds.join(', ')}`
    return void reader.report(`PLATFORMS must list ${choices}`)
  }
  return { id, kind: kind as PlatformId }
}

/** It is the name of a host's own variable, such as `PLATFORM_TOKEN_GITLAB`. */
export function hostVariable(name: string, host: Pick<CodeHost, 'name'>): string {
  return host.name === null ? name : `${name}${suffixOf(host.name)}`
}

const suffixOf = (id: string) => `_${id.toUpperCase().replaceAll('-', '_')}`

function reportSharedAddress(reader: VariableReader, served: readonly HostSettings[]): void {
  const urls = served.map(({ platform }) => platform.url)
  for (const { platform } of served.slice(1)) {
    if (urls.indexOf(platform.url) === urls.lastIndexOf(platform.url)) continue
    const name = `PLATFORM_URL${suffixOf(platform.id)}`
    reader.reportContradiction(`${name} must be another address than those of the other hosts`)
  }
}

/** A token for a host that isn't served would be forgotten, or was meant for another one. */
function reportUnlisted(reader: VariableReader, ids: readonly string[]): void {
  const known = hostVariableNames.flatMap((name) =>
    ['', ...ids.map(suffixOf)].map((end) => name + end),
  )
  for (const name of reader.listExtensions(hostRows)) {
    if (known.includes(name) || known.includes(name.replace(/_FILE$/, ''))) continue
    const own = hostVariableNames.find((one) => name.startsWith(`${one}_`)) ?? ''
    const id = name.slice(own.length + 1).replace(/_FILE$/, '')
    const hint = id.toLowerCase().replaceAll('_', '-')
    reader.report(
      `${name} is for a code host that PLATFORMS doesn't list after the first one: ` +
        `add ${hint} there, or unset it`,
    )
  }
}
