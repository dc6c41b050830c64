// Shows a check on a commit: a check run by an App, a status with a person's token.
// https://docs.github.com/en/rest/checks/runs
import { z } from 'zod'
import type { Connection } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { buildRepositoryCall, encodeRef } from '../http/repository-calls.ts'
import { sendForJson } from '../http/request.ts'
import type { Access, AnnotatedFinding, Check, ReviewProgress } from '../platform.ts'
import { createOnce } from '../publishing/create-once.ts'
import { postStatus } from '../publishing/post-status.ts'

interface CheckCall {
  readonly connection: Connection
  readonly access: Access
  readonly check: Check
  readonly signal: AbortSignal | undefined
}

/** GitHub refuses longer titles, summaries and messages, and more annotations in a call. */
const maxTitleLength = 255
const maxSummaryLength = 65_535
const maxMessageLength = 16_000
const annotationsPerCall = 50

const annotation = z.object({
  path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  annotation_level: z.string().nullable(),
  title: z.string().nullable(),
})
type Annotation = z.output<typeof annotation>

const checkRun = z.object({
  id: z.int(),
  app: z.object({ slug: z.string() }).nullable().catch(null),
  output: z.object({ annotations_count: z.int() }).catch({ annotations_count: 0 }),
})
type CheckRun = z.output<typeof checkRun>

/**
 * Implements `Platform.ensureCheck`. A commit has one check run by each name: ours is updated, also
 * for another review of the same commit.
 */
export async function ensureCheck(call: CheckCall): Promise<void> {
  const { connection, access, check, signal } = call
  if (access.appSlug === undefined) return postStatus(connection, access, check, signal)
  const existing = await findRun(call)
  const run =
    existing ??
    (await createOnce(
      () => createRun(call),
      () => findRun(call),
      { signal },
    ))
  const missing = await listMissingAnnotations(call, run)
  const pages = Array.from({ length: Math.ceil(missing.length / annotationsPerCall) }, (_, page) =>
    missing.slice(page * annotationsPerCall, (page + 1) * annotationsPerCall),
  )
  // A run that was just created shows all but the annotations.
  if (pages.length === 0 && existing !== undefined) pages.push([])
  for (const page of pages) await writeRun(call, page, run)
}

/** Finds the newest check run of that name that our App created; others may use the name too. */
async function findRun({
  connection,
  access,
  check,
  signal,
}: CheckCall): Promise<CheckRun | undefined> {
  const query = new URLSearchParams({ check_name: check.name, filter: 'all', per_page: '100' })
  const path = `/commits/${encodeRef(check.sha)}/check-runs?${query}`
  const { check_runs: runs } = await sendForJson(
    connection,
    buildRepositoryCall(access, path, signal),
    z.object({ check_runs: z.array(checkRun) }),
  )
  return runs
    .filter(({ app }) => app?.slug === access.appSlug)
    .sort((a, b) => b.id - a.id)
    .at(0)
}

const createRun = (call: CheckCall) => writeRun(call, [], null)

/** Every write states the whole result, so that no order of lost and repeated writes matters. */
async function writeRun(
  { connection, access, check, signal }: CheckCall,
  annotations: readonly object[],
  run: CheckRun | null,
): Promise<CheckRun> {
  const title = cut(check.title, maxTitleLength)
  const fields = {
    name: check.name,
    details_url: check.url,
    ...toRunState(check.state),
    output: { title, summary: cutAtLine(check.summary || title), annotations },
    actions: check.buttons.map(({ request: identifier, label, description }) => ({
      identifier,
      label,
      description,
    })),
  }
  const [method, path, body] =
    run === null
      ? (['POST', '/check-runs', { ...fields, head_sha: check.sha }] as const)
      : (['PATCH', `/check-runs/${run.id}`, fields] as const)
  const { beforeWrite } = check
  const call = buildRepositoryCall(access, path, signal, { method, body, beforeWrite })
  return sendForJson(connection, call, checkRun)
}

/** An end that blocks without a judgment requires an action: to have the commit reviewed. */
function toRunState(state: ReviewProgress): object {
  if (state === 'pending') return { status: 'in_progress' }
  const { end, blocks } = state
  const blocking = end === 'incomplete' || end === 'skipped' ? 'action_required' : 'failure'
  const passing = end === 'passed' ? 'success' : 'neutral'
  return { status: 'completed', conclusion: blocks ? blocking : passing }
}

/**
 * GitHub adds the annotations of every call to those that the run has, and never removes one. So
 * those that it has are read and left out.
 */
async function listMissingAnnotations(
  { connection, access, check, signal }: CheckCall,
  run: CheckRun,
): Promise<Annotation[]> {
  const wanted = new Map(
    check.annotations
      .filter(({ side }) => side === 'RIGHT')
      .map(renderAnnotation)
      .map((one) => [keyOf(one), one]),
  )
  if (wanted.size === 0 || run.output.annotations_count === 0) return [...wanted.values()]
  const path = `/check-runs/${run.id}/annotations`
  const call = buildRepositoryCall(access, path, signal)
  for await (const shown of readPages(connection, call, annotation)) wanted.delete(keyOf(shown))
  return [...wanted.values()]
}

/** Identifies an annotation. The message is left out, because GitHub may normalize its text. */
function keyOf({ path, start_line, end_line, annotation_level, title }: Annotation): string {
  const plainTitle = title && toPlainTitle(title)
  return JSON.stringify([path, start_line, end_line, annotation_level, plainTitle])
}

const levels = { critical: 'failure', moderate: 'warning', minor: 'notice' } as const

/** GitHub shows both texts as they are, without Markdown. */
function renderAnnotation(finding: AnnotatedFinding) {
  const { path, startLine, endLine, severity, category, title, body } = finding
  const heading = `${severity[0]!.toUpperCase()}${severity.slice(1)} · ${category}: ${title}`
  return {
    path,
    start_line: startLine,
    end_line: endLine,
    annotation_level: levels[severity],
    title: cut(toPlainTitle(heading), maxTitleLength),
    message: cut(body.trim() || title, maxMessageLength),
  }
}

/** Removes what marks code in Markdown, and line breaks. */
function toPlainTitle(title: string): string {
  return title.replaceAll('`', '').replace(/\s+/g, ' ').trim()
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text.toWellFormed()
    : `${text.slice(0, maxLength - 1).trimEnd()}…`.toWellFormed()
}

const cutNote = '\n\n*The rest is left out, because it would be too long.*'

function cutAtLine(markdown: string): string {
  const text = markdown.toWellFormed()
  if (text.length <= maxSummaryLength) return text
  const kept = text.slice(0, maxSummaryLength - cutNote.length)
  const end = kept.lastIndexOf('\n')
  return (end > 0 ? kept.slice(0, end) : kept).toWellFormed() + cutNote
}
