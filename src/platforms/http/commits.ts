// Reads what an API with GitHub's addresses says about a commit.
import { z } from 'zod'
import type { CommitSummary } from '../../domain/pull-request.ts'

const maxMessageLength = 10_000
/** How many commits are listed at most. */
export const maxCommits = 100

const signature = z.object({ name: z.string().catch(''), date: z.string().catch('') }).nullish()

export const commit = z
  .object({
    sha: z.string(),
    author: z.object({ login: z.string() }).nullish().catch(null),
    commit: z.object({ message: z.string(), author: signature, committer: signature }),
  })
  .transform(
    ({ sha, author, commit }): CommitSummary => ({
      sha,
      author: author?.login ?? commit.author?.name ?? '',
      // Gitea keeps the last line end, unlike others.
      message: commit.message.replace(/\n+$/, '').slice(0, maxMessageLength),
      committedAt: commit.committer?.date ?? '',
    }),
  )
