// Rules about manifests and lock files: packages from unknown hosts, and install scripts.

import { findPipedDownload } from '../../code/piped-downloads.ts'
import type { Severity } from '../../domain/finding.ts'
import { isPublicHost, isSameEcosystem, readDependencyManifest } from './dependency-manifest.ts'
import { listNames } from './list-names.ts'
import type { ChangedManifest, ManifestHit, Rule } from './rule.ts'

/** Findings that a rule reports per file; further ones are left out. */
const maxHits = 20

async function checkHosts(file: ChangedManifest): Promise<ManifestHit[]> {
  const { head, base } = file
  const addedHosts = [...head.hosts].filter(
    ([host]) => !base.hosts.has(host) && !isPublicHost(file.path, host),
  )
  // Reading the other files of the base branch is only worth it for a host that is new here.
  if (addedHosts.length === 0) return []
  const knownHosts = await listBaseHosts(file)
  const unknown = addedHosts.filter(([host]) => !knownHosts.has(host))
  return unknown.slice(0, maxHits).map(([host, text]) => ({
    text,
    title: `Packages come from ${listNames([host])}, which nothing on the base branch names`,
    body:
      'When this is installed, code from that host runs here. Neither the lock files of the ' +
      'base branch nor its registry settings use it, and it is no public registry. Check ' +
      'that it is intended, and who runs it.',
  }))
}

async function listBaseHosts(file: ChangedManifest): Promise<ReadonlySet<string>> {
  const files = await file.readBase((path) => isSameEcosystem(file.path, path))
  return new Set(
    files.flatMap(({ path, text }) => [...readDependencyManifest(path, text).hosts.keys()]),
  )
}

async function checkInstallScripts({ head, base }: ChangedManifest): Promise<ManifestHit[]> {
  const scripts = [...head.scripts].filter(
    ([name, command]) => base.scripts.get(name) !== command && !isUsual(command),
  )
  const installers = [...head.installers].filter(([name]) => !base.installers.has(name))
  const hits = scripts.slice(0, maxHits).map(([name, command]) => ({
    text: `"${name}"`,
    title: `${listNames([name])} is run whenever this package is installed, packed or published`,
    body:
      'When somebody installs this, or CI does, the command runs with all their rights, ' +
      'before anybody looked at it. Check that it is intended.',
    severity: commandSeverity(command),
  }))
  if (installers.length === 0) return hits
  const names = installers.map(([name]) => name)
  const predicate = names.length === 1 ? 'runs a script' : 'run scripts'
  return [
    ...hits,
    {
      text: installers[0]![1],
      title: `${listNames(names)} ${predicate} when installed, and did not before`,
      body:
        'When this is installed, code of the package runs immediately with all rights of the ' +
        'user. Check what it does, or disable scripts (`ignore-scripts`).',
    },
  ]
}

/** Whether a command is one that templates of projects have. */
function isUsual(command: string): boolean {
  return command === 'patch-package' || command.replaceAll(usualInComposer, '').trim() === ''
}

/** Laravel's commands, methods of a class, and copies of examples. */
const usualInComposer = new RegExp(
  [
    String.raw`@(?:php artisan|composer) [\w:-]+(?: --[\w=-]+)*`,
    String.raw`[A-Z]\w*(?:\\[A-Z]\w*)+::\w+`,
    String.raw`@php -r "(?:file_exists\('[^']*'\) \|\| |if \(!file_exists\('[^']*'\)\) )?` +
      String.raw`copy\('[^']*', '[^']*'\);"`,
  ].join('|'),
  'g',
)

/** A command that downloads or hides what it runs needs more than a look. */
function commandSeverity(command: string): Severity {
  if (findPipedDownload(command)) return 'critical'
  return suspiciousCommand.test(command) ? 'moderate' : 'minor'
}

const suspiciousCommand = new RegExp(
  [
    String.raw`\b(?:curl|wget|nc|ncat|iwr|irm|iex|base64|eval|ssh|scp)\b`,
    String.raw`\/dev\/tcp`,
    String.raw`\b(?:node|python3?|perl|ruby|php|deno|bun)\s+-(?:e|c|r|-eval|p)\b`,
    'https?:',
  ].join('|'),
  'i',
)

export const unknownHosts: Rule = {
  id: 'unknown-package-host',
  summary:
    "A lock file, manifest or registry setting adds a host that the base branch doesn't use " +
    'and that is no public registry.',
  seeAlso: ['lockfile-lint `allowed-hosts`'],
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
      'A dependency or the package itself gets a new install script. More than minor if the ' +
      'script downloads what it runs.',
    severity: 'minor',
    category: 'security',
    confidence: 0.9,
    manifest: checkInstallScripts,
  },
]
