// A browser for sign-in tests that stores Umpire's cookies and doesn't follow redirects.

export interface Browser {
  /** Requests an absolute URL, or one relative to Umpire's. It doesn't follow redirects. */
  open(address: string, init?: RequestInit): Promise<Response>
  /** Contains Umpire's cookies by name. */
  readonly cookies: Map<string, { readonly value: string; readonly path: string }>
}

/**
 * Creates a browser that reaches Umpire under its public address, as if through a proxy.
 *
 * @param umpire the address at which it listens, and its `PUBLIC_URL`
 */
export function createBrowser(umpire: { url: string; publicUrl: string }): Browser {
  const cookies: Browser['cookies'] = new Map()
  return {
    cookies,
    async open(address, init = {}) {
      const url = new URL(address, umpire.publicUrl)
      if (url.origin !== umpire.publicUrl) return fetch(url, { ...init, redirect: 'manual' })
      const sent = [...cookies].filter(([, { path }]) => url.pathname.startsWith(path))
      const headers = new Headers(init.headers)
      if (sent.length > 0)
        headers.set('cookie', sent.map(([name, { value }]) => `${name}=${value}`).join('; '))
      const target = new URL(url.pathname + url.search, umpire.url)
      const response = await fetch(target, { ...init, headers, redirect: 'manual' })
      for (const line of response.headers.getSetCookie()) storeCookie(cookies, line)
      return response
    },
  }
}

function storeCookie(cookies: Browser['cookies'], line: string): void {
  const [pair = '', ...attributes] = line.split('; ')
  const [name = '', value = ''] = pair.split('=')
  const read = (key: string) =>
    attributes.find((attribute) => attribute.startsWith(`${key}=`))?.slice(key.length + 1)
  const expires = read('Expires')
  const isExpired =
    read('Max-Age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now())
  if (isExpired) cookies.delete(name)
  else cookies.set(name, { value, path: read('Path') ?? '/' })
}

/** Returns the target of a redirect. Throws when the response is none. */
export function locationOf(response: Response): string {
  const location = response.headers.get('location')
  if (location === null) throw new Error(`No redirect: ${response.status}`)
  return location
}

/** Starts a sign-in at the platform. Returns the callback URL, which isn't opened yet. */
export async function followToCallback(browser: Browser, login = '/auth/login'): Promise<URL> {
  const authorize = locationOf(await browser.open(login))
  return new URL(locationOf(await browser.open(authorize)))
}
