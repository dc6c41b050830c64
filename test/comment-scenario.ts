// Comments of people on reviewed pull requests, and what Umpire answers: for an installed App.
import type { CommentView, PullRequestView } from './fakes/forge/pull-request-view.ts'
import { type InstalledScenario, type Reviewed, slug } from './installed-app-scenario.ts'

/** The account of the App. */
export const appLogin = `${slug}[bot]`

export interface CommentScenario {
  viewOf(reviewed: Reviewed): PullRequestView
  /** Comments in the conversation, and waits for what follows. Returns the comment as it is then. */
  say(reviewed: Reviewed, author: string, body: string): Promise<CommentView>
  /** The same in the first thread of the pull request. */
  reply(reviewed: Reviewed, author: string, body: string): Promise<CommentView>
  /** The answers in the conversation and in threads, without their markers. */
  answersOf(reviewed: Reviewed): string[]
}

export function createCommentScenario(scene: InstalledScenario): CommentScenario {
  const viewOf = ({ repo, number }: Reviewed) => scene.forge.pullRequest(repo, number)
  return {
    viewOf,
    async say(reviewed, author, body) {
      const id = scene.forge.comment(reviewed.repo, reviewed.number, author, body)
      await scene.settled()
      return viewOf(reviewed).comments.find((one) => one.id === id)!
    },
    async reply(reviewed, author, body) {
      const { repo, number } = reviewed
      const opening = viewOf(reviewed).threads[0]!.comments[0]!.id
      const id = scene.forge.replyToComment(repo, number, opening, { author, body })
      await scene.settled()
      return viewOf(reviewed).threads[0]!.comments.find((one) => one.id === id)!
    },
    answersOf(reviewed) {
      const { comments, inlineComments } = viewOf(reviewed)
      return [...comments, ...inlineComments]
        .filter(({ author, body }) => author === appLogin && body.includes('<!-- umpire:answer '))
        .map(({ body }) => body.replace(/^<!-- umpire:answer \w+ \d+ -->\n/, ''))
    },
  }
}
