// Holds requests, answers and webhook payloads to GitHub's published descriptions.
import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Exchange } from '../fakes/forge/http.ts'

type Json = Record<string, unknown>

interface Operation {
  readonly parameters?: readonly Json[]
  readonly requestBody?: Json
  readonly responses: Readonly<Record<string, Json>>
}

const read = (path: string): Json =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Json

const description = allowNull(read('../fixtures/github-api.json')) as {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, Json>>
}
const ajv = createAjv(description, 'api')
const payloads = read('../../node_modules/@octokit/webhooks-schemas/schema.json') as {
  definitions: Record<string, Json>
}
const payloadAjv = createAjv(payloads, 'payloads')
const validators = new Map<string, ValidateFunction>()

function createAjv(document: object, name: string): Ajv {
  const made = new Ajv({ strict: false, allErrors: true, allowUnionTypes: true })
  addFormats.default(made)
  // Two formats of the descriptions that JSON Schema doesn't have, as do all their addresses.
  for (const format of ['timestamp', 'repo.nwo', 'ssh-key']) made.addFormat(format, true)
  made.addSchema({ ...document, $id: name, oneOf: undefined }, name)
  return made
}

/** Turns OpenAPI's `nullable` into what JSON Schema knows. */
function allowNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(allowNull)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => key !== 'nullable')
  const inner = Object.fromEntries(entries.map(([key, item]) => [key, allowNull(item)]))
  const nullable = (value as Json).nullable === true
  return nullable ? { anyOf: [inner, { type: 'null' }] } : inner
}

/** The templates of the paths, those with the fewest parameters first. */
const templates = Object.keys(description.paths)
  .map((path) => ({
    path,
    parameters: path.split('{').length,
    pattern: new RegExp(`^${path.replace(/\{path\}/, '.*').replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .sort((one, other) => one.parameters - other.parameters)

/** Returns the operation of a request, and its address for references; null for an unknown one. */
function findOperation(method: string, path: string): [Operation, string] | null {
  const byName = path.replace(/^\/repositories\/\d+/, '/repos/owner/name')
  const template = templates.find(({ pattern }) => pattern.test(byName))?.path
  const name = method.toLowerCase()
  const operation = template === undefined ? undefined : description.paths[template]![name]
  if (operation === undefined) return null
  return [operation, `api#/paths/${escapePointer(template!)}/${name}`]
}

const escapePointer = (text: string) =>
  encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))

function resolve<T extends Json>(value: T): T {
  const { $ref } = value
  if (typeof $ref !== 'string') return value
  const [, , kind, name] = $ref.split('/') as [string, string, string, string]
  return description.components[kind]![name] as T
}

function problemsOf(owner: Ajv, $ref: string, value: unknown): string[] {
  const known = validators.get($ref) ?? owner.compile({ $ref })
  validators.set($ref, known)
  if (known(value)) return []
  return (known.errors ?? []).map((error) => {
    const extra = error.params.additionalProperty ?? error.params.allowedValues ?? ''
    return `${error.instancePath || '/'} ${error.message} ${extra}`.trim()
  })
}

/** Returns where a request isn't as GitHub describes it: parameters, and the fields of its body. */
export function findRequestProblems(exchange: Exchange): string[] {
  const { method, path, query, requestBody } = exchange
  const found = findOperation(method, path)
  if (found === null) return [`${method} ${path} isn't described`]
  const [operation, address] = found
  const parameters = (operation.parameters ?? []).map(resolve)
  const problems = [...new URLSearchParams(query)].flatMap(([name, value]) => {
    const parameter = parameters.find((one) => one.in === 'query' && one.name === name)
    if (parameter === undefined) return [`the query has no parameter ${name}`]
    const allowed = (parameter.schema as Json | undefined)?.enum
    const fits = !Array.isArray(allowed) || allowed.includes(value)
    return fits ? [] : [`the parameter ${name} isn't one of ${allowed}`]
  })
  if (requestBody === '' || operation.requestBody === undefined) return problems
  const pointer = `${address}/requestBody/content/${escapePointer('application/json')}/schema`
  const body = JSON.parse(requestBody) as unknown
  return [...problems, ...problemsOf(ajv, pointer, body), ...unknownFields(operation, body)]
}

/** The description lets a body have any field; a misspelled one would pass unseen. */
function unknownFields(operation: Operation, body: unknown): string[] {
  const content = operation.requestBody!.content as Record<string, Json>
  const { properties } = resolve((content['application/json']?.schema ?? {}) as Json)
  if (properties === undefined || typeof body !== 'object' || body === null) return []
  return Object.keys(body)
    .filter((name) => !Object.hasOwn(properties as Json, name))
    .map((name) => `the body has an unknown field ${name}`)
}

/** Where GitHub itself answers otherwise than its description says. */
const inaccuracies: readonly { path: RegExp; problem: RegExp; reason: string }[] = [
  {
    path: /^\/app\/installations$/,
    problem: /^\/\d+\/account /,
    reason: 'asks for a user and an enterprise at once where all other descriptions ask for either',
  },
  {
    path: /\/pulls\/\d+\/comments$/,
    problem: /^\/\d+\/(line|position) must be integer/,
    reason: 'both are null for outdated comments, as the schema of the payloads has it',
  },
  {
    path: /\/pulls\/\d+$/,
    problem: /^\/head\/repo must be object/,
    reason: 'it is null where the fork was removed, as the schema of the payloads has it',
  },
]

/** Returns where an answer isn't as GitHub describes it. Only errors may have any status. */
export function findAnswerProblems(exchange: Exchange): string[] {
  const { method, path, responseBody, status } = exchange
  const operationFound = findOperation(method, path)
  if (operationFound === null) return [`${method} ${path} isn't described`]
  const [operation, address] = operationFound
  const response = operation.responses[String(status)]
  if (response === undefined) return status >= 301 ? [] : [`status ${status} isn't described`]
  const { content } = resolve(response) as { content?: Record<string, unknown> }
  if (responseBody === '' || content?.['application/json'] === undefined) return []
  const { $ref } = response
  const base = typeof $ref === 'string' ? `api${$ref}` : `${address}/responses/${status}`
  const pointer = `${base}/content/${escapePointer('application/json')}/schema`
  return problemsOf(ajv, pointer, JSON.parse(responseBody)).filter(
    (found) => !inaccuracies.some((one) => one.path.test(path) && one.problem.test(found)),
  )
}

/** Returns where a webhook payload isn't as GitHub's schema of that event and action has it. */
export function findPayloadProblems(event: string, payload: unknown): string[] {
  const { action } = payload as { action?: string }
  const names = [`${event}$${action ?? 'event'}`, `${event}_event`]
  const name = names.find((one) => Object.hasOwn(payloads.definitions, one))
  if (name === undefined) return [`${event}.${action ?? ''} isn't described`]
  return problemsOf(payloadAjv, `payloads#/definitions/${encodeURIComponent(name)}`, payload)
}
