// Inspects the API and a token, for the check of an installation's setup.
import { z } from 'zod'
import { PlatformError } from '../../domain/errors.ts'
import type { ApiCall, Connection, HostCall } from '../http/connection.ts'
import { parseResponse, readClock, send, sendForJson } from '../http/request.ts'
import { gitlabOAuth } from './sign-in.ts'
import { viewerSchema } from './viewer.ts'

/** GET /user with a token, else a page of the public projects. */
export const inspect: HostCall<'inspect'> = async (connection, token, signal) => {
  if (token === null) {
    const path = '/projects?simple=true&per_page=1'
    const answer = await send(connection, { path, signal }).catch(ignoreRefusal)
    return { now: readClock(answer), viewer: null, scopes: null, missingScopes: [] }
  }
  const answer = await send(connection, { path: '/user', token, signal })
  const scopes = await readScopes(connection, token, signal)
  const isSufficient = scopes === null || scopes.includes(gitlabOAuth.scope)
  return {
    now: readClock(answer),
    viewer: parseResponse(answer, viewerSchema),
    scopes,
    missingScopes: isSufficient ? [] : [gitlabOAuth.scope],
  }
}

/** A server that shows nothing to the public is reachable. */
function ignoreRefusal(error: unknown): null {
  if (isRefusal(error)) return null
  throw error
}

/** An access token describes itself in the API, and an OAuth token at the authorization server. */
async function readScopes(
  connection: Connection,
  token: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[] | null> {
  const own = await read(
    connection,
    { path: '/personal_access_tokens/self', token, signal },
    {
      scopes: z.array(z.string()),
    },
  )
  if (own !== null) return own.scopes
  const server = { ...connection, apiUrl: connection.webUrl }
  const granted = await read(
    server,
    { path: '/oauth/token/info', token, signal },
    {
      scope: z.array(z.string()),
    },
  )
  return granted?.scope ?? null
}

/** Null where the server doesn't describe this kind of token. */
async function read<Shape extends z.ZodRawShape>(
  connection: Connection,
  call: ApiCall,
  shape: Shape,
): Promise<z.output<z.ZodObject<Shape>> | null> {
  return sendForJson(connection, call, z.object(shape)).catch(ignoreRefusal)
}

function isRefusal(error: unknown): boolean {
  const codes = [
    'platform_unauthorized',
    'platform_forbidden',
    'platform_not_found',
    'platform_refused',
  ]
  return error instanceof PlatformError && codes.includes(error.code)
}
