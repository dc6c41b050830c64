// What the code tools take and how they show it: versions, paths, lines, names; all of it bounded.
import { z } from 'zod'
import type { ChangeGraph } from '../domain/change-graph.ts'
import { UmpireError } from '../domain/errors.ts'
import type { CommitSummary } from '../domain/pull-request.ts'
import type { Snapshot } from '../git/snapshot.ts'
import type { Tool } from './tool.ts'

const maxLineLength = 400

/** What the tools look at; a change has it. */
export interface Repository {
  readonly head: Snapshot
  readonly base: Snapshot
  /** What is known around the change, at the head. */
  readonly graph?: ChangeGraph | null
  history(path: string, limit: number, signal: AbortSignal): Promise<readonly CommitSummary[]>
}

// Some providers send null for what is left out, so every optional input takes it.
export const versionInput = z
  .enum(['head', 'base'])
  .nullish()
  .describe('Which version; the head of the change by default')
export const pathPrefixInput = z.string().nullish().describe('Only files under this folder')
export const nameInput = z.string().describe('The bare identifier')

/** Gives a tool the type of its input. */
export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool
}

/** A path as the snapshot takes it. Leaving the tree is refused here too, to say so kindly. */
export function cleanPath(path: string): string {
  const clean = path.replace(/^\.?\/+/, '').replace(/\/+$/, '')
  if (
    clean === '' ||
    clean.length > 4096 ||
    clean.includes('\0') ||
    clean.split('/').includes('..')
  )
    throw new UmpireError(
      'bad_path',
      'The path must lead from the root of the repository to a file in it.',
    )
  return clean
}

/** A folder as the snapshot takes it; none for the root. */
export function prefixOption(prefix: string | null | undefined): { prefix?: string } {
  if (prefix == null || /^\.?\/*$/.test(prefix)) return {}
  return { prefix: cleanPath(prefix) }
}

/** Refuses what is no identifier. */
export function requireName(text: string): string {
  if (!/^[\p{L}_$][\p{L}\p{N}_$]{0,99}$/u.test(text))
    throw new UmpireError(
      'bad_name',
      'The name must be one identifier, without dots, brackets or spaces.',
    )
  return text
}

export function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '' && lines.length > 1) lines.pop()
  return lines
}

export function truncateLine(line: string): string {
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength)} [cut]`
}
