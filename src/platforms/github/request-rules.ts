// Describes how GitHub wants its requests, and what its answers mean.
import type { RequestRules } from '../http/connection.ts'
import { classifyWrite } from './classify-write.ts'
import { readRateLimit } from './read-rate-limit.ts'
import { toPlatformError } from './response-error.ts'

export const githubRules: RequestRules = {
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  authorize: (token) => ({ authorization: `Bearer ${token}` }),
  pageSizeParameter: 'per_page',
  classifyWrite,
  readRateLimit,
  toError: toPlatformError,
}
