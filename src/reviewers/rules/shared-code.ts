// Describes the code of the languages that checks are shared by.
import type { Node } from 'web-tree-sitter'
import { callTypes } from '../../languages/rules/calls.ts'
import type { CodeSyntax } from '../../languages/rules/code-syntax.ts'
import { checkShellList } from '../../languages/rules/danger-checks.ts'
import { functionTypes } from '../../languages/rules/functions.ts'
import { checkRequests } from '../../languages/rules/request-checks.ts'
import { requestSinks } from '../../languages/rules/request-sinks.ts'
import { argumentsOf, calleeOf, field, fieldText } from '../../languages/rules/syntax-nodes.ts'
import { type grammarFamilyOf, javascriptFamily, type Rule, type SyntaxCheck } from './rule.ts'

type Family = ReturnType<typeof grammarFamilyOf>

/** Members of a request object that hold input of the client. */
const scriptMembers = String.raw`(?:params|query|body|headers|cookies|files?\b|param\(|queries\(|json\(|nextUrl|originalUrl|queryStringParameters|pathParameters|formData\(|searchParams)`
const pythonMembers = String.raw`(?:params|query|body|headers|cookies|files|args|form\b|values|json|GET|POST|FILES|COOKIES|data|query_params|path_params|match_info|view_args|get_json\(|get_data\(|rel_url|META)`

