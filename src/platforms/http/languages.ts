// Reads the languages of a repository, where an API has GitHub's addresses.
import { z } from 'zod'
import type { HostCall } from './connection.ts'
import { buildRepositoryCall } from './repository-calls.ts'
import { sendForJson } from './request.ts'

/** GET /repos/{owner}/{repo}/languages. */
export const getLanguages: HostCall<'getLanguages'> = async (connection, access, signal) => {
  const call = buildRepositoryCall(access, '/languages', signal)
  return sendForJson(connection, call, z.record(z.string(), z.int()))
}
