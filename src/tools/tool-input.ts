// Validates the inputs of the code tools and bounds the lines they show.
import { z } from 'zod'
import type { SyntaxParser } from '../code/syntax-parser.ts'
import type { ChangeGraph } from '../domain/change-graph.ts'
import { UmpireError } from '../domain/errors.ts'
import type { CommitSummary } from '../domain/pull-request.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Tool } from '../domain/tool.ts'

const maxLineLength = 400

/** Reads the code index of a file. */
export type Indexer = Pick<SyntaxParser, 'indexFile'>

/** The repository that the tools read. */
export interface Repository {
  readonly head: Snapshot
  readonly base: Snapshot
  /** The code graph around the change, at the head. */
  readonly graph?: ChangeGraph | null
  history(path: string, limit: number, signal: AbortSignal): Promise<readonly CommitSummary[]>
}

// Some providers send null for omitted inputs, so every optional input accepts null.
export const versionInput = z
  .enum(['head', 'base'])
  .nullish()
  .describe('Which version; the head of the change by default')
export const pathPrefixInput = z.string().nullish().describe('Only files under this folder')
export const nameInput = z.string().describe('The bare identifier')

/** Lets the compiler infer the type of a tool's input. */
export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool
}

/**
 * Converts a path to the form of the snapshot. The snapshot refuses paths out of the tree too;
 * the error here explains how to correct the call.
 */
export function cleanPath(path: string): string {
  const clean = path.replace(/^\.?\/+/, '').replace(/\/+$/, '')
  const isInvalid =
    clean === '' || clean.length > 4096 || clean.includes('\0') || clean.split('/').includes('..')
  if (isInvalid)
    throw new UmpireError(
      'bad_path',
      'The path must lead from the root of the repository to a file in it.',
    )
  return clean
}

/** Converts a folder to an option of the snapshot; the root has none. */
export function prefixOption(prefix: string | null | undefined): { prefix?: string } {
  if (prefix == null || /^\.?\/*$/.test(prefix)) return {}
  return { prefix: cleanPath(prefix) }
}

/** Throws `UmpireError` unless the text is one identifier. */
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
