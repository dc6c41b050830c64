// Reads from manifests, lock files and registry settings which hosts and scripts they use.
import { type LockedPackage, listAliases, listLockedPackages } from './package-lock.ts'

/** What one file declares. Each map goes from a name to a text that occurs on the name's line. */
export interface DependencyManifest {
  /** Hosts that packages come from; those without TLS begin with `http://`. */
  readonly hosts: ReadonlyMap<string, string>
  /** Commands that a package manager runs on its own, by script name. */
  readonly scripts: ReadonlyMap<string, string>
  /** Packages that run a script when they are installed. */
  readonly installers: ReadonlyMap<string, string>
  /** Packages that npm's lock file lists. */
  readonly packages: readonly LockedPackage[]
  /** Names that stand for other packages, as `name=package`, each with the key in the file. */
  readonly aliases: ReadonlyMap<string, string>
}

interface Format {
  readonly names: RegExp
  /** Pattern of the whole path, for names that other programs use too. */
  readonly within?: RegExp
  readonly ecosystem: string
  read(text: string): DependencyManifest
}

const emptyManifest: DependencyManifest = {
  hosts: new Map(),
  scripts: new Map(),
  installers: new Map(),
  packages: [],
  aliases: new Map(),
}

/** The hosts that packages of each ecosystem come from by default. */
export const publicHosts = {
  npm: [
    'registry.npmjs.org',
    'registry.yarnpkg.com',
    'repo.yarnpkg.com',
    'npm.jsr.io',
    'jsr.io',
    'deno.land',
  ],
  python: [
    'pypi.org',
    'files.pythonhosted.org',
    'pypi.python.org',
    'conda.anaconda.org',
    'repo.anaconda.com',
  ],
  rust: ['index.crates.io', 'crates.io', 'static.crates.io'],
  ruby: ['rubygems.org', 'index.rubygems.org'],
  php: [
    'repo.packagist.org',
    'packagist.org',
    'api.github.com',
    'github.com',
    'codeload.github.com',
    'gitlab.com',
  ],
  swift: ['github.com', 'cdn.cocoapods.org'],
  dart: ['pub.dev', 'pub.dartlang.org'],
  elixir: ['hex.pm', 'repo.hex.pm'],
  gradle: ['services.gradle.org', 'repo.maven.apache.org', 'repo1.maven.org'],
  nuget: ['api.nuget.org', 'www.nuget.org', 'schemas.microsoft.com', 'www.w3.org'],
  terraform: ['registry.terraform.io', 'registry.opentofu.org'],
  nix: [
    'github.com',
    'api.github.com',
    'channels.nixos.org',
    'releases.nixos.org',
    'cache.nixos.org',
  ],
  bazel: ['bcr.bazel.build', 'github.com', 'mirror.bazel.build'],
  other: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

const formats: readonly Format[] = [
  { names: /^(?:package-lock|npm-shrinkwrap)\.json$/, ecosystem: 'npm', read: readPackageLock },
  { names: /^package\.json$/, ecosystem: 'npm', read: readPackage },
  { names: /^composer\.json$/, ecosystem: 'php', read: readComposer },
  { names: /^composer\.lock$/, ecosystem: 'php', read: readJson },
  { names: /^deno\.lock$/, ecosystem: 'npm', read: readText },
  { names: /^pnpm-lock\.yaml$/, ecosystem: 'npm', read: readPnpmLock },
  {
    names: /^(?:yarn\.lock|bun\.lock|\.npmrc|\.yarnrc(?:\.yml)?|bunfig\.toml)$/,
    ecosystem: 'npm',
    read: readText,
  },
  {
    names: /^(?:poetry|uv|pdm|pixi)\.lock$|^conda-lock\.ya?ml$/,
    ecosystem: 'python',
    read: readText,
  },
  {
    names: /^Pipfile(?:\.lock)?$|^pip\.conf$|^pip\.ini$|^(?:uv|poetry)\.toml$/,
    ecosystem: 'python',
    read: readText,
  },
  {
    names: /^(?:[\w.-]*[-_.])?(?:requirements|constraints)[\w.-]*\.(?:txt|in)$/,
    ecosystem: 'python',
    read: readPip,
  },
  {
    names: /\.(?:txt|in)$/,
    within: /(?:^|\/)(?:requirements|constraints)\/[^/]+$/,
    ecosystem: 'python',
    read: readPip,
  },
  { names: /^pyproject\.toml$/, ecosystem: 'python', read: readSources },
  { names: /^Cargo\.lock$/, ecosystem: 'rust', read: readText },
  { names: /^Cargo\.toml$/, ecosystem: 'rust', read: readSources },
  {
    names: /^config(?:\.toml)?$/,
    within: /(?:^|\/)\.cargo\/[^/]+$/,
    ecosystem: 'rust',
    read: readSources,
  },
  { names: /^Gemfile\.lock$|^gems\.locked$/, ecosystem: 'ruby', read: readText },
  { names: /^(?:Gemfile|gems\.rb)$/, ecosystem: 'ruby', read: readSources },
  { names: /^Package\.resolved$|^Podfile\.lock$/, ecosystem: 'swift', read: readText },
  { names: /^pubspec\.lock$/, ecosystem: 'dart', read: readText },
  { names: /^mix\.lock$/, ecosystem: 'elixir', read: readText },
  { names: /^(?:gradle|maven)-wrapper\.properties$/, ecosystem: 'gradle', read: readProperties },
  { names: /^nuget\.config$/i, ecosystem: 'nuget', read: readText },
  { names: /^\.terraform\.lock\.hcl$/, ecosystem: 'terraform', read: readProviders },
  { names: /^flake\.lock$/, ecosystem: 'nix', read: readText },
  { names: /^MODULE\.bazel\.lock$/, ecosystem: 'bazel', read: readText },
  {
    names: /^(?:Chart\.lock|stack\.yaml\.lock|Manifest\.toml)$/,
    ecosystem: 'other',
    read: readText,
  },
]

function formatOf(path: string): Format | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return formats.find(
    ({ names, within }) => names.test(name) && (within === undefined || within.test(path)),
  )
}

