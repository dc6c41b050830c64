// Rules about workflow files of GitHub, Gitea and Forgejo, which run with access to the repository.
import type { Document, Pair, Scalar, YAMLMap } from 'yaml'
import { isMap, isScalar, isSeq } from '../../lib/yaml.ts'
import type { Hit, Rule, Workflow } from './rule.ts'

/** Fields of an event that the author of an issue, a pull request or a commit chooses. */
const untrustedEventFields = [
  String.raw`(?:issue|pull_request|discussion)\.(?:title|body)`,
  String.raw`(?:comment|review|review_comment)\.body`,
  String.raw`pull_request\.head\.(?:ref|label)`,
  String.raw`head_commit\.message`,
  String.raw`commits\[?\S{0,10}\.message`,
  String.raw`workflow_run\.head_branch`,
].join('|')

/** An expression `${{ … }}` with a text that outsiders choose. */
const untrustedExpression = new RegExp(
  String.raw`\$\{\{[^}]{0,200}?\bgithub\.(?:head_ref|event\.(?:${untrustedEventFields}))\b` +
    String.raw`[^}]{0,200}\}\}`,
  'g',
)

/** Events that outsiders can trigger, and whose workflows run with the rights of the repository. */
const untrustedTriggers = new Set([
  'pull_request_target',
  'workflow_run',
  'issue_comment',
  'issues',
  'discussion',
  'discussion_comment',
])

/** What refers to the code of a pull request. */
const untrustedHead =
  /github\.(?:head_ref|event\.pull_request\.head\.|event\.workflow_run\.head_)|refs\/pull\//

function pairsOf(node: unknown): Pair<Scalar, unknown>[] {
  if (!isMap(node)) return []
  return node.items.filter((pair) => isScalar(pair.key)) as Pair<Scalar, unknown>[]
}

function jobsOf(document: Document): Pair<Scalar, unknown>[] {
  return pairsOf(document.get('jobs', true))
}

function stepsOf(document: Document): YAMLMap[] {
  return jobsOf(document).flatMap((job) => {
    const steps = getNode(job.value, 'steps')
    return isSeq(steps) ? steps.items.filter((step) => isMap(step)) : []
  })
}

/** The node of a key in a map; undefined if the node isn't a map. */
function getNode(node: unknown, key: string): unknown {
  return isMap(node) ? node.get(key, true) : undefined
}

function triggersOf(document: Document): string[] {
  // YAML 1.1 reads the key `on` as `true`.
  const on = document.get('on', true) ?? document.get(true, true)
  if (isScalar(on)) return [String(on.value)]
  if (isSeq(on)) return on.items.map((item) => (isScalar(item) ? String(item.value) : ''))
  return pairsOf(on).map((pair) => String(pair.key.value))
}

function textOf(node: unknown): string {
  return isScalar(node) && typeof node.value === 'string' ? node.value : ''
}

function lineAt(workflow: Workflow, offset: number): Hit['at'] {
  const line = workflow.text.slice(0, offset).split('\n').length
  return { startLine: line, endLine: line }
}

/** The parts of a step that are run as a script. */
function scriptsOf(step: YAMLMap): Scalar[] {
  const isScriptAction = /^actions\/github-script@/.test(textOf(step.get('uses', true)))
  const script = isScriptAction ? getNode(step.get('with', true), 'script') : undefined
  return [step.get('run', true), script].filter((node) => isScalar(node))
}

/** Formats a text so that it fits into a title: in backticks, and cut. */
function quoteName(text: string, maxLength: number): string {
  return `\`${text.replaceAll('`', '').slice(0, maxLength)}\``
}

function checkScriptInjection(workflow: Workflow): Hit[] {
  return stepsOf(workflow.document).flatMap((step) =>
    scriptsOf(step).flatMap((script) => {
      const [from, , to] = script.range ?? [0, 0, 0]
      const source = workflow.text.slice(from, to)
      return [...source.matchAll(untrustedExpression)].map((match) => ({
        at: lineAt(workflow, from + match.index),
        title: `Script injection: ${quoteName(match[0], 80)} is expanded into a script`,
        body:
          'When someone gives a pull request, branch or issue a name such as `"; curl … #`, ' +
          'that text is executed with the token and the secrets of this workflow. ' +
          'Pass it in `env:` and use the quoted variable.',
      }))
    }),
  )
}

