// Holds the answers of the fake forge to GitLab's published description, reduced to a fixture.
import { readFileSync } from 'node:fs'
import type { Exchange } from '../fakes/forge/http.ts'

type Json = Record<string, unknown>

const description = JSON.parse(
  readFileSync(new URL('../fixtures/gitlab-api.json', import.meta.url), 'utf8'),
) as { answers: string[]; whole: string[]; schemas: Record<string, Record<string, string>> }

const answers = description.answers.map((line) => {
  const [method, template, schema] = line.split(' ') as [string, string, string]
  return { method, schema, pattern: new RegExp(`^${template.replaceAll('{}', '[^/]+')}$`) }
})

/** Returns where an answer differs from the description; an address without one has no problem. */
export function findAnswerProblems({
  method,
  path,
  responseBody,
  status,
}: Exchange): readonly string[] {
  if (status < 200 || status === 202 || status === 204 || status >= 300) return []
  const known = answers.find((one) => one.method === method && one.pattern.test(path))
  if (known === undefined || responseBody === '') return []
  return checkValue(JSON.parse(responseBody), `$${known.schema}`, known.schema)
}

/** The ways in which a type can be true of a value. GitLab's fields may all be null. */
const isType: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  time: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT.+\.\d{3}(Z|[+-].+)$/.test(value),
  array: Array.isArray,
  object: (value) => typeof value === 'object',
}

/** Checks a value; `$Name` is that schema or a list of it, which the description writes alike. */
function checkValue(value: unknown, type: string, at: string): string[] {
  const kind = type.replace('?', '')
  if (value === null) return []
  if (!kind.startsWith('$')) return isType[kind]!(value) ? [] : [`${at} isn't ${kind}`]
  if (Array.isArray(value)) return value.flatMap((one) => checkValue(one, kind, at))
  return checkFields(value as Json, kind.slice(1), at)
}

function checkFields(value: Json, name: string, at: string): string[] {
  const fields = description.schemas[name]!
  const missing = description.whole.includes(name)
    ? Object.keys(fields).filter((field) => !(field in value || fields[field]!.endsWith('?')))
    : []
  const wrong = Object.entries(value).flatMap(([field, inner]) => {
    const type = fields[field]
    return type === undefined ? [`${at} has ${field}`] : checkValue(inner, type, `${at}.${field}`)
  })
  return [...missing.map((field) => `${at} lacks ${field}`), ...wrong]
}

/** Collects what a forge answers. */
export function createDescriptionCheck() {
  const exchanges: Exchange[] = []
  return {
    observe: (exchange: Exchange) => void exchanges.push(exchange),
    /** Returns each difference once. */
    problems: () => [...new Set(exchanges.flatMap((exchange) => findAnswerProblems(exchange)))],
    /** Returns how many answers the description knows. */
    checked: () =>
      exchanges.filter(({ method, path }) =>
        answers.some((one) => one.method === method && one.pattern.test(path)),
      ).length,
  }
}
