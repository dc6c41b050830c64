// Reads files, trees and languages of a project.
// https://docs.gitlab.com/api/repository_files/ and https://docs.gitlab.com/api/repositories/
import { z } from 'zod'
import { isNotFound } from '../../domain/errors.ts'
import { encodeFilePath } from '../encode-path.ts'
import type { Connection, HostCall } from '../http/connection.ts'
import { readPages } from '../http/read-pages.ts'
import { findOr, send, sendForJson } from '../http/request.ts'
import type { Access, ListedTreeEntry } from '../platform.ts'
import { toEntryKind } from '../tree-entry-kind.ts'
import { buildProjectCall } from './project-calls.ts'

/** It takes a page for every hundred entries. */
const maxTreeEntries = 9900

/** GET /projects/{id}/repository/files/{path}/raw. The path is one segment. */
export const getFile: HostCall<'getFile'> = async (connection, access, path, ref, signal) => {
  const encoded = encodeFilePath(path)?.replaceAll('/', '%2F')
  if (encoded === undefined) return undefined
  const address = `/repository/files/${encoded}/raw?${new URLSearchParams({ ref })}`
  const answer = await findOr(undefined, () =>
    send(connection, buildProjectCall(access, address, signal)),
  )
  return answer?.body
}

const entry = z.object({
  id: z.string(),
  path: z.string(),
  type: z.string(),
  mode: z.string(),
})

/** GET /projects/{id}/repository/tree. GitLab's trees have no sizes, which are 0 here. */
export const getTree: HostCall<'getTree'> = async (connection, access, ref, signal) => {
  const query = new URLSearchParams({ ref, recursive: 'true', pagination: 'keyset' })
  const call = buildProjectCall(access, `/repository/tree?${query}`, signal)
  const entries: ListedTreeEntry[] = []
  try {
    for await (const { id, path, type, mode } of readPages(connection, call, entry)) {
      if (entries.length === maxTreeEntries) return { entries, truncated: true }
      entries.push({ path, kind: toEntryKind(type, mode), size: 0, oid: id })
    }
  } catch (error) {
    // A repository without commits has no tree either.
    if (isNotFound(error) && (await isEmpty(connection, access, signal)))
      return { entries: [], truncated: false }
    throw error
  }
  return { entries, truncated: false }
}

async function isEmpty(
  connection: Connection,
  access: Access,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const project = z.object({ empty_repo: z.boolean().catch(false) })
  const call = buildProjectCall(access, '', signal)
  return (await sendForJson(connection, call, project)).empty_repo
}

/** GitLab shows percentages with two decimals. */
const weightOfPercent = 100

/** GET /projects/{id}/languages. The values are weights, because GitLab doesn't show bytes. */
export const getLanguages: HostCall<'getLanguages'> = async (connection, access, signal) => {
  const call = buildProjectCall(access, '/languages', signal)
  const shares = await sendForJson(connection, call, z.record(z.string(), z.number()))
  return Object.fromEntries(
    Object.entries(shares).map(([name, percent]) => [name, Math.round(percent * weightOfPercent)]),
  )
}
