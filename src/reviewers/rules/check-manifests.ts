// Runs the rules on manifests, lock files and registry settings, which look at both sides of a file.
import type { FileDiff } from '../../domain/diff.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import type { Snapshot } from '../../git/snapshot.ts'
import { type Change, listReviewedFiles } from '../reviewer.ts'
import {
  type DependencyManifest,
  isDependencyManifest,
  readDependencyManifest,
} from './dependency-manifest.ts'
import { manifestRules, unknownHosts } from './manifest-rules.ts'
import { packageRules } from './package-rules.ts'
import { toProposedFinding } from './propose-finding.ts'
import { type ChangedManifest, type ManifestHit, type Rule, toRuleFinding } from './rule.ts'

/** Lock files of large repositories have some megabytes; one of more isn't read. */
const maxBytes = 16 * 1024 * 1024
/** Manifests of the base that are read to know its hosts, at most. */
const maxRelated = 50

/**
 * Looks at all manifests that somebody reads, lock files among them. One that can't be read is a finding: nobody knows
 * then what it brings.
 */
export async function checkManifests(
  change: Change,
  disabled: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ProposedFinding[]> {
  const { head, base } = change
  const findings: ProposedFinding[] = []
  for (const file of listReviewedFiles(change)) {
    if (file.status === 'deleted' || !isDependencyManifest(file.path)) continue
    signal.throwIfAborted()
    const sides = await readSides(file, head, base)
    const hits =
      sides === null
        ? [[unknownHosts, unreadable] as const]
        : await runRules(file.path, sides, { head, base })
    for (const [rule, hit] of hits)
      if (!disabled.has(rule.id)) findings.push(proposeAt(file, rule, hit))
  }
  return findings
}

const unreadable: ManifestHit = {
  text: '',
  title: 'This file is too large or not readable, so nobody knows where its packages come from',
  body:
    'When it brings a package from a host that nobody here knows, or a script that runs when it ' +
    'is installed, no rule says so. Look at it, or split it.',
}

type Sides = Pick<ChangedManifest, 'head' | 'base'>

async function runRules(
  path: string,
  sides: Sides,
  { head, base }: Pick<Change, 'head' | 'base'>,
): Promise<(readonly [Rule, ManifestHit])[]> {
  const readHead = (other: string) => readOther(head, other)
  const readBase = (isWanted: (path: string) => boolean) => readRelated(base, isWanted)
  const found: (readonly [Rule, ManifestHit])[] = []
  for (const rule of [...manifestRules, ...packageRules]) {
    for (const hit of await rule.manifest!({ path, ...sides, readHead, readBase }))
      found.push([rule, hit])
  }
  return found
}

function proposeAt(file: FileDiff, rule: Rule, { text, ...hit }: ManifestHit): ProposedFinding {
  const [number, line] = findAddedLine(file, text)
  const found = toRuleFinding(rule, { ...hit, at: { startLine: number, endLine: number } })
  return toProposedFinding(found, {
    path: file.path,
    side: 'RIGHT',
    texts: new Map([[number, line]]),
  })
}

/** The added line that holds the text; where it is written in another way, the first one. */
function findAddedLine(
  { hunks }: FileDiff,
  text: ManifestHit['text'],
): readonly [number: number, line: string] {
  const added = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'added'))
  const line = added.find((each) => each.text.includes(text)) ?? added[0]
  return [line?.newLine ?? 1, line?.text.replace(/\r$/, '') ?? '']
}

/** Null where a side can't be read; a side that isn't there is empty. */
async function readSides(file: FileDiff, head: Snapshot, base: Snapshot): Promise<Sides | null> {
  const isNew = file.status === 'added'
  try {
    const [now, before] = await Promise.all([
      head.readFile(file.path, { maxBytes }),
      isNew ? undefined : base.readFile(file.oldPath, { maxBytes }),
    ])
    return {
      head: readDependencyManifest(file.path, decode(now)),
      base: readDependencyManifest(file.oldPath, decode(before)),
    }
  } catch {
    return null
  }
}

async function readOther(head: Snapshot, path: string): Promise<DependencyManifest> {
  const bytes = await head.readFile(path, { maxBytes }).catch(() => undefined)
  return readDependencyManifest(path, decode(bytes))
}

async function readRelated(base: Snapshot, isWanted: (path: string) => boolean) {
  const entries = await base.listFiles()
  const related = entries.filter(
    ({ path, kind, size }) => kind === 'file' && size <= maxBytes && isWanted(path),
  )
  const files: { path: string; text: string }[] = []
  // Those near the root say most about the repository.
  const depth = (path: string) => path.split('/').length
  const nearest = related
    .toSorted((one, other) => depth(one.path) - depth(other.path))
    .slice(0, maxRelated)
  for (const { path } of nearest)
    files.push({ path, text: decode(await base.readFile(path, { maxBytes })) })
  return files
}

function decode(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : new TextDecoder().decode(bytes)
}
