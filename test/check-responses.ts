// Checks every response that tests fetch from Umpire against its OpenAPI document.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenAPIV3_1 } from 'openapi-types'

type Document = OpenAPIV3_1.Document

/** Maps the address of each running Umpire to its document. */
const checkers = new Map<string, ResponseChecker>()
/** Shared by all servers with the same endpoints, because making a document takes time. */
const checkersByEndpoints = new Map<string, Promise<ResponseChecker>>()
const originalFetch = globalThis.fetch

/**
 * Makes `fetch` reject responses from this address that the document doesn't declare: an unknown
 * status, an invalid body or an additional field.
 *
 * @param endpoints identifies the endpoints of the server
 * @returns a function that ends the checks, because another server may get the port next
 */
export async function checkResponses(url: string, endpoints: string): Promise<() => void> {
  const shared =
    checkersByEndpoints.get(endpoints) ??
    originalFetch(`${url}/openapi.json`)
      .then((response) => response.json())
      .then((document) => createResponseChecker(document as Document))
  checkersByEndpoints.set(endpoints, shared)
  const { origin } = new URL(url)
  checkers.set(origin, await shared)
  return () => void checkers.delete(origin)
}

globalThis.fetch = async (input, init) => {
  const response = await originalFetch(input, init)
  const url = URL.parse(response.url)
  const checker = url === null ? undefined : checkers.get(url.origin)
  if (url === null || checker === undefined) return response
  const asked = input instanceof Request ? input.method : (init?.method ?? 'GET')
  // `fetch` follows a redirect with GET.
  const method = (response.redirected ? 'GET' : asked).toUpperCase()
  const problem = await checker.findProblem(method, url.pathname, response)
  if (problem !== null)
    throw new Error(
      `${method} ${url.pathname} was answered with ${response.status}, but ${problem}`,
    )
  return response
}

export interface ResponseChecker {
  /** Returns the problem with a response, or null. Its body can still be read afterwards. */
  findProblem(method: string, path: string, response: Response): Promise<string | null>
}

/** Reads a document. Throws when it or one of its schemas is malformed. */
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
  // A path without parameters takes precedence over one with parameters.
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
      const operation = findOperation(route?.item, method)
      const declared =
        operation?.responses?.[response.status] ??
        undeclared(path, operation?.isOwn === true, response)
      if (declared === undefined) return 'the document does not declare this response'
      if (declared === null || method === 'HEAD') return null
      return findSchemaError(declared as OpenAPIV3_1.ResponseObject, response, validatorOf)
    },
  }
}

const errorResponse: OpenAPIV3_1.ResponseObject = {
  description: 'Error',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

/** Finds the operation of a request. A HEAD request may have the responses of the GET operation. */
function findOperation(item: OpenAPIV3_1.PathItemObject | undefined, method: string) {
  const own = item?.[method.toLowerCase() as 'get']
  if (own !== undefined) return { responses: own.responses, isOwn: true }
  return method === 'HEAD' ? { responses: item?.get?.responses, isOwn: false } : undefined
}

/** Returns the declaration of an undeclared response; null for paths outside of the API. */
function undeclared(path: string, isOperation: boolean, { status, headers }: Response) {
  const isOfApi = /^\/(api|auth|healthz|readyz)(\/|$)/.test(path)
  // MCP has its own protocol.
  if (/^\/mcp(\/|$)/.test(path)) return null
  if (isOperation) return undefined
  // People who open an unknown address get the page.
  if (!isOfApi && status === 404 && headers.get('content-type')?.startsWith('text/html'))
    return null
  if ([400, 404, 405, 414].includes(status)) return errorResponse
  return isOfApi ? undefined : null
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

/** Adds the components, because references of a schema point into the whole document. */
function withOwnReferences(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'),
  ) as object
}

function toPattern(path: string): RegExp {
  const source = path.replace(/[.+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]*')
  return new RegExp(`^${source}$`)
}