const requests: Readonly<Record<Family, RegExp>> = {
  javascript: new RegExp(
    [
      String.raw`\b(?:req|request|ctx|context|event|c)\s?\??\.\s?(?:req\??\.|request\??\.)?${scriptMembers}`,
      String.raw`\bsearchParams\??\.get\(|\blocation\.(?:search|hash|href)\b|\b(?:req|request)\.(?:get|header|query)\(`,
    ].join('|'),
  ),
  python: new RegExp(
    [
      String.raw`\b(?:request|req|self\.request|flask\.request)\s?\.\s?${pythonMembers}`,
      String.raw`\bself\.(?:get_argument|get_query_argument|get_body_argument)\(`,
    ].join('|'),
  ),
  go: /\b(?:r|req|request|c\.Request|ctx\.Request)\.(?:FormValue|PostFormValue|PathValue|URL\.Query\(\)|URL\.(?:Path|RawQuery)|Header\.Get|Form\b|PostForm\b|Cookie\()|\b(?:c|ctx|ec|gctx|context)\.(?:Query|QueryParam|Param|Params|DefaultQuery|PostForm|DefaultPostForm|GetHeader|FormValue|GetQuery|QueryParams|Cookie|Cookies|PathParam|URLParam|QueryArray|Body)\b|\bchi\.URLParam\(|\bmux\.Vars\(|\bp(?:arams|s)\.ByName\(|\b(?:[hH]eader|fileHeader|fh|fileheader|file|upload)\.Filename\b/,
  java: /\b(?:\w*[rR]equest|req|exchange|context|ctx)\.(?:getParameter|getHeader|getQueryParam\w*|queryParams?|pathVariable|pathParam|formParam|getQueryString|getPathInfo|getRequestURI|getCookies|getParts?|getPathParameters|getRequestParam|getQuery)\b|\bcookie\.getValue\(|\b\w*[qQ]ueryParams?\.(?:getFirst|get)\(/,
}

const insertions: Readonly<Record<Family, (literal: string) => RegExp | undefined>> = {
  javascript: (literal) => (/^`[\s\S]*\$\{/.test(literal) ? /\$\{([^{}]{1,200})\}/g : undefined),
  python: (literal) =>
    /^[rRbB]?[fF]/.test(literal) ? /(?<!\{)\{([^{}:!]{1,200})(?:[:!][^{}]{0,40})?\}/g : undefined,
  go: () => undefined,
  java: () => undefined,
}

/** Returns the template and the values of code that formats a text. */
function formattedOf(node: Node): readonly Node[] | undefined {
  const left = field(node, 'left')
  const right = field(node, 'right')
  if (left && right && field(node, 'operator')?.type === '%')
    return [left, ...(right.type === 'tuple' ? right.namedChildren : [right])]
  return formatCallOf(node)
}

function formatCallOf(node: Node): readonly Node[] | undefined {
  if (!callTypes.includes(node.type)) return undefined
  const { receiver, name } = calleeOf(node)
  const args = argumentsOf(node)
  if (name === 'Sprintf' || (name === 'format' && receiver?.text === 'String')) return args
  const isOwn = /^(?:format|formatted)$/.test(name) && /string/.test(receiver?.type ?? '')
  return isOwn ? [receiver!, ...args.map((each) => field(each, 'value') ?? each)] : undefined
}

function syntaxOf(family: Family): CodeSyntax {
  return {
    calls: [...callTypes, 'new_expression', 'object_creation_expression'],
    calleeOf(call) {
      if (call.type === 'new_expression') return `new ${fieldText(call, 'constructor')}`
      if (call.type === 'object_creation_expression')
        return `new ${fieldText(call, 'type').replace(/<.*$/s, '')}`
      if (call.type === 'method_invocation') {
        const object = fieldText(call, 'object')
        return object ? `${object}.${fieldText(call, 'name')}` : fieldText(call, 'name')
      }
      // An indirect call, such as `(0, eval)(code)`, runs the same function.
      return fieldText(call, 'function').replace(/^\(0,\s*(\w+)\)$/, '$1')
    },
    argumentsOf: (call) =>
      argumentsOf(call).map((argument) =>
        argument.type === 'keyword_argument' ? (field(argument, 'value') ?? argument) : argument,
      ),
    functions: [...functionTypes],
    literals: [
      ...['string', 'template_string', 'string_literal'],
      ...['interpreted_string_literal', 'raw_string_literal'],
    ],
    insertion: insertions[family],
    joiner: '+',
    bindings: [
      ...['variable_declarator', 'assignment', 'assignment_expression', 'short_var_declaration'],
      ...['assignment_statement', 'var_spec', 'named_expression', 'for_in_statement'],
      ...['for_statement', 'enhanced_for_statement', 'resource'],
    ],
    bindingOf(node) {
      const name = fieldText(node, 'name') || fieldText(node, 'left')
      const value = field(node, 'value') ?? field(node, 'right')
      const isAdded = /^[^=]=$/.test(fieldText(node, 'operator'))
      return name && value && !isAdded ? { name, value } : undefined
    },
    unwrap: (node) =>
      /^(?:await|as|satisfies|non_null)(?:_expression)?$/.test(node.type) ||
      (node.type === 'expression_list' && node.namedChildCount === 1)
        ? (node.namedChild(0) ?? undefined)
        : undefined,
    formatOf: formattedOf,
    request: requests[family],
  }
}

export const families = {
  javascript: syntaxOf('javascript'),
  python: syntaxOf('python'),
  go: syntaxOf('go'),
  java: syntaxOf('java'),
}

/** Checks for lists that start a shell, in the languages that share checks. */
export const shellLists: NonNullable<Rule['syntax']> = listFamilies((family) => [
  checkShellList(families[family]),
])

type RequestRule = keyof ReturnType<typeof checkRequests>

/** Returns the checks of a rule about what a client chooses, in the languages that share checks. */
export function requestChecksOf(rule: RequestRule): NonNullable<Rule['syntax']> {
  return listFamilies((family) => checkRequests(families[family], requestSinks[family])[rule])
}

function listFamilies(checksOf: (family: Family) => readonly SyntaxCheck[]) {
  return (['javascript', 'python', 'go', 'java'] as const).flatMap((family) => {
    const languages = family === 'javascript' ? javascriptFamily : [family]
    return checksOf(family).map((check) => ({ languages, ...check }))
  })
}
