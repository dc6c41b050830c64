// Labels of a repository, and of its issues and pull requests.
import type { Issue, Label, Repository, User } from './entities.ts'
import { type ForgeResponse, invalid, json, jsonBody, notFound, paginate } from './http.ts'
import { deliverPull } from './pull-requests.ts'
import { findIssue } from './rest-pulls.ts'
import { type RepositoryCall, type Route, requirePermission } from './routes.ts'
import { shapeLabel } from './shapes.ts'
import { announceChange, type ForgeState, nextId } from './state.ts'

export const labelRoutes: readonly Route[] = [
  ['GET', '/labels', (call) => answer(call, call.repository.labels)],
  ['POST', '/labels', createLabel],
  ['GET', '/issues/:number/labels', (call) => answer(call, findIssue(call).labels)],
  ['POST', '/issues/:number/labels', addLabels],
  ['DELETE', '/issues/:number/labels/:name', removeByName],
]

function answer(call: RepositoryCall, labels: readonly Label[]): ForgeResponse {
  const [page, headers] = paginate(call.request, call.address, labels)
  const shapes = page.map((label) => shapeLabel(call.state, call.repository, label))
  return json(200, shapes, headers)
}

const sameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

function createLabel(call: RepositoryCall): ForgeResponse {
  requirePermission(call, 'write')
  const { color, description, name } = jsonBody(call.request)
  if (typeof name !== 'string') throw invalid('Label', 'name', 'missing_field')
  if (call.repository.labels.some((label) => sameName(label.name, name)))
    throw invalid('Label', 'name', 'already_exists')
  const label: Label = {
    id: nextId(call.state),
    name,
    color: typeof color === 'string' ? color : 'ededed',
    description: typeof description === 'string' ? description : null,
  }
  call.repository.labels.push(label)
  return json(201, shapeLabel(call.state, call.repository, label))
}

/** Returns the label of that name, and makes it where there is none, as GitHub does. */
function labelNamed(state: ForgeState, repository: Repository, name: string): Label {
  const known = repository.labels.find((label) => sameName(label.name, name))
  if (known !== undefined) return known
  const label: Label = { id: nextId(state), name, color: 'ededed', description: '' }
  repository.labels.push(label)
  return label
}

function addLabels(call: RepositoryCall): ForgeResponse {
  const issue = findIssue(call)
  const user = requirePermission(call, 'triage')
  const { labels } = jsonBody(call.request)
  if (!Array.isArray(labels)) throw invalid('Label', 'labels', 'missing_field')
  for (const name of labels) addLabel(call.state, issue, String(name), user)
  return answer(call, issue.labels)
}

function removeByName(call: RepositoryCall): ForgeResponse {
  const issue = findIssue(call)
  const user = requirePermission(call, 'triage')
  const name = call.parameters.name!
  if (!issue.labels.some((label) => sameName(label.name, name))) throw notFound()
  removeLabel(call.state, issue, name, user)
  return answer(call, issue.labels)
}

/** Adds a label, and delivers it. Nothing happens where it is there. */
export function addLabel(state: ForgeState, issue: Issue, name: string, by: User): void {
  const label = labelNamed(state, issue.repository, name)
  if (issue.labels.includes(label)) return
  issue.labels = [...issue.labels, label]
  deliverLabel(state, issue, label, 'labeled', by)
}

/** Removes a label, and delivers it. */
export function removeLabel(state: ForgeState, issue: Issue, name: string, by: User): void {
  const label = issue.labels.find((one) => sameName(one.name, name))
  if (label === undefined) return
  issue.labels = issue.labels.filter((one) => one !== label)
  deliverLabel(state, issue, label, 'unlabeled', by)
}

function deliverLabel(
  state: ForgeState,
  issue: Issue,
  label: Label,
  action: string,
  by: User,
): void {
  const { repository } = issue
  const pull = repository.pulls.get(issue.number)
  if (pull !== undefined) deliverPull(state, pull, action, by, { label })
  else state.dialect.deliver(state, repository, { kind: 'issue', action, issue, label }, by)
  announceChange(state)
}
