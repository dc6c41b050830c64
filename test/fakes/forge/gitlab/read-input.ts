// Reads the parameters of a request: the query's and those of a JSON or form body as one object.
import { type ForgeRequest, header } from '../http.ts'
import { refuseInput } from './calls.ts'

type Input = Record<string, unknown>

export function readInput(request: ForgeRequest): Input {
  return { ...readForm(request.query), ...readBody(request) }
}

function readBody(request: ForgeRequest): Input {
  if (request.body.length === 0) return {}
  const text = request.body.toString('utf8')
  const type = header(request, 'content-type')
  if (type.startsWith('application/x-www-form-urlencoded'))
    return readForm(new URLSearchParams(text))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw refuseInput('Problem parsing JSON') // lib/api/api.rb lets Grape's parser answer.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  return value as Input
}

/** Reads names as `refs[]` (a list) and `position[new_line]` (an object), as Rack does. */
function readForm(form: URLSearchParams): Input {
  const input: Input = {}
  for (const [name, value] of form) {
    const [first, ...keys] = name.split(/\[|\]\[|\]/).filter((key, at) => at === 0 || key !== '')
    if (name.endsWith('[]')) {
      const former = input[first!]
      input[first!] = [...(Array.isArray(former) ? former : []), value]
    } else setAt(input, [first!, ...keys], value)
  }
  return input
}

function setAt(input: Input, [first, ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    input[first!] = value
    return
  }
  const inner = input[first!]
  const below = typeof inner === 'object' && inner !== null ? (inner as Input) : {}
  input[first!] = below
  setAt(below, rest, value)
}