/**
 * Whether a file determines which packages are installed. `go.sum` isn't read: it names no hosts,
 * and Go's proxy and checksum database guarantee its content.
 */
export function isDependencyManifest(path: string): boolean {
  return formatOf(path) !== undefined
}

/** Whether two manifests belong to one ecosystem, so that they may use the same hosts. */
export function isSameEcosystem(path: string, other: string): boolean {
  const ecosystem = formatOf(path)?.ecosystem
  return ecosystem !== undefined && formatOf(other)?.ecosystem === ecosystem
}

export function isPublicHost(path: string, host: string): boolean {
  const hosts: Readonly<Record<string, readonly string[]>> = publicHosts
  return hosts[formatOf(path)?.ecosystem ?? 'other']!.includes(host)
}

/** Reads a manifest by the format of its path. The result is empty for other files. */
export function readDependencyManifest(path: string, text: string): DependencyManifest {
  return formatOf(path)?.read(text) ?? emptyManifest
}

/** Finds the host of a URL such as `https://host/path`, and of Git's `git@host:path`. */
const address = /\/\/([^\s"'`<>(){}[\],;/?#\\]{1,300})|\bgit@([\w.-]{1,253}):/gi

/** Finds the hosts of all addresses in a text. Each host is the text by which its line is found. */
function hostsIn(text: string): Map<string, string> {
  const hosts = new Map<string, string>()
  const known = new Set<string>()
  // Yarn encodes URLs inside of others. The index of crates.io has a host that serves much else.
  const plain = text
    .replace(/%3a/gi, ':')
    .replace(/%2f/gi, '/')
    .replaceAll('\\/', '/')
    .replaceAll('codeload.github.com', 'github.com')
    .replaceAll('github.com/rust-lang/crates.io-index', 'index.crates.io')
  for (const { 0: whole, 1: authority, 2: gitHost, index } of plain.matchAll(address)) {
    const before = plain.slice(Math.max(0, index - 6), index)
    const isUnprotected = authority !== undefined && /(?:^|[^a-z])http:$/i.test(before)
    const scheme = isUnprotected ? 'http://' : ''
    const name = `${scheme}${whole}`
    if (known.has(name)) continue
    known.add(name)
    const host = gitHost?.toLowerCase() ?? hostOf(authority!)
    if (host !== undefined && /[.:]|^localhost$/.test(host)) hosts.set(`${scheme}${host}`, host)
  }
  return hosts
}

/** Parses the host as a URL does, which drops a user name before `@`. */
function hostOf(authority: string): string | undefined {
  try {
    return new URL(`https://${authority}`).host
  } catch {
    return undefined
  }
}

/** Comments, and fields that only describe a package. */
const descriptiveLine =
  /^\s*(?:#|["']?(?:deprecated|description|summary|homepage|license|documentation|support)["']?\s*[:=])/i

/** Sections of TOML with addresses for people. */
const descriptiveSections = /^\[(?:project|tool\.poetry)\.urls\](?:\n(?!\[).*)*/gm

function readText(text: string): DependencyManifest {
  const lines = text.split('\n').filter((line) => !descriptiveLine.test(line))
  return { ...emptyManifest, hosts: hostsIn(lines.join('\n')) }
}

/** Reads only options and addresses, because a `requirements` folder may hold prose too. */
function readPip(text: string): DependencyManifest {
  const source = /^\s*--?\w|@\s*[a-z+]+:|^\s*[a-z][\w+.-]*:\/\//i
  const lines = text.split('\n').map((line) => line.split(/(?:^|\s)#/, 1)[0]!)
  return { ...emptyManifest, hosts: hostsIn(lines.filter((line) => source.test(line)).join('\n')) }
}

/** Java's properties: a backslash continues a line, and characters can be escaped. */
function readProperties(text: string): DependencyManifest {
  const plain = text
    .replace(/^[ \t]*[#!].*$/gm, '')
    .replace(/\\\r?\n[ \t]*/g, '')
    .replace(/\\u([\da-f]{4})/gi, (_all, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/\\(.)/g, '$1')
  return { ...emptyManifest, hosts: hostsIn(plain) }
}

/** Reads only lines that name a package source, from files with many other addresses. */
function readSources(text: string): DependencyManifest {
  const source =
    /\b(?:url|index|git|source|registry|branch|path)\b["']?\s*(?:=|:|\s["'])|@\s*(?:git\+)?https?:/i
  const lines = text
    .replaceAll(descriptiveSections, '')
    .split('\n')
    .filter((line) => source.test(line) && !descriptiveLine.test(line))
  return { ...emptyManifest, hosts: hostsIn(lines.join('\n')) }
}

function readProviders(text: string): DependencyManifest {
  const hosts = [...text.matchAll(/^\s*provider\s+"([^/"\s]{1,253})\//gm)].map(
    ([, host]) => [host!, host!] as const,
  )
  return { ...emptyManifest, hosts: new Map(hosts) }
}

type Json = Readonly<Record<string, unknown>>

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

function parseJson(text: string): Json | undefined {
  try {
    return asJson(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Fields of a lock file that only describe a package. */
const descriptiveFields = new Set([
  '_readme',
  'suggest',
  'funding',
  'support',
  'authors',
  'homepage',
  'bugs',
  'description',
  'deprecated',
  'license',
])

/** Reads the hosts of a JSON document without descriptions; of an invalid one, all hosts. */
function readJson(text: string, json = parseJson(text)): DependencyManifest {
  return json === undefined
    ? readText(text)
    : { ...emptyManifest, hosts: hostsIn(addressesOf(json).join('\n')) }
}

/** Lists the strings and keys inside of a value that can hold an address. */
function addressesOf(value: unknown): string[] {
  const canHold = (text: string) => text.includes('//') || text.includes('git@')
  const texts: string[] = []
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string' && canHold(next)) texts.push(next)
    for (const [key, child] of Object.entries(asJson(next))) {
      if (descriptiveFields.has(key)) continue
      if (canHold(key)) texts.push(key)
      open.push(child)
    }
  }
  return texts
}

function readPackageLock(text: string): DependencyManifest {
  const json = parseJson(text)
  const packages = asJson(json?.packages)
  const installers = new Map<string, string>()
  for (const [path, entry] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || asJson(entry).hasInstallScript !== true) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    installers.set(name, `"${path}"`)
  }
  return {
    ...readJson(text, json),
    installers,
    packages: listLockedPackages(packages),
    aliases: listAliases(packages),
  }
}

/** Matches the key of a package in pnpm's lock file, such as `  /@scope/name@1.0.0:`. */
const pnpmKey = /^ {2}["']?\/?(@?[^\s"'(:]+[^\s"':]*)["']?:\s*$/

function readPnpmLock(text: string): DependencyManifest {
  const installers = new Map<string, string>()
  let key = ''
  for (const line of text.split('\n')) {
    key = pnpmKey.exec(line)?.[1] ?? key
    if (!/^\s+requiresBuild:\s*true/.test(line)) continue
    const name = key.replace(/(?<=.)[@/]\d[^@/]*$/, '')
    installers.set(name, key)
  }
  return { ...readText(text), installers }
}

/** Scripts that npm, pnpm and Yarn run when the package is installed, packed or published. */
const lifecycleScripts = new Set([
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
  'prepack',
  'postpack',
  'prepublishOnly',
  'dependencies',
])

const dependencyFields =
  /^(?:(?:dev|peer|optional|bundle)?dependencies|overrides|resolutions|publishConfig|pnpm)$/i

function readPackage(text: string): DependencyManifest {
  const json = parseJson(text)
  if (json === undefined) return emptyManifest
  const fields = Object.entries(json).filter(([field]) => dependencyFields.test(field))
  const allowLists = [json.trustedDependencies, asJson(json.pnpm).onlyBuiltDependencies]
  const allowed = allowLists.flatMap((list) => (Array.isArray(list) ? list.map(String) : []))
  return {
    ...emptyManifest,
    hosts: hostsIn(fields.flatMap(([, value]) => addressesOf(value)).join('\n')),
    scripts: readScripts(json.scripts, (name) => lifecycleScripts.has(name)),
    installers: new Map(allowed.map((name) => [name, `"${name}"`])),
    aliases: listAliases(Object.fromEntries(fields)),
  }
}

function readComposer(text: string): DependencyManifest {
  const json = parseJson(text)
  if (json === undefined) return emptyManifest
  const isRun = (name: string) =>
    /^(?:pre|post)-(?:install|update|autoload|package|root|create|status)/.test(name)
  return {
    ...emptyManifest,
    hosts: hostsIn(addressesOf(json.repositories).join('\n')),
    scripts: readScripts(json.scripts, isRun),
  }
}

function readScripts(scripts: unknown, isRun: (name: string) => boolean): Map<string, string> {
  const commands = Object.entries(asJson(scripts)).filter(([name]) => isRun(name))
  return new Map(commands.map(([name, command]) => [name, [command].flat().map(String).join(' ')]))
}
