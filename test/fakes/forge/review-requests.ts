// Requests for reviews: who is asked, and the deliveries of that.
import { accountPermission, permits } from './access.ts'
import type { PullRequest, User } from './entities.ts'
import { type ForgeResponse, json, jsonBody, refuse } from './http.ts'
import { deliverPull } from './pull-requests.ts'
import { findPull } from './rest-pulls.ts'
import { type RepositoryCall, type Route, requirePermission } from './routes.ts'
import { shapeUser } from './shape-accounts.ts'
import { shapePull } from './shapes.ts'
import { announceChange, type ForgeState, fullName } from './state.ts'

export const reviewRequestRoutes: readonly Route[] = [
  ['GET', '/pulls/:number/requested_reviewers', listRequested],
  ['POST', '/pulls/:number/requested_reviewers', request],
  ['DELETE', '/pulls/:number/requested_reviewers', withdraw],
]

function listRequested(call: RepositoryCall): ForgeResponse {
  const users = findPull(call).requestedReviewers.map((user) => shapeUser(call.state, user))
  return json(200, { users, teams: [] })
}

function readReviewers(call: RepositoryCall): User[] {
  const { reviewers } = jsonBody(call.request)
  return (Array.isArray(reviewers) ? reviewers : [])
    .map((login) => call.state.users.get(String(login).toLowerCase()))
    .filter((user) => user !== undefined)
}

/** Returns GitHub's reason why somebody can't be asked; null where they can. */
function requestProblem(pull: PullRequest, user: User): string | null {
  if (user === pull.author) return 'Review cannot be requested from pull request author.'
  // An App can't be asked: only accounts that can read the repository.
  const reads = permits(accountPermission(user, pull.repository), 'read') && user.type === 'User'
  const listed = pull.repository.collaborators.has(user.login.toLowerCase())
  if (reads && (listed || user === pull.repository.owner)) return null
  return `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${fullName(pull.repository)} repository.`
}

function request(call: RepositoryCall): ForgeResponse {
  const pull = findPull(call)
  const by = requirePermission(call, 'write')
  const wanted = readReviewers(call)
  const problem = wanted.map((user) => requestProblem(pull, user)).find((one) => one !== null)
  if (problem !== undefined) throw refuse(422, problem)
  for (const user of wanted) requestReview(call.state, pull, user, by)
  return json(201, shapePull(call.state, pull, false))
}

function withdraw(call: RepositoryCall): ForgeResponse {
  const pull = findPull(call)
  const by = requirePermission(call, 'write')
  for (const user of readReviewers(call)) {
    if (!pull.requestedReviewers.includes(user)) continue
    pull.requestedReviewers = pull.requestedReviewers.filter((one) => one !== user)
    deliverRequest(call.state, pull, user, 'review_request_removed', by)
  }
  return json(200, shapePull(call.state, pull, false))
}

/** Asks somebody for a review, and delivers it: also where they were asked before. */
export function requestReview(state: ForgeState, pull: PullRequest, user: User, by: User): void {
  const problem = requestProblem(pull, user)
  if (problem !== null) throw new Error(problem)
  if (!pull.requestedReviewers.includes(user))
    pull.requestedReviewers = [...pull.requestedReviewers, user]
  deliverRequest(state, pull, user, 'review_requested', by)
}

function deliverRequest(
  state: ForgeState,
  pull: PullRequest,
  user: User,
  action: string,
  by: User,
): void {
  deliverPull(state, pull, action, by, { reviewer: user })
  announceChange(state)
}
