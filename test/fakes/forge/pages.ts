// Web pages: the list of repositories, and a pull request with its diff and all comments.
import { compareCommits, type PatchLine, readHunks } from './comparison.ts'
import type { InlineComment, PullRequest, Repository } from './entities.ts'
import { accepts, type ForgeRequest, type ForgeResponse, header, notFound } from './http.ts'
import { type Html, renderMarkdown, renderPage, safeHtml } from './markup.ts'
import { commentsOfThread, threadsOf } from './reviews.ts'
import { repositoryWebUrl } from './shape-accounts.ts'
import { pullWebUrl } from './shapes.ts'
import { type ForgeState, fullName } from './state.ts'

/** Answers requests outside the API, without a check of access: private repositories too. */
export async function servePage(state: ForgeState, request: ForgeRequest): Promise<ForgeResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw notFound()
  if (request.path === '/') return renderPage('Forge', listAll(state))
  const path = readPath(state, request.path)
  const repository = state.repositories.get(path.name.toLowerCase())
  if (repository === undefined) return renderNotFound(request)
  if (path.number === undefined) return renderPage(fullName(repository), listOne(state, repository))
  const diff = path.number.endsWith('.diff')
  const pull = repository.pulls.get(Number(path.number.replace(/\.diff$/, '')))
  if (pull === undefined) return renderPage('Not found', safeHtml`<h1>Not found</h1>`, 404)
  if (diff) {
    const comparison = await compareCommits(repository, pull.baseSha, pull.headSha)
    return {
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: comparison.diff,
    }
  }
  return renderPage(`${pull.title} · #${pull.number}`, await showPull(state, pull))
}

