// Rules about manifests and lock files: packages from unknown hosts, and what runs when they are installed.
import type { Severity } from '../../domain/finding.ts'
import { isPublicHost, isSameEcosystem, readDependencyManifest } from './dependency-manifest.ts'
import { listNames } from './list-names.ts'
import { findPipedDownload } from './piped-downloads.ts'
import type { ChangedManifest, ManifestHit, Rule } from './rule.ts'

/** One file's findings of a rule; the rest is counted in the last. */
const maxHits = 20

async function checkHosts(file: ChangedManifest): Promise<ManifestHit[]> {
  const { head, base } = file
  const fresh = [...head.hosts].filter(
    ([host]) => !base.hosts.has(host) && !isPublicHost(file.path, host),
  )
  if (fresh.length === 0) return []
  const known = new Set<string>()
  // Only a host that is new to the file is worth reading the others.
  for (const { path, text } of await file.readBase((path) => isSameEcosystem(file.path, path)))
    for (const host of readDependencyManifest(path, text).hosts.keys()) known.add(host)
  const unknown = fresh.filter(([host]) => !known.has(host))
  return unknown.slice(0, maxHits).map(([host, text]) => ({
    text,
    title: `Packages come from ${listNames([host])}, which nothing on the base branch names`,
    body: 'When this is installed, code of that host runs here. Neither the lock files of the base branch nor its registry settings know it, and it is no public registry. See that it is meant, and whose it is.',
  }))
}

async function checkInstallScripts({ head, base }: ChangedManifest): Promise<ManifestHit[]> {
  const scripts = [...head.scripts].filter(([name, command]) => base.scripts.get(name) !== command)
  const installers = [...head.installers].filter(([name]) => !base.installers.has(name))
  const hits = scripts.slice(0, maxHits).map(([name, command]) => ({
    text: `"${name}"`,
    title: `${listNames([name])} is run whenever this package is installed, packed or published`,
    body: 'When somebody installs this, or CI does, the command runs with all their rights, before anybody looked at it. See that it is meant.',
    severity: commandSeverity(command),
  }))
  if (installers.length === 0) return hits
  const names = installers.map(([name]) => name)
  const them = names.length === 1 ? 'runs a script' : 'run scripts'
  return [
    ...hits,
    {
      text: installers[0]![1],
      title: `${listNames(names)} ${them} when installed, and did not before`,
      body: 'When this is installed, code of the package runs at once with all rights of whoever installs it. See what it does, or switch scripts off (`ignore-scripts`).',
    },
  ]
}

/** A command that fetches or hides what it runs is worth more than a look. */
function commandSeverity(command: string): Severity {
  if (findPipedDownload(command)) return 'critical'
  const fetches =
    /\b(?:curl|wget|nc|ncat|iwr|irm|iex|base64|eval|ssh|scp)\b|\/dev\/tcp|\b(?:node|python3?|perl|ruby|php|deno|bun)\s+-(?:e|c|r|-eval|p)\b|https?:/i
  return fetches.test(command) ? 'moderate' : 'minor'
}

export const unknownHosts: Rule = {
  id: 'unknown-package-host',
  summary:
    'A lock file, manifest or registry setting brings a host that the base branch does not know and that is no public registry.',
  severity: 'moderate',
  category: 'security',
  confidence: 0.9,
  manifest: checkHosts,
}

export const manifestRules: readonly Rule[] = [
  unknownHosts,
  {
    id: 'install-script',
    summary:
      'A package or this one runs a new script when it is installed. More than minor where the script fetches what it runs.',
    severity: 'minor',
    category: 'security',
    confidence: 0.9,
    manifest: checkInstallScripts,
  },
]
