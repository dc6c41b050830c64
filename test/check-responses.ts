// Checks every answer that a test gets by `fetch` from a running Umpire against the OpenAPI document that it serves.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenAPIV3_1 } from 'openapi-types'

type Document = OpenAPIV3_1.Document

/** Where tests of ours run, and what stands in the document of each. */
const checkers = new Map<string, ResponseChecker>()
/** By the document, which is the same for most of them. */
const checkersByDocument = new Map<string, ResponseChecker>()
const originalFetch = globalThis.fetch

/**
 * From now on, an answer from this address that the document doesn't foresee makes the `fetch` that got it fail: a
 * status that isn't declared, a body that doesn't fit, a field too many.
 *
 * @returns what ends this: the port may be that of another server next
 */
export async function checkResponses(url: string): Promise<() => void> {
  const response = await originalFetch(`${url}/openapi.json`)
  const text = await response.text()
  const checker =
    checkersByDocument.get(text) ?? createResponseChecker(JSON.parse(text) as Document)
  checkersByDocument.set(text, checker)
  const { origin } = new URL(url)
  checkers.set(origin, checker)
  return () => void checkers.delete(origin)
}

globalThis.fetch = async (input, init) => {
  const response = await originalFetch(input, init)
  const url = URL.parse(response.url)
  const checker = url === null ? undefined : checkers.get(url.origin)
  if (url === null || checker === undefined) return response
  const asked = input instanceof Request ? input.method : (init?.method ?? 'GET')
  // A redirect is followed by GET.
  const method = (response.redirected ? 'GET' : asked).toUpperCase()
  const problem = await checker.findProblem(method, url.pathname, response)
  if (problem !== null)
    throw new Error(
      `${method} ${url.pathname} was answered with ${response.status}, but ${problem}`,
    )
  return response
}

export interface ResponseChecker {
  /** What is wrong with an answer; null where nothing is. Its body can still be read afterwards. */
  findProblem(method: string, path: string, response: Response): Promise<string | null>
}

/** Reads a document; throws where it or one of its schemas is malformed. */
export function createResponseChecker(document: Document): ResponseChecker {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true })
  addFormats.default(ajv)
  ajv.addVocabulary(['components'])
  ajv.addSchema({ $id: 'document', components: document.components } as object)
  const routes = Object.entries(document.paths ?? {}).map(([path, item]) => ({
    pattern: toPattern(path),
    path,
    item,
  }))
  // A path without parameters goes before one that would fit it too.
  routes.sort((a, b) => a.path.split('{').length - b.path.split('{').length)

  function findRoute(path: string) {
    return routes.find(({ pattern }) => pattern.test(path))
  }

  const validators = new Map<unknown, ValidateFunction>()
  function validatorOf(schema: object): ValidateFunction {
    const known = validators.get(schema) ?? ajv.compile(withOwnReferences(schema))
    validators.set(schema, known)
    return known
  }

  return {
    async findProblem(method, path, response) {
      const route = findRoute(path)
      const operation = route?.item?.[method.toLowerCase() as 'get']
      // A HEAD is answered as its GET is, where there is one for it.
      const responses =
        operation?.responses ?? (method === 'HEAD' ? route?.item?.get?.responses : undefined)
      const declared =
        responses?.[response.status] ?? undeclared(path, operation !== undefined, response)
      if (declared === undefined) return 'the document does not say so'
      if (declared === null || method === 'HEAD') return null
      return findSchemaError(declared as OpenAPIV3_1.ResponseObject, response, validatorOf)
    },
  }
}

const errorResponse: OpenAPIV3_1.ResponseObject = {
  description: 'Error',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

/** What holds for answers that no operation declares. Null: nothing, for what isn't part of the API. */
function undeclared(path: string, isOperation: boolean, { status }: Response) {
  // Answers in the words of another protocol.
  if (/^\/mcp(\/|$)/.test(path)) return null
  if (isOperation) return undefined
  if ([400, 404, 405, 414].includes(status)) return errorResponse
  return /^\/(api|auth|healthz|readyz)(\/|$)/.test(path) ? undefined : null
}

async function findSchemaError(
  declared: OpenAPIV3_1.ResponseObject,
  response: Response,
  validatorOf: (schema: object) => ValidateFunction,
): Promise<string | null> {
  const content = Object.entries(declared.content ?? {})
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const schema = content.find(([name]) => name === type)?.[1].schema
  if (schema === undefined)
    return content.length === 0 ? null : `its content type is ${type || 'none'}`
  if (type !== 'application/json') return null
  const validate = validatorOf(schema)
  const body: unknown = await response.clone().json()
  if (validate(body)) return null
  const problems = validate.errors?.map(
    (error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
  )
  return `its body does not fit: ${problems?.join('; ')}\n${JSON.stringify(body)}`
}

/** References lead into the whole document. */
function withOwnReferences(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'),
  ) as object
}

function toPattern(path: string): RegExp {
  const source = path.replace(/[.+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]*')
  return new RegExp(`^${source}$`)
}
