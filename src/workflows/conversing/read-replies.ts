// Reads the earlier replies in the thread of a finding, by those who may take part.
import type { AppContext } from '../../context.ts'
import { PlatformError } from '../../domain/errors.ts'
import { permitsWriting } from '../../platforms/permits-writing.ts'
import type { Access, Thread } from '../../platforms/platform.ts'
import type { Speaker, ThreadReply } from '../../reviewers/reviewer.ts'

/** The newest are read. */
const maxReplies = 12
const maxAuthors = 6

type ReplyContext = Pick<AppContext, 'platform' | 'log'>
type Comment = Thread['comments'][number]

/**
 * Returns the replies before a comment, the oldest first. Replies by bots and by people who may
 * neither write nor opened the pull request are left out. So are those of people whose permission
 * can't be read.
 *
 * @param author login of the author of the pull request
 */
export async function readReplies(
  ctx: ReplyContext,
  access: Access,
  thread: Thread,
  { author, before }: { author: string; before: string },
  signal: AbortSignal,
): Promise<ThreadReply[]> {
  const end = thread.comments.findIndex(({ id }) => id === before)
  const earlier = thread.comments
    .slice(1, end === -1 ? undefined : end)
    .filter(({ bot, own }) => own || !bot)
    .slice(-maxReplies)
  const others = earlier.filter(({ own }) => !own).map((comment) => comment.author)
  const speakers = await findSpeakers(ctx, access, { logins: new Set(others), author }, signal)
  const find = (comment: Comment) => (comment.own ? 'self' : speakers.get(comment.author))
  return earlier.flatMap((comment) => {
    const by = find(comment)
    return by === undefined ? [] : [{ by, text: removeHidden(comment.body) }]
  })
}

async function findSpeakers(
  ctx: ReplyContext,
  access: Access,
  { logins, author }: { logins: ReadonlySet<string>; author: string },
  signal: AbortSignal,
): Promise<Map<string, Speaker>> {
  const speakers = new Map<string, Speaker>()
  for (const login of [...logins].slice(-maxAuthors)) {
    if (login === author) speakers.set(login, 'author')
    else if (await mayWrite(ctx, access, login, signal)) speakers.set(login, 'writer')
  }
  return speakers
}

async function mayWrite(
  { platform, log }: ReplyContext,
  access: Access,
  login: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return permitsWriting(await platform.getPermission(access, login, signal))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof PlatformError)) throw error
    log.warn({ err: error }, 'The permission of the author of a reply could not be read')
    return false
  }
}

/** Removes HTML comments: people don't see them, so the model mustn't either. */
export function removeHidden(body: string): string {
  return body.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim()
}