/** The repository of an address, of any depth, and the number of the pull request in it. */
function readPath(state: ForgeState, path: string): { name: string; number?: string } {
  const [name = '', number] = decodePath(path).slice(1).split(`/${state.dialect.pullPath}/`)
  return number === undefined ? { name } : { name, number }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function renderNotFound(request: ForgeRequest): ForgeResponse {
  if (accepts(request, 'json') || !header(request, 'accept').includes('html')) throw notFound()
  const content = safeHtml`<h1>Not found</h1><p><a href="/">All repositories</a></p>`
  return renderPage('Not found', content, 404)
}

function listAll(state: ForgeState): Html {
  const repositories = [...state.repositories.values()].map((repository) =>
    listOne(state, repository),
  )
  return safeHtml`<h1>Forge</h1>${repositories.length === 0 ? safeHtml`<p>No repositories yet.</p>` : repositories}`
}

function listOne(state: ForgeState, repository: Repository): Html {
  const items = [...repository.pulls.values()].reverse().map(
    (
      pull,
    ) => safeHtml`<li>${renderBadge(pull)} <a href="${pullWebUrl(state, pull)}">${pull.title}</a>
      <span class="muted">#${pull.number} by ${pull.author.login}</span></li>`,
  )
  const link = repositoryWebUrl(state, repository)
  return safeHtml`<h2><a href="${link}">${fullName(repository)}</a></h2><p><code>git clone ${link}.git</code></p>
    ${items.length === 0 ? safeHtml`<p class="muted">No pull requests.</p>` : safeHtml`<ul>${items}</ul>`}`
}

function renderBadge(pull: PullRequest): Html {
  const state =
    pull.mergedAt !== null ? 'merged' : pull.state === 'open' && pull.draft ? 'draft' : pull.state
  return safeHtml`<span class="state ${state}">${state}</span>`
}

async function showPull(state: ForgeState, pull: PullRequest): Promise<Html> {
  const { repository } = pull
  const newest = new Map(
    repository.statuses
      .filter((status) => status.sha === pull.headSha)
      .map((one) => [one.context, one]),
  )
  const statuses = [...newest.values()].map(
    (status) =>
      safeHtml`<li><strong>${status.context}</strong>: ${status.state} · ${status.description ?? ''}</li>`,
  )
  const checks = repository.checkRuns
    .filter((run) => run.headSha === pull.headSha)
    .map(
      (run) =>
        safeHtml`<li><strong>${run.name}</strong>: ${run.conclusion ?? run.status} · ${run.title ?? ''} (${run.annotations.length} annotations)</li>`,
    )
  const comments = pull.comments.map((comment) =>
    renderBox(
      safeHtml`<strong>${comment.author.login}</strong> ${comment.edits > 0 ? safeHtml`<span class="muted">edited</span>` : ''}`,
      comment.body,
    ),
  )
  const reviews = pull.reviews
    .filter((review) => review.body !== '' || review.state !== 'COMMENTED')
    .map((review) =>
      renderBox(safeHtml`<strong>${review.author.login}</strong> ${review.state}`, review.body),
    )
  return safeHtml`<p><a href="${repositoryWebUrl(state, repository)}">${fullName(repository)}</a></p>
    <h1>${pull.title} <small>#${pull.number}</small></h1>
    <p>${renderBadge(pull)} <strong>${pull.author.login}</strong> wants to merge <code>${pull.headOwner.login}:${pull.headRef}</code>
      into <code>${pull.baseRef}</code> · ${pull.commits} ${pull.commits === 1 ? 'commit' : 'commits'} · +${pull.additions} −${pull.deletions}
      · <code>${pull.headSha.slice(0, 7)}</code></p>
    ${statuses.length + checks.length === 0 ? '' : safeHtml`<ul>${statuses}${checks}</ul>`}
    ${renderBox(safeHtml`<strong>${pull.author.login}</strong>`, pull.body ?? '')}${comments}${reviews}
    <h2>Changes</h2>${await showDiff(pull)}`
}

function renderBox(head: Html, body: string): Html {
  return safeHtml`<section class="box"><header>${head}</header><div>${renderMarkdown(body)}</div></section>`
}

async function showDiff(pull: PullRequest): Promise<readonly Html[]> {
  const comparison = await compareCommits(pull.repository, pull.baseSha, pull.headSha)
  const threads = threadsOf(pull)
  const gone = threads.filter((thread) => thread.current === null)
  const outdated = gone.map((thread) =>
    renderBox(safeHtml`Outdated · ${thread.original.path}`, threadText(pull, thread)),
  )
  const files = comparison.files.map((file) => {
    const here = threads.filter(
      (thread) => thread.original.path === file.path && thread.current !== null,
    )
    const rows = readHunks(file.patch ?? '').flatMap((hunk) => [
      safeHtml`<tr class="hunk"><td class="n"></td><td class="n"></td><td>${hunk.header}</td></tr>`,
      ...hunk.lines.flatMap((line) => [
        diffRow(line),
        ...threadsAt(here, line).map((thread) => threadRow(pull, thread)),
      ]),
    ])
    const name = file.path === file.oldPath ? file.path : `${file.oldPath} → ${file.path}`
    const body =
      rows.length === 0
        ? safeHtml`<p class="muted">No text to show.</p>`
        : safeHtml`<table class="diff">${rows}</table>`
    return safeHtml`<section class="box"><header><strong>${name}</strong> <span class="muted">${file.status}</span></header>${body}</section>`
  })
  return [...files, ...outdated]
}

function diffRow(line: PatchLine): Html {
  const kind = line.kind === '+' ? 'add' : line.kind === '-' ? 'del' : ''
  return safeHtml`<tr class="${kind}"><td class="n">${line.oldLine ?? ''}</td><td class="n">${line.newLine ?? ''}</td><td>${line.kind}${line.text}</td></tr>`
}

function threadsAt(threads: readonly InlineComment[], line: PatchLine): InlineComment[] {
  return threads.filter(
    ({ original, current }) =>
      current?.line === (original.side === 'LEFT' ? line.oldLine : line.newLine),
  )
}

function threadRow(pull: PullRequest, opening: InlineComment): Html {
  const comments = commentsOfThread(pull, opening).map((comment) =>
    renderBox(safeHtml`<strong>${comment.author.login}</strong>`, comment.body),
  )
  const resolved =
    opening.resolvedBy === null ? '' : safeHtml`<p>Resolved by ${opening.resolvedBy.login}</p>`
  const kind = opening.resolvedBy === null ? '' : 'resolved'
  return safeHtml`<tr><td colspan="3" class="thread ${kind}">${comments}${resolved}</td></tr>`
}

function threadText(pull: PullRequest, opening: InlineComment): string {
  const all = commentsOfThread(pull, opening).map(
    (comment) => `**${comment.author.login}**\n${comment.body}`,
  )
  return all.join('\n\n')
}
