// Parses installations and repositories as the REST API and deliveries to the App describe them.
import { z } from 'zod'
import { splitRepositoryName } from '../../contract/repository-name.ts'
import type { AppInstallation, AppRepository } from '../platform-app.ts'

const account = z
  .object({ id: z.int(), login: z.string(), type: z.string().catch('') })
  .transform(({ id, login, type }) => ({
    id: String(id),
    login,
    type: type === 'Organization' ? ('organization' as const) : ('user' as const),
  }))

export const installationSchema = z
  .object({
    id: z.int(),
    account,
    suspended_at: z.unknown().optional(),
    html_url: z.string().catch(''),
  })
  .transform(
    (fields): AppInstallation => ({
      id: String(fields.id),
      account: fields.account,
      isSuspended: fields.suspended_at != null,
      htmlUrl: fields.html_url,
    }),
  )

export const appRepositorySchema = z
  .object({
    id: z.int(),
    full_name: z.string().refine((name) => splitRepositoryName(name) !== undefined),
  })
  .transform(({ id, full_name: repo }): AppRepository => ({ id: String(id), repo }))
