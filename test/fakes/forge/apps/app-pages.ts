// The pages on which people register Apps from a manifest.
import { type ForgeRequest, type ForgeResponse, matchPath } from '../http.ts'
import { safeHtml } from '../markup.ts'
import { redirect } from '../oauth.ts'
import type { ForgeState } from '../state.ts'
import { chooseRepositories, saveInstallation, showApp } from './install-pages.ts'
import {
  appPage,
  hidden,
  loginField,
  manages,
  type Page,
  personOf,
  readForm,
} from './page-forms.ts'
import { type AppManifest, issueConversion, manifestProblems, registerApp } from './register-app.ts'

const pages: readonly (readonly [method: string, pattern: string, page: Page])[] = [
  ['POST', '/settings/apps/new', showManifest],
  ['POST', '/organizations/:org/settings/apps/new', showManifest],
  ['POST', '/settings/apps/manifest', createFromManifest],
  ['GET', '/apps/:slug', showApp],
  ['GET', '/apps/:slug/installations/new', chooseRepositories],
  ['POST', '/apps/:slug/installations', saveInstallation],
]

/** Answers a page about Apps; null for any other path. */
export async function serveAppPage(
  state: ForgeState,
  request: ForgeRequest,
): Promise<ForgeResponse | null> {
  for (const [method, pattern, page] of pages) {
    const parameters = method === request.method ? matchPath(pattern, request.path) : null
    if (parameters !== null) return page(state, request, parameters)
  }
  return null
}

function readManifest(text: string | null): AppManifest | null {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? (value as AppManifest) : null
  } catch {
    return null
  }
}

function showProblems(problems: readonly string[]): ForgeResponse {
  const items = problems.map((problem) => safeHtml`<li>${problem}</li>`)
  return appPage('Invalid GitHub App configuration', safeHtml`<ul>${items}</ul>`, 422)
}

function showManifest(
  state: ForgeState,
  request: ForgeRequest,
  { org = '' }: Readonly<Record<string, string>>,
): ForgeResponse {
  const text = readForm(request).get('manifest')
  const manifest = readManifest(text)
  if (manifest === null) return showProblems(['Manifest is missing or invalid JSON'])
  // People name the App on this page where the manifest doesn't.
  const problems = manifestProblems(state, { ...manifest, name: manifest.name ?? 'unnamed' })
  if (manifest.redirect_url === undefined) problems.push('Redirect url is missing')
  if (problems.length > 0) return showProblems(problems)
  const permissions = Object.entries(manifest.default_permissions ?? {}).map(
    ([name, level]) => safeHtml`<li>${name}: ${level}</li>`,
  )
  return appPage(
    'Create GitHub App',
    safeHtml`<form method="post" action="/settings/apps/manifest">
      ${hidden('manifest', text!)}${hidden('state', request.query.get('state') ?? '')}${hidden('org', org)}
      ${loginField(state)}
      <p><label>GitHub App name <input name="name" value="${manifest.name ?? ''}"></label></p>
      <ul>${permissions}</ul><p>Events: ${(manifest.default_events ?? []).join(', ')}</p>
      <button>Create GitHub App${org === '' ? '' : ` for ${org}`}</button></form>`,
  )
}

function createFromManifest(state: ForgeState, request: ForgeRequest): ForgeResponse {
  const fields = readForm(request)
  const person = personOf(state, fields)
  const manifest = { ...readManifest(fields.get('manifest')), name: fields.get('name') ?? '' }
  const org = fields.get('org') ?? ''
  const owner = org === '' ? person : (state.users.get(org.toLowerCase()) ?? null)
  if (person === null || owner === null || !manages(state, person, owner))
    return appPage('Not found', safeHtml`<p>You can't create an App there.</p>`, 404)
  const problems = manifestProblems(state, manifest)
  if (problems.length > 0) return showProblems(problems)
  const target = new URL(manifest.redirect_url!)
  target.searchParams.set('code', issueConversion(state, registerApp(state, owner, manifest)))
  if (fields.get('state')) target.searchParams.set('state', fields.get('state')!)
  return redirect(target.href)
}
