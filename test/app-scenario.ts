// The steps of a person who creates the App over HTTP, on both sides.
import type { ApiResponse } from './connect-scenario.ts'
import type { Forge } from './fakes/forge/forge.ts'
import type { SignedInUser } from './sign-in.ts'
import type { TestApp } from './start-app.ts'

type Session = Pick<SignedInUser, 'cookie'>

/** Sends a request with a session's cookie. */
export async function requestWithCookie(
  app: Pick<TestApp, 'url'>,
  { cookie }: Session,
  path: string,
  init: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<ApiResponse & { readonly location: string | null }> {
  const response = await fetch(app.url + path, {
    method: init.method ?? 'GET',
    headers: { ...cookie, 'content-type': 'application/json', ...init.headers },
    redirect: 'manual',
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? null : JSON.parse(text),
    location: response.headers.get('location'),
  }
}

/**
 * Requests the form and creates the App at the forge, where a person can change its name, and later
 * make it public. Returns the path to which it redirects.
 */
export async function createAppAtForge(
  forge: Forge,
  app: Pick<TestApp, 'url'>,
  session: Session,
  options: {
    organization?: string | null
    as: string
    name?: string
    isPublic?: boolean
    /** Id of the code host, if it isn't the first one. */
    host?: string
  },
): Promise<string> {
  const { organization = null, as, host } = options
  const path = `/api/v1/app${host === undefined ? '' : `?host=${host}`}`
  const form = await requestWithCookie(app, session, path, {
    method: 'POST',
    body: { organization },
  })
  if (form.status !== 200) throw new Error(`No form: ${form.status} ${form.body?.detail}`)
  forge.signInAs(as)
  const given = JSON.parse(form.body.manifest)
  const { name = given.name, isPublic = given.public } = options
  const manifest = JSON.stringify({ ...given, name, public: isPublic })
  const { pathname, search } = await confirmApp(forge, { action: form.body.action, manifest })
  return pathname + search
}

/** Posts the form and confirms it as the signed-in account. Returns the redirect address. */
export async function confirmApp(
  forge: Forge,
  { action, manifest }: { action: string; manifest: string },
): Promise<URL> {
  const submit = (url: string, fields: Record<string, string>) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  const page = await (await submit(action, { manifest })).text()
  const { name } = JSON.parse(manifest)
  const created = await submit(`${forge.url}/settings/apps/manifest`, {
    ...readHiddenFields(page),
    name,
  })
  const location = created.headers.get('location')
  if (location === null) throw new Error(`The forge did not create the App: ${created.status}`)
  return new URL(location)
}

function readHiddenFields(html: string): Record<string, string> {
  const decode = (text: string) =>
    text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
  return Object.fromEntries(
    [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      decode(value!),
    ]),
  )
}
