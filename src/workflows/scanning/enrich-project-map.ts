// Lets a model describe the most important directories of the project map. If it fails, the
// computed descriptions stay.

import { z } from 'zod'
import { recordSpend } from '../../analytics/model-spend.ts'
import { transactionWithRetry } from '../../db/transaction.ts'
import { ModelError } from '../../domain/errors.ts'
import type { Memory, NewMemory } from '../../domain/memory.ts'
import { readMemoriesOfType } from '../../knowledge/memory/read-memories.ts'
import { saveMemories } from '../../knowledge/memory/save-memories.ts'
import { withoutFileCounts } from '../../knowledge/project/format-text.ts'
import { isReadable, toPlainText, truncateText } from '../../knowledge/project/plain-text.ts'
import type { ProjectFile } from '../../knowledge/project/project.ts'
import { directoryOf } from '../../lib/tree-paths.ts'
import { type Budget, generateObject, type Model } from '../../models/index.ts'
import { mapInstructions, mapMessage } from '../../reviewers/prompts/map-prompt.ts'
import { createPromptFence } from '../../reviewers/prompts/prompt-fence.ts'
import { assertHeld } from '../../work/work-items.ts'
import { openBackgroundBudget } from '../open-budget.ts'
import type { Scan } from './scan-context.ts'

/** These limits apply to one scan and to one model call. */
const maxEntries = 60
const maxEntriesPerCall = 20

const maxDescriptionLength = 400

const limits = { steps: 1, outputTokens: 6_000, totalTokens: 40_000, timeMs: 60_000 }

/** Directories of these types need no description. */
const plainTypes = new Set(['asset', 'vendored', 'translation', 'document', 'config'])

const answerShape = z.object({
  descriptions: z.array(z.object({ index: z.number(), text: z.string() })),
})

/**
 * Describes only directories without a current description.
 *
 * @param files the files of the described commit
 */
export async function enrichProjectMap(scan: Scan, files: readonly ProjectFile[]): Promise<void> {
  const { ctx, scan: claim, signal, progress } = scan
  const model = ctx.models.fast
  if (model === null) return
  const entries = chooseEntries(
    await readMemoriesOfType(ctx.db, claim.repo, ['project_map']),
    files,
  )
  if (entries.length === 0) return
  progress.report('describing directories', 0, entries.length)
  const budget = openBackgroundBudget(ctx, claim.repo)
  const memories: NewMemory[] = []
  try {
    for (let start = 0; start < entries.length; start += maxEntriesPerCall) {
      const part = entries.slice(start, start + maxEntriesPerCall)
      memories.push(...(await describeEntries(model, budget, part, signal)))
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    ctx.log.info(
      { repo: claim.repo, code: error.code },
      'The directories of the map were not described, or not all of them',
    )
  }
  await transactionWithRetry(ctx.db, async (tx) => {
    await recordSpend(tx, claim, budget)
    await assertHeld(tx, claim)
    await saveMemories(tx, claim.repo, memories)
  })
}

/**
 * Chooses the directories with most source files that have only a computed description. An entry
 * without a basis isn't a directory.
 */
function chooseEntries(map: readonly Memory[], files: readonly ProjectFile[]): Memory[] {
  const weights = new Map<string, number>()
  for (const { path, kind } of files) {
    if (kind !== 'source') continue
    for (let directory = directoryOf(path); ; directory = directoryOf(directory)) {
      weights.set(directory, (weights.get(directory) ?? 0) + 1)
      if (directory === '.') break
    }
  }
  const weightOf = ({ path }: Memory) => weights.get(path ?? '') ?? 0
  return map
    .filter(
      (entry) =>
        entry.trust === 'derived' &&
        entry.provenance.basis &&
        weightOf(entry) > 0 &&
        !plainTypes.has(entry.componentType ?? ''),
    )
    .sort((one, other) => weightOf(other) - weightOf(one))
    .slice(0, maxEntries)
}

async function describeEntries(
  model: Model,
  budget: Budget,
  entries: readonly Memory[],
  signal: AbortSignal,
): Promise<NewMemory[]> {
  const listed = entries.map(({ path, text }) => ({
    path: path ?? '.',
    text: withoutFileCounts(text),
  }))
  const request = {
    system: mapInstructions(),
    prompt: mapMessage(listed, createPromptFence()),
    output: answerShape,
    limits,
    budget,
  }
  const { value, answer } = await generateObject(model, request, signal)
  return value.descriptions.flatMap(({ index, text }) => {
    const entry = entries[index]
    const description = truncateText(toPlainText(text.slice(0, 2_000)), maxDescriptionLength)
    return entry && isReadable(description)
      ? [addDescription(entry, description, answer.answeredBy[0] ?? model.name)]
      : []
  })
}

/**
 * Puts the model's text before the computed one, without its numbers, which change with every
 * commit.
 */
function addDescription(entry: Memory, description: string, model: string): NewMemory {
  const { type, subject, text, path, componentType, provenance } = entry
  return {
    type,
    subject,
    path,
    componentType,
    text: `${description} ${withoutFileCounts(text)}`.trim(),
    trust: 'model',
    provenance: { ...provenance, model },
  }
}
