// REST routes of issues and of a project's labels.
import type { Issue, Label } from '../entities.ts'
import { type ForgeResponse, json } from '../http.ts'
import { announceChange, nextId } from '../state.ts'
import {
  flag,
  list,
  notFound,
  oneOf,
  type ProjectCall,
  type Route,
  refuse,
  requireLevel,
  requireText,
} from './calls.ts'
import { pullOf } from './notes.ts'
import { answerPage } from './pages.ts'
import { reporter } from './roles.ts'
import { shapeIssue, shapeLabel } from './shape-merge-requests.ts'

export const issueRoutes: readonly Route[] = [
  ['GET', '/issues', listIssues],
  ['GET', '/issues/:iid', (call) => json(200, shapeIssue(call.state, findIssue(call)))],
  ['GET', '/labels', listLabels],
  ['POST', '/labels', createLabel],
]

function findIssue(call: ProjectCall): Issue {
  const issue = call.repository.issues.get(Number(call.parameters.iid))
  if (issue === undefined || pullOf(issue) !== undefined) throw notFound()
  return issue
}

async function listIssues(call: ProjectCall): Promise<ForgeResponse> {
  const wanted = oneOf(call, 'state', ['opened', 'closed', 'all'], 'all')
  const order = oneOf(call, 'order_by', ['created_at', 'updated_at'], 'created_at')
  const direction = oneOf(call, 'sort', ['asc', 'desc'], 'desc')
  const [iids, labels] = [list(call, 'iids'), list(call, 'labels')]
  const issues = [...call.repository.issues.values()].filter(
    (issue) =>
      pullOf(issue) === undefined &&
      (wanted === 'all' || (issue.state === 'open') === (wanted === 'opened')) &&
      (iids === null || iids.includes(String(issue.number))) &&
      (labels ?? []).every((name) => issue.labels.some((label) => label.name === name)),
  )
  const key = (issue: Issue) => (order === 'updated_at' ? issue.updatedAt : issue.createdAt)
  issues.sort((one, other) =>
    key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : one.id - other.id,
  )
  if (direction === 'desc') issues.reverse()
  return await answerPage(call, issues, (issue) => shapeIssue(call.state, issue))
}

async function listLabels(call: ProjectCall): Promise<ForgeResponse> {
  const counts = flag(call, 'with_counts') === true
  const more = { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 }
  return await answerPage(call, call.repository.labels, (label) => ({
    ...shapeLabel(label),
    ...(counts ? more : {}),
    ...{ subscribed: false, priority: null, is_project_label: true },
  }))
}

function createLabel(call: ProjectCall): ForgeResponse {
  requireLevel(call, reporter)
  const [name, color] = [requireText(call, 'name'), requireText(call, 'color')]
  if (call.repository.labels.some((label) => label.name === name))
    throw refuse(409, 'Label already exists')
  const { description } = call.input
  const label: Label = {
    id: nextId(call.state),
    name,
    color: color.replace(/^#/, ''),
    description: typeof description === 'string' ? description : null,
  }
  call.repository.labels.push(label)
  announceChange(call.state)
  return json(201, {
    ...shapeLabel(label),
    subscribed: false,
    priority: null,
    is_project_label: true,
  })
}
