// What tests do with comments, threads, labels and requests on the forge, as methods of Forge.
import type { Forge } from './interface.ts'
import { addComment, editComment, removeComment } from './rest-comments.ts'
import { addLabel, removeLabel } from './rest-labels.ts'
import { requestReview } from './review-requests.ts'
import {
  dismissReview,
  editInlineComment,
  postReview,
  removeInlineComment,
  replyToInlineComment,
  setResolved,
  threadsOf,
} from './reviews.ts'
import {
  announceChange,
  type ForgeState,
  nextId,
  now,
  pullNumbered,
  repositoryNamed,
  userNamed,
} from './state.ts'

export function commentActions(
  state: ForgeState,
): Pick<
  Forge,
  | 'comment'
  | 'editComment'
  | 'deleteComment'
  | 'react'
  | 'replyToComment'
  | 'postReview'
  | 'dismissReview'
  | 'resolveThread'
  | 'addLabel'
  | 'removeLabel'
  | 'requestReview'
> {
  const find = (repo: string, number: number) => pullNumbered(state, repo, number)
  const actor = (repo: string, number: number, by: string | undefined) =>
    by === undefined ? find(repo, number).author : userNamed(state, by)
  const findComment = (repo: string, number: number, id: number) => {
    const comment = find(repo, number).inlineComments.find((candidate) => candidate.id === id)
    if (comment === undefined) throw new Error(`${repo}#${number} has no inline comment ${id}.`)
    return comment
  }
  return {
    addLabel: (repo, number, name, by) =>
      addLabel(state, find(repo, number), name, actor(repo, number, by)),
    removeLabel: (repo, number, name, by) =>
      removeLabel(state, find(repo, number), name, actor(repo, number, by)),
    requestReview: (repo, number, login, by) =>
      requestReview(state, find(repo, number), userNamed(state, login), actor(repo, number, by)),
    editComment: (repo, number, id, { author, body }) => {
      const pull = find(repo, number)
      const comment = pull.comments.find((candidate) => candidate.id === id)
      const by = userNamed(state, author)
      if (comment !== undefined) editComment(state, pull, comment, body, by)
      else editInlineComment(state, pull, findComment(repo, number, id), body, by)
    },
    deleteComment: (repo, number, id, by) => {
      const pull = find(repo, number)
      const comment = pull.comments.find((candidate) => candidate.id === id)
      const user = userNamed(state, by)
      if (comment !== undefined) removeComment(state, pull, comment, user)
      else removeInlineComment(state, pull, findComment(repo, number, id), user)
    },
    react: (repo, number, id, { author, content }) => {
      const pull = find(repo, number)
      const plain = pull.comments.find((candidate) => candidate.id === id)
      const { reactions } = plain ?? findComment(repo, number, id)
      const user = userNamed(state, author)
      reactions.push({ id: nextId(state), author: user, content, createdAt: now(state) })
      announceChange(state)
    },
    comment: (repo, number, author, body) => {
      const issue = repositoryNamed(state, repo).issues.get(number)
      if (issue === undefined) throw new Error(`The forge has no ${repo}#${number}.`)
      return addComment(state, issue, userNamed(state, author), body).id
    },
    replyToComment: (repo, number, commentId, { author, body }) => {
      const comment = findComment(repo, number, commentId)
      return replyToInlineComment(
        state,
        find(repo, number),
        comment,
        userNamed(state, author),
        body,
      ).id
    },
    postReview: async (repo, number, { author, state: kind, body = '' }) => {
      const pull = find(repo, number)
      const { headSha: commitId } = pull
      const input = { author: userNamed(state, author), state: kind, body, commitId, comments: [] }
      const posted = await postReview(state, pull, input)
      if (Array.isArray(posted)) throw new Error(`The review was refused: ${posted}`)
      return posted.review.id
    },
    dismissReview: (repo, number, id, by) => {
      const pull = find(repo, number)
      const review = pull.reviews.find((candidate) => candidate.id === id)
      if (review === undefined) throw new Error(`${repo}#${number} has no review ${id}.`)
      dismissReview(state, pull, review, userNamed(state, by))
    },
    resolveThread: (repo, number, commentId, by) => {
      const opening = findComment(repo, number, commentId)
      if (!threadsOf(find(repo, number)).includes(opening))
        throw new Error(`Comment ${commentId} opened no thread.`)
      const pull = find(repo, number)
      setResolved(
        state,
        pull,
        opening,
        by === null ? pull.author : userNamed(state, by),
        by !== null,
      )
    },
  }
}
