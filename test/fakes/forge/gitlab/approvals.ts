// Approvals of merge requests: they are the approving reviews that weren't withdrawn.
import type { PullRequest, Review, User } from '../entities.ts'
import { type ForgeResponse, json } from '../http.ts'
import { dismissReview, makeReview } from '../reviews.ts'
import { announceChange, type ForgeState } from '../state.ts'
import {
  findMergeRequest,
  forbidden,
  notFound,
  type ProjectCall,
  type Route,
  refuse,
  requireUser,
  unauthorized,
} from './calls.ts'
import { developer } from './roles.ts'
import { apiTime, type Shape, shapeUser } from './shape-projects.ts'

export const approvalRoutes: readonly Route[] = [
  ['GET', '/merge_requests/:iid/approvals', showApprovals],
  ['POST', '/merge_requests/:iid/approve', approveByCall],
  ['POST', '/merge_requests/:iid/unapprove', unapproveByCall],
  ['PUT', '/merge_requests/:iid/reset_approvals', resetApprovals],
]

/** The approvals that hold: GitLab keeps them after a push, unless a paid setting says else. */
const approvalsOf = (pull: PullRequest): Review[] =>
  pull.reviews.filter((review) => review.state === 'APPROVED')

const approvalBy = (pull: PullRequest, user: User) =>
  approvalsOf(pull).find(({ author }) => author === user)

/** Approves and delivers it. Returns whether that was possible: nobody approves twice. */
export function approve(state: ForgeState, pull: PullRequest, user: User): boolean {
  if (approvalBy(pull, user) !== undefined || pull.mergedAt !== null) return false
  const input = { author: user, state: 'APPROVED', body: '', commitId: pull.headSha } as const
  const review = makeReview(state, pull, input)
  pull.reviews.push(review)
  pull.updatedAt = review.submittedAt
  const event = { kind: 'review', action: 'submitted', pull, review, comments: [] } as const
  state.dialect.deliver(state, pull.repository, event, user)
  announceChange(state)
  return true
}

function shapeApprovals(state: ForgeState, pull: PullRequest, caller: User | null): Shape {
  const approvals = approvalsOf(pull)
  const approved = approvals.some(({ author }) => author === caller)
  return {
    approved: approvals.length > 0,
    user_has_approved: approved,
    user_can_approve: caller !== null && !approved && pull.mergedAt === null,
    approved_by: approvals.map(({ author, submittedAt }) => ({
      user: shapeUser(state, author),
      approved_at: apiTime(submittedAt),
    })),
  }
}

function showApprovals(call: ProjectCall): ForgeResponse {
  const pull = findMergeRequest(call)
  return json(200, shapeApprovals(call.state, pull, call.token?.user ?? null))
}

/**
 * Returns the merge request and who approves: developers, and its author where that is a member
 * (app/policies/merge_request_policy.rb). Throws 403 for others.
 */
function findForApproval(call: ProjectCall): [PullRequest, User] {
  const user = requireUser(call)
  const pull = findMergeRequest(call)
  const isAuthor = pull.author === user && call.level > 0
  if (call.level < developer && !isAuthor) throw forbidden()
  return [pull, user]
}

/** A second approval is refused with 401 (lib/api/merge_request_approvals.rb). */
function approveByCall(call: ProjectCall): ForgeResponse {
  const [pull, user] = findForApproval(call)
  checkSha(call, pull)
  if (!approve(call.state, pull, user)) throw unauthorized()
  return json(201, shapeApprovals(call.state, pull, user))
}

export function checkSha(call: ProjectCall, pull: PullRequest): void {
  const { sha } = call.input
  if (typeof sha === 'string' && sha !== '' && sha !== pull.headSha)
    throw refuse(409, `SHA does not match HEAD of source branch: ${pull.headSha}`)
}

function unapproveByCall(call: ProjectCall): ForgeResponse {
  const [pull, user] = findForApproval(call)
  const review = approvalBy(pull, user)
  if (review === undefined) throw refuse(404, '404 Not Found')
  dismissReview(call.state, pull, review, user)
  return json(201, shapeApprovals(call.state, pull, user))
}

/** Only project and group bots may (the server's policies), who have no place here. */
function resetApprovals(call: ProjectCall): ForgeResponse {
  const [pull, user] = findForApproval(call)
  if (user.type !== 'Bot') throw unauthorized()
  if (pull.mergedAt !== null) throw notFound()
  for (const review of approvalsOf(pull)) dismissReview(call.state, pull, review, user)
  return json(202, null)
}
