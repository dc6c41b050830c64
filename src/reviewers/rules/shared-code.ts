// Describes the code of the languages that checks are shared by.

import { callTypes } from '../../languages/rules/calls.ts'
import type { CodeSyntax } from '../../languages/rules/code-syntax.ts'
import { functionTypes } from '../../languages/rules/functions.ts'
import { checkInputs } from '../../languages/rules/request-checks.ts'
import { sinks } from '../../languages/rules/sinks.ts'
import { argumentsOf, field, fieldText } from '../../languages/rules/syntax-nodes.ts'
import { listByLanguage, type ParsedFile, type Rule, ruleLanguageOf } from './rule.ts'

type Family = 'javascript' | 'python' | 'go' | 'java'

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
    joiner: '+',
    bindings: [
      ...['variable_declarator', 'assignment', 'assignment_expression', 'short_var_declaration'],
      ...['assignment_statement', 'var_spec', 'named_expression', 'for_in_statement'],
      ...['for_statement', 'enhanced_for_statement', 'resource'],
    ],
    bindingOf(node) {
      const name = fieldText(node, 'name') || fieldText(node, 'left')
      const values = field(node, 'value') ?? field(node, 'right')
      const isOne = values?.type === 'expression_list' && values.namedChildCount === 1
      const value = isOne ? values.namedChildren[0] : values
      const isAdded = /^[^=]=$/.test(fieldText(node, 'operator'))
      return name && value && !isAdded ? { name, value } : undefined
    },
    unwrap: (node) =>
      /^(?:await|as|satisfies|non_null)(?:_expression)?$/.test(node.type) ||
      (node.type === 'expression_list' && node.namedChildCount === 1)
        ? (node.namedChild(0) ?? undefined)
        : undefined,
    request: requests[family],
  }
}

const families = {
  javascript: syntaxOf('javascript'),
  python: syntaxOf('python'),
  go: syntaxOf('go'),
  java: syntaxOf('java'),
}

/** Returns how the language of a file writes its code. */
export function syntaxOfFile({ language }: ParsedFile): CodeSyntax {
  return families[ruleLanguageOf(language) as Family]
}

const checks = {
  javascript: checkInputs(families.javascript, sinks.javascript),
  python: checkInputs(families.python, sinks.python),
  go: checkInputs(families.go, sinks.go),
  java: checkInputs(families.java, sinks.java),
}

/** Returns the checks of a rule about input, in the languages that share checks. */
export function inputChecksOf(rule: keyof typeof checks.go): NonNullable<Rule['syntax']> {
  const { javascript, python, go, java } = checks
  return listByLanguage({
    javascript: javascript[rule],
    python: python[rule],
    go: go[rule],
    java: java[rule],
  })
}
