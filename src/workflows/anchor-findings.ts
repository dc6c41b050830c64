// Anchors a proposal to its place in the diff, and keeps only what it rests on for certain.
import type { FileDiff } from '../domain/diff.ts'
import type { Evidence, Finding, ProposedFinding } from '../domain/finding.ts'
import type { Change } from '../reviewers/reviewer.ts'
import { redactSecrets } from '../reviewers/rules/secret-rules.ts'
import type { Snapshot } from '../workspace/snapshot.ts'
import { checkSuggestion } from './check-suggestion.ts'
import { findInDiff, linesOf, type Place, placeOf } from './find-place.ts'

/** A proposal that has its place, and no identity yet. `anchorText` is the code there, normalised. */
export type Anchored = Omit<Finding, 'fingerprint' | 'state' | 'reopened'> & { readonly anchorText: string }

/** Finds the proposal's place in the diff; a string says why it is dropped. */
export async function anchorProposal(change: Change, proposal: ProposedFinding): Promise<Anchored | string> {
  const file = change.files.find((candidate) => candidate.path === proposal.path)
  if (!file) return 'about a file that is not part of the change'
  const quoted = findInDiff(file, proposal)
  const place = quoted ?? findLines(file, proposal)
  if (!place) return 'about code that is not in the diff'
  const { startLine, endLine } = place
  const evidence = await keepExistingEvidence(change, proposal.evidence)
  const isSamePlace = startLine === proposal.startLine && endLine === proposal.endLine
  const isCertain = isSamePlace && (proposal.rule !== null || quoted !== undefined)
  return {
    ...proposal,
    startLine,
    endLine,
    // By its quote a finding is found again after the next push; what rules leave out is a secret.
    quote: quoted || proposal.rule !== null ? proposal.quote : quoteWithoutSecret(place),
    suggestion: isCertain ? await checkSuggestion(await readLines(change.head, proposal.path), proposal) : null,
    evidence: evidence.length > 0 ? evidence : [{ path: file.path, line: startLine, note: '' }],
    placement: 'inline',
    // Rules are certain of what they see; a model's claim counts as checked when the code it quotes stands there.
    verified: proposal.rule !== null || quoted !== undefined,
    anchorText: place.text,
  }
}

/** The named lines themselves, cut to one hunk. */
function findLines(file: FileDiff, proposal: ProposedFinding): Place | undefined {
  for (const hunk of file.hunks) {
    const inside = linesOf(hunk, proposal.side).filter(
      (line) => line.number >= proposal.startLine && line.number <= proposal.endLine,
    )
    if (inside[0]?.number === proposal.startLine) return placeOf(inside)
  }
  return undefined
}

function quoteWithoutSecret({ text }: Place): string {
  const quote = text.split('\n').slice(0, 20).join('\n').slice(0, 4000)
  return redactSecrets(quote) === quote ? quote : ''
}

async function keepExistingEvidence(change: Change, evidence: readonly Evidence[]): Promise<Evidence[]> {
  const kept: Evidence[] = []
  for (const item of evidence.slice(0, 5)) {
    const lines = await readLines(change.head, item.path)
    if (lines && Number.isInteger(item.line) && item.line >= 1 && item.line <= lines.length) kept.push(item)
  }
  return kept
}

/** The lines of a file; undefined where there is none, `null` where it can't be read (too large, say). */
export async function readLines(snapshot: Snapshot, path: string): Promise<string[] | undefined | null> {
  try {
    const bytes = await snapshot.readFile(path)
    return bytes && Buffer.from(bytes).toString('utf8').split(/\r?\n/)
  } catch {
    return null
  }
}
