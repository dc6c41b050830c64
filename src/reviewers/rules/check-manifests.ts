// Runs the rules on both sides of changed manifests, lock files and registry settings.

import { type Change, listReviewedFiles } from '../../domain/change.ts'
import type { FileDiff } from '../../domain/diff.ts'
import { GitError } from '../../domain/errors.ts'
import type { ProposedFinding } from '../../domain/finding.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import {
  type DependencyManifest,
  isDependencyManifest,
  readDependencyManifest,
} from './dependency-manifest.ts'
import { manifestRules, unknownHosts } from './manifest-rules.ts'
import { packageRules } from './package-rules.ts'
import { toProposedFinding } from './propose-finding.ts'
import {
  type ChangedManifest,
  type IsDisabled,
  type ManifestHit,
  type Rule,
  toRuleFinding,
} from './rule.ts'

/** Larger files aren't read: even lock files of large repositories have only some megabytes. */
const maxBytes = 16 * 1024 * 1024

/** Limits how many manifests of the base are read to find its known hosts. */
const maxRelatedManifests = 50

/**
 * Checks all reviewed manifests and lock files with the enabled rules. An unreadable one is
 * reported too, because nothing is known about the packages that it installs.
 */
export async function checkManifests(
  change: Change,
  isDisabled: IsDisabled,
  signal: AbortSignal,
): Promise<ProposedFinding[]> {
  const { head, base } = change
  const findings: ProposedFinding[] = []
  for (const file of listReviewedFiles(change)) {
    if (file.status === 'deleted' || !isDependencyManifest(file.path)) continue
    signal.throwIfAborted()
    const sides = await readSides(file, head, base)
    const hits = sides === null ? unreadableHits : await runRules(file.path, sides, change)
    for (const [rule, hit] of hits) {
      if (isDisabled(rule.id, file.path)) continue
      findings.push(proposeAt(file, sides?.headText ?? '', rule, hit))
    }
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

const unreadableHits: readonly RuleHit[] = [[unknownHosts, unreadable]]

type RuleHit = readonly [rule: Rule, hit: ManifestHit]

interface Sides extends Pick<ChangedManifest, 'head' | 'base'> {
  readonly headText: string
}

async function runRules(
  path: string,
  { headText: _, ...sides }: Sides,
  { head, base }: Pick<Change, 'head' | 'base'>,
): Promise<RuleHit[]> {
  const manifest: ChangedManifest = {
    path,
    ...sides,
    readHead: (other) => readManifest(head, other),
    readBase: (isWanted) => readRelatedManifests(base, isWanted),
  }
  const found: RuleHit[] = []
  for (const rule of [...manifestRules, ...packageRules]) {
    const hits = await rule.manifest!(manifest)
    for (const hit of hits) found.push([rule, hit])
  }
  return found
}

function proposeAt(
  file: FileDiff,
  headText: string,
  rule: Rule,
  { text, ...hit }: ManifestHit,
): ProposedFinding {
  const [number, line] = findAddedLine(file, headText, text)
  const found = toRuleFinding(rule, { ...hit, at: { startLine: number, endLine: number } })
  return toProposedFinding(found, {
    path: file.path,
    side: 'RIGHT',
    texts: new Map([[number, line]]),
  })
}

/**
 * Finds the added line that contains the text, or else the first one after it, because only the
 * value of a key may have changed.
 */
function findAddedLine(
  { hunks }: FileDiff,
  headText: string,
  text: string,
): readonly [number: number, line: string] {
  const added = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === 'added'))
  const start = headText.indexOf(text)
  const after = start < 0 ? 0 : headText.slice(0, start).split('\n').length
  const line =
    added.find((each) => each.text.includes(text)) ??
    added.find(({ newLine }) => newLine! > after) ??
    added[0]
  return [line?.newLine ?? 1, line?.text.replace(/\r$/, '') ?? '']
}

/** Returns null where a side can't be read. A side that doesn't exist is empty. */
async function readSides(file: FileDiff, head: Snapshot, base: Snapshot): Promise<Sides | null> {
  const isNew = file.status === 'added'
  try {
    const [now, before] = await Promise.all([
      head.readFile(file.path, { maxBytes }),
      isNew ? undefined : base.readFile(file.oldPath, { maxBytes }),
    ])
    const headText = decode(now)
    return {
      headText,
      head: readDependencyManifest(file.path, headText),
      base: readDependencyManifest(file.oldPath, decode(before)),
    }
  } catch {
    return null
  }
}

async function readManifest(head: Snapshot, path: string): Promise<DependencyManifest> {
  const bytes = await head.readFile(path, { maxBytes }).catch(() => undefined)
  return readDependencyManifest(path, decode(bytes))
}

async function readRelatedManifests(base: Snapshot, isWanted: (path: string) => boolean) {
  const entries = await base.listFiles()
  const related = entries.filter(({ path, kind }) => kind === 'file' && isWanted(path))
  // Manifests near the root are the ones most likely to name the hosts of the whole repository.
  const depth = (path: string) => path.split('/').length
  const nearest = related
    .toSorted((one, other) => depth(one.path) - depth(other.path))
    .slice(0, maxRelatedManifests)
  const files: { path: string; text: string }[] = []
  for (const { path } of nearest) {
    const bytes = await base.readFile(path, { maxBytes }).catch(ignoreLargeFile)
    if (bytes !== undefined) files.push({ path, text: decode(bytes) })
  }
  return files
}

/** A file of more than `maxBytes` is left out. Other errors stop the check. */
function ignoreLargeFile(error: unknown): undefined {
  if (!(error instanceof GitError) || error.retryable) throw error
}

function decode(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : new TextDecoder().decode(bytes)
}
