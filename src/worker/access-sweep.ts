// Looks in the background, round by round, whether people may still see what they connected.
import { type AccessContext, checkDueAccess } from '../workflows/connecting/check-access.ts'
import { WorkerStopping } from '../workflows/describe-fault.ts'

export interface AccessSweep {
  /** Breaks off what is under way: it is due again soon. */
  stop(): Promise<void>
}

/** Starts one round after the other, `pauseMs` apart. What is due stands in the database: of several workers each has its own. */
export function startAccessSweep(ctx: AccessContext, pauseMs: number): AccessSweep {
  const stopping = new AbortController()
  let round = Promise.resolve()
  let timer: NodeJS.Timeout
  const begin = () => {
    round = checkDueAccess(ctx, stopping.signal)
      .catch((error) => {
        if (!stopping.signal.aborted)
          ctx.log.warn({ err: error }, 'Who may see what was not looked at; the next round is')
      })
      .finally(rest)
  }
  const rest = () => {
    if (!stopping.signal.aborted) timer = setTimeout(begin, pauseMs)
  }
  rest()
  return {
    async stop() {
      stopping.abort(new WorkerStopping())
      clearTimeout(timer)
      await round
    },
  }
}
