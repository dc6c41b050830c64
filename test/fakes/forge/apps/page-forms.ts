// What the pages about Apps share: their forms, and the person at the browser.
import { accountPermission, permits } from '../access.ts'
import type { User } from '../entities.ts'
import type { ForgeRequest, ForgeResponse } from '../http.ts'
import { type Html, renderPage, safeHtml } from '../markup.ts'
import type { ForgeState } from '../state.ts'

/** Renders one page about Apps. */
export type Page = (
  state: ForgeState,
  request: ForgeRequest,
  parameters: Readonly<Record<string, string>>,
) => ForgeResponse

export const readForm = (request: ForgeRequest) =>
  new URLSearchParams(request.body.toString('utf8'))
export const appPage = (title: string, body: Html, status = 200) =>
  renderPage(title, safeHtml`<h1>${title}</h1>${body}`, status, { forms: true })
export const hidden = (name: string, value: string) =>
  safeHtml`<input type="hidden" name="${name}" value="${value}">`

/** The person at the browser: signed in, or chosen in the form. */
export function personOf(state: ForgeState, fields: URLSearchParams): User | null {
  return state.oauth.signedIn ?? state.users.get(fields.get('login')?.toLowerCase() ?? '') ?? null
}

/** Lets people choose who they are, where nobody is signed in. */
export function loginField(state: ForgeState): Html {
  if (state.oauth.signedIn !== null) return hidden('login', state.oauth.signedIn.login)
  const people = [...state.users.values()].filter((user) => user.type === 'User')
  const options = people.map((user) => safeHtml`<option>${user.login}</option>`)
  return safeHtml`<p><label>Signed in as <select name="login">${options}</select></label></p>`
}

/** Returns whether a person manages an account: as its user, or an administrator there. */
export function manages(state: ForgeState, user: User, account: User): boolean {
  if (user === account) return true
  return (
    account.type === 'Organization' &&
    [...state.repositories.values()].some(
      (one) => one.owner === account && permits(accountPermission(user, one), 'admin'),
    )
  )
}
