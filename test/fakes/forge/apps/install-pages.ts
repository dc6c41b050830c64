// The pages on which people install Apps and choose repositories.

import type { Repository, User } from '../entities.ts'
import type { ForgeRequest, ForgeResponse } from '../http.ts'
import { safeHtml } from '../markup.ts'
import { issueCode, redirect } from '../oauth.ts'
import { type ForgeState, fullName } from '../state.ts'
import type { App, Installation } from './app-state.ts'
import { install, select } from './installations.ts'
import { appPage, hidden, loginField, manages, personOf, readForm } from './page-forms.ts'

const find = (state: ForgeState, slug: string | undefined): App | undefined =>
  state.apps.find((app) => app.slug === slug)
const missing = () => appPage('Not found', safeHtml`<p>There is no such App.</p>`, 404)

export function showApp(
  state: ForgeState,
  _: ForgeRequest,
  { slug }: Readonly<Record<string, string>>,
): ForgeResponse {
  const app = find(state, slug)
  if (app === undefined) return missing()
  const link = `/apps/${app.slug}/installations/new`
  return appPage(
    app.name,
    safeHtml`<p>${app.description ?? ''}</p><p><a href="${link}">Install</a></p>`,
  )
}

function accountsFor(state: ForgeState, app: App): User[] {
  const everyone = [...state.users.values()].filter((user) => user.type !== 'Bot')
  const person = state.oauth.signedIn
  return everyone.filter(
    (account) =>
      (app.isPublic || account === app.owner) &&
      (person === null || manages(state, person, account)),
  )
}

export function chooseRepositories(
  state: ForgeState,
  request: ForgeRequest,
  { slug }: Readonly<Record<string, string>>,
): ForgeResponse {
  const app = find(state, slug)
  if (app === undefined) return missing()
  const accounts = accountsFor(state, app).map(
    (account) => safeHtml`<option>${account.login}</option>`,
  )
  const repositories = [...state.repositories.values()]
    .filter((repository) => accountsFor(state, app).includes(repository.owner))
    .map(
      (repository) =>
        safeHtml`<li><label><input type="checkbox" name="repository" value="${fullName(repository)}"> ${fullName(repository)}</label></li>`,
    )
  return appPage(
    `Install ${app.name}`,
    safeHtml`<form method="post" action="/apps/${app.slug}/installations">
      ${hidden('state', request.query.get('state') ?? '')}${loginField(state)}
      <p><label>Account <select name="account">${accounts}</select></label></p>
      <p><label><input type="radio" name="selection" value="all" checked> All repositories</label>
      <label><input type="radio" name="selection" value="selected"> Only select repositories</label></p>
      <ul>${repositories}</ul><button>Install</button></form>`,
  )
}

export function saveInstallation(
  state: ForgeState,
  request: ForgeRequest,
  { slug }: Readonly<Record<string, string>>,
): ForgeResponse {
  const app = find(state, slug)
  const fields = readForm(request)
  const account = state.users.get(fields.get('account')?.toLowerCase() ?? '')
  const person = personOf(state, fields)
  if (app === undefined || account === undefined || person === null) return missing()
  if (!manages(state, person, account) || (!app.isPublic && account !== app.owner)) return missing()
  const chosen = fields
    .getAll('repository')
    .map((name) => state.repositories.get(name.toLowerCase()))
    .filter((one): one is Repository => one?.owner === account)
  const selection = fields.get('selection') === 'selected' ? chosen : 'all'
  const known = app.installations.find((one) => one.account === account)
  if (known === undefined) {
    const made = install(state, app, account, selection, person)
    return goBack(state, made, person, 'install', fields.get('state'))
  }
  select(state, known, selection, person)
  return goBack(state, known, person, 'update', fields.get('state'))
}

/** Returns to the App's setup address, or signs the person in where the App asks for that. */
function goBack(
  state: ForgeState,
  installation: Installation,
  person: User,
  action: 'install' | 'update',
  given: string | null,
): ForgeResponse {
  const { app } = installation
  const signIn = app.signInOnInstall && action === 'install' ? app.callbackUrls[0] : undefined
  const setup = action === 'install' || app.setupOnUpdate ? app.setupUrl : null
  const address = signIn ?? setup
  if (address === null)
    return appPage(app.name, safeHtml`<p>Installed on ${installation.account.login}.</p>`)
  const target = new URL(address)
  if (signIn !== undefined) {
    const query = new URLSearchParams({ redirect_uri: signIn })
    const code = issueCode(state, person, state.oauth.apps.get(app.clientId)!, query)
    target.searchParams.set('code', code)
  }
  target.searchParams.set('installation_id', String(installation.id))
  target.searchParams.set('setup_action', action)
  if (given) target.searchParams.set('state', given)
  return redirect(target.href)
}
