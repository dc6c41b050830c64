// Names the parameters and variables that frameworks fill with what a client sent.
import type { Node } from 'web-tree-sitter'

/** An annotation, such as `@NotBlank` or `@Size(max = 9)`. */
const annotations = String.raw`(?:\([^()]{0,120}\))?\s{1,20}(?:(?:final|@\w+(?:\([^()]{0,80}\))?)\s{1,20}){0,3}`

/** Types without text that a client chose; the names of uploaded files have other checks. */
const numbers =
  '(?:\\w*MultipartFile|FilePart|Part|InputStream|int|long|Integer|Long|Int|UUID|boolean|Boolean|LocalDate)'

/** Parameters of a handler that frameworks fill with what a request holds. */
const sentParameters: readonly RegExp[] = [
  // Spring and JAX-RS, in Java and Kotlin.
  new RegExp(
    String.raw`@(?:RequestParam|PathVariable|RequestHeader|CookieValue|QueryParam|PathParam|FormParam|HeaderParam|RequestBody|ModelAttribute|RequestPart)\b${annotations}` +
      String.raw`(?:(\w{1,40})\s{0,3}:\s{0,3}(?!${numbers}\b)|(?!${numbers}\b)[\w<>.]{1,60}\s{1,9}(\w{1,40}))`,
    'g',
  ),
  // ASP.NET Core.
  /\[From(?:Query|Route|Form|Header|Body)\b[^\]]{0,60}\]\s{0,20}(?!int|long|Guid|bool)[\w<>.]{1,60}\??\s{1,9}(\w{1,40})/g,
  // Axum, Actix and Rocket.
  /\b(?:Query|Path|Form|Json)\(\s?(?:mut\s)?\(?(\w{1,40})(?:\s?,\s?(\w{1,40}))?\)?\s?\)\s{0,3}:\s{0,3}[\w:]{0,60}(?:Query|Path|Form|Json)<(?![ui]\d|Uuid)/g,
  /\b(\w{1,40})\s?:\s?(?:[\w]{1,30}::){0,3}(?:Query|Path|Form|Json)<(?![ui]\d|Uuid)/g,
  // NestJS and TypeGraphQL.
  /@(?:Query|Param|Body|Headers|Arg)\([^()]{0,80}\)\s{1,20}(\w{1,40})\??\s{0,3}:\s{0,3}(?!number|boolean)/g,
]

/** The start of a controller in ASP.NET, and of a function that handles a route there. */
const aspAction =
  /\[(?:Http(?:Get|Post|Put|Delete|Patch)|Route)\b|^\s*public\b[^(]{0,120}\b(?:IActionResult|ActionResult|IResult)\b/
const aspText =
  /[(,]\s{0,80}(?!\[From(?:Services|KeyedServices))(?:\[[^\]]{0,60}\]\s{0,9})?(?:string\??|\w{1,40}(?:Model|Request|Dto|Input|Command|Form|Options))\s{1,9}(\w{1,40})/g
const aspController =
  /:\s*(?:\w+,\s*)?(?:Controller|ControllerBase|PageModel|\w*ApiController|\w*Controller)\b/

/** A lambda that handles a route: `app.MapGet("/files/{name}", (string name) => …)`. */
const aspRoute = /\.Map(?:Get|Post|Put|Delete|Patch)\(/

const pythonRoute =
  /^(?:@[^\n]*\n\s*)*@\w[\w.]{0,60}\.(?:get|post|put|delete|patch|route|api_route|websocket)\(/
const pythonText =
  /(?<=[(,])\s*(\w+)\s*(?::\s*(?:str\b|Optional\[str\]|Annotated\[str|(?!Request\b|Response\b|Session\b|AsyncSession\b|BackgroundTasks\b|UploadFile\b|[\w.]*(?:Service|Repository|Client|Settings|User|Depends)\b)[A-Z]\w+\b(?!\[)))?[^,=)]{0,40}(?==\s*(?!Depends|Security)|[,)])/g

/** Variables that Go's frameworks fill from the body or the query of a request. */
const goTargets =
  /(?:\.Body\b[^\n]{0,80}\.Decode|\.(?:Should)?Bind\w{0,12}|\.BodyParser|\.QueryParser|\.ReadJSON|\.ParamsParser|\.DecodeJSON)\(\s?(?:\w+\.Body,\s?)?&(\w{1,40})/g

const known = new WeakMap<object, Map<number, string[]>>()

/** Names what holds what a client sent, among the parameters and variables of a function. */
export function sentNamesOf(fn: Node): string[] {
  const ofTree = known.get(fn.tree) ?? new Map<number, string[]>()
  known.set(fn.tree, ofTree)
  const names = ofTree.get(fn.id) ?? readSentNames(fn)
  ofTree.set(fn.id, names)
  return names
}

function readSentNames(fn: Node): string[] {
  if (!fn.parent) return []
  const text = fn.text.slice(0, 6_000)
  const header = text.slice(0, 1_500).replace(/(?:\{|=>|:)\s*\n[\s\S]*$/, '')
  const matches = [...sentParameters, ...frameworkParameters(fn, header)]
    .flatMap((pattern) => [...header.matchAll(pattern)])
    .concat([...text.matchAll(goTargets)])
  const names = matches.flatMap((match) => match.slice(1).filter((name) => name !== undefined))
  // Flask's routes may convert: `/videos/<uuid:video_id>`.
  const route = fn.parent.type === 'decorated_definition' ? fn.parent.text.slice(0, 500) : ''
  return names.filter((name) => !new RegExp(`<(?:int|uuid|float):${name}>`).test(route))
}

/** What is only true of the parameters of a handler, as the code around it shows. */
function frameworkParameters(fn: Node, header: string): RegExp[] {
  if (fn.type === 'lambda_expression') return isAspRoute(fn) ? [aspText] : []
  if (fn.type === 'method_declaration') return isAspAction(fn, header) ? [aspText] : []
  return isPythonRoute(fn) ? [pythonText] : []
}

function isAspRoute(lambda: Node): boolean {
  return aspRoute.test(lambda.parent?.parent?.parent?.text.slice(0, 200) ?? '')
}

function isAspAction({ parent }: Node, header: string): boolean {
  const owner = parent?.parent?.text.slice(0, 600).split('{')[0] ?? ''
  return aspAction.test(header) && (aspController.test(owner) || header.includes('['))
}

function isPythonRoute({ parent, startIndex }: Node): boolean {
  if (parent?.type !== 'decorated_definition') return false
  return pythonRoute.test(parent.text.slice(0, startIndex - parent.startIndex))
}
