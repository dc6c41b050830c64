// Runs the parts of a periodic task, so that the failure of one stops no other part.
import type { AppContext, ServiceContext } from '../context.ts'
import { UmpireError } from '../domain/errors.ts'
import type { RepositoryName } from '../domain/pull-request.ts'
import { type ChosenAccess, chooseAccess } from './choose-access.ts'

/** Does what is due in each repository, with access to it, as independent parts. */
export async function tryEach<Due extends { readonly repo: RepositoryName }>(
  hosts: ServiceContext['hosts'],
  due: readonly Due[],
  signal: AbortSignal,
  work: (ctx: AppContext, access: ChosenAccess, one: Due, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  for (const [repo, inside] of Map.groupBy(due, (one) => one.repo)) {
    const ctx = hosts.of(repo)
    await tryPart(ctx, repo, signal, async () => {
      const access = await chooseAccess(ctx, repo, signal)
      for (const one of inside)
        await tryPart(ctx, repo, signal, () => work(ctx, access, one, signal))
    })
  }
}

/**
 * Runs `work` for a repository. Expected errors are only logged, because a later round repeats it.
 *
 * @throws unexpected errors, and the reason of the signal when it is aborted
 */
async function tryPart(
  { log }: Pick<AppContext, 'log'>,
  repo: RepositoryName,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  signal.throwIfAborted()
  try {
    await work()
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof UmpireError)) throw error
    log.debug({ err: error, repo }, 'A check failed; a later round repeats it')
  }
}