function checkUntrustedCheckout(workflow: Workflow): Hit[] {
  const trigger = triggersOf(workflow.document).find(
    (name) => name === 'pull_request_target' || name === 'workflow_run',
  )
  if (!trigger) return []
  return stepsOf(workflow.document).flatMap((step) => {
    if (!/^actions\/checkout@/.test(textOf(step.get('uses', true)))) return []
    const ref = getNode(step.get('with', true), 'ref')
    if (!isScalar(ref) || !untrustedHead.test(textOf(ref))) return []
    return [
      {
        at: lineAt(workflow, ref.range?.[0] ?? 0),
        title: `A workflow with \`${trigger}\` checks out code that anyone can submit`,
        body:
          'When a later step builds, installs or tests that code, it runs with the write token ' +
          'and the secrets of this repository. Use `pull_request`, or keep the untrusted code ' +
          'out of the privileged job.',
      },
    ]
  })
}

function checkWriteAll(workflow: Workflow): Hit[] {
  const trigger = triggersOf(workflow.document).find((name) => untrustedTriggers.has(name))
  if (!trigger) return []
  const owners: unknown[] = [
    workflow.document.contents,
    ...jobsOf(workflow.document).map((job) => job.value),
  ]
  return owners.flatMap((owner) => {
    const permissions = getNode(owner, 'permissions')
    if (!isScalar(permissions) || permissions.value !== 'write-all') return []
    return [
      {
        at: lineAt(workflow, permissions.range?.[0] ?? 0),
        title: `A workflow that \`${trigger}\` starts has write permissions for everything`,
        body:
          `When an outsider triggers \`${trigger}\` and exploits a step, the token lets them ` +
          'change code, releases and packages. Grant only the permissions that the job needs.',
      },
    ]
  })
}

function checkUnknownJob(workflow: Workflow): Hit[] {
  const jobs = jobsOf(workflow.document)
  const names = new Set(jobs.map((job) => String(job.key.value)))
  return jobs.flatMap((job) => {
    const needs = getNode(job.value, 'needs')
    const items = isSeq(needs) ? needs.items : [needs]
    return items
      .filter((item) => isScalar(item))
      .filter((item) => textOf(item) !== '' && !names.has(textOf(item)))
      .map((item) => ({
        at: lineAt(workflow, item.range?.[0] ?? 0),
        title: `The job ${quoteName(textOf(item), 60)} in \`needs\` doesn't exist`,
        body: 'When the workflow is triggered, it is rejected as invalid, and no job runs.',
      }))
  })
}

export const workflowRules: readonly Rule[] = [
  {
    id: 'workflow-script-injection',
    summary:
      'Script injection: a CI workflow expands a value that anyone can choose into a script.',
    seeAlso: ['CWE-94', 'zizmor `template-injection`'],
    severity: 'critical',
    category: 'security',
    confidence: 0.95,
    workflow: checkScriptInjection,
  },
  {
    id: 'workflow-untrusted-checkout',
    summary:
      'A CI workflow with access to secrets checks out the code of a pull request (pwn ' +
      'request).',
    seeAlso: ['zizmor `dangerous-triggers`'],
    severity: 'critical',
    category: 'security',
    confidence: 0.85,
    workflow: checkUntrustedCheckout,
  },
  {
    id: 'workflow-write-all',
    summary: 'A CI workflow that outsiders can trigger has write permissions for everything.',
    seeAlso: ['zizmor `excessive-permissions`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    workflow: checkWriteAll,
  },
  {
    id: 'workflow-unknown-job',
    summary: "A CI workflow's `needs` names a job that doesn't exist.",
    seeAlso: ['actionlint `job-needs`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.98,
    workflow: checkUnknownJob,
  },
]
