// Lists the expressions of each language that hold what a user sent.
import { pickByLanguage } from './language-rules.ts'
import type { ParsedFile } from './syntax-check.ts'

/** Members of a request object that hold input of the client. */
const scriptMembers = String.raw`(?:params|query|body|headers|cookies|files?\b|param\(|queries\(|json\(|nextUrl|originalUrl|queryStringParameters|pathParameters|formData\(|searchParams)`
const pythonMembers = String.raw`(?:params|query|body|headers|cookies|files|args|form\b|values|json|GET|POST|FILES|COOKIES|data|query_params|path_params|match_info|view_args|get_json\(|get_data\(|rel_url|META)`

/** Expressions that hold what a user sent, by language. C has none. */
const requests: Readonly<Record<string, RegExp>> = {
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
  kotlin:
    /\b\w*[rR]equest\.(?:getParameter|getHeader|queryParams?|pathVariables?|getQueryString|parameters|headers|cookies|queryParameters|getPart)\b|\bcall\.(?:parameters|pathParameters|queryParameters|request\.(?:queryParameters|headers|header|cookies|rawQueryParameters|path)|receive\w*)\b|\b(?:ctx|context)\.(?:queryParam|pathParam|formParam|header|body|cookie|bodyAsClass)\b/,
  scala:
    /\b(?:request|req)\.(?:getQueryString|queryString|body|headers|cookies|getParameter|uri|path)\b/,
  'c-sharp':
    /\b(?:Request|request|req)\.(?:Query|Form|Headers|Cookies|RouteValues|Body|QueryString|Params|Path)\b|\b\w*[fF]ile\.FileName\b|\bGetTypedHeaders\(|\.ReadFormAsync\(|\.ReadFromJsonAsync\b/,
  php: /\$_(?:GET|POST|REQUEST|COOKIE|FILES)\b|php:\/\/input|\$args\[|\$(?:this->)?(?:request|req)->(?:(?:query|request|cookies|headers|attributes|files)->(?:get\w*|all)|input|get|post|query|route|cookie|header|string|all|json|validate|validated|getQueryParams|getParsedBody|getCookieParams|getContent|getQuery|getCookie|getPost|getParam|getVar|getQueryParam|getBodyParam|getAttribute)\b|\$(?:this->)?request->(?:\w*(?:url|path|file|name|next|redirect|return)\w*)\b(?!\()|\$request\[|\brequest\(\)->(?:input|get|query|post|header|cookie)\b|\brequest\(['"]|\bInput::get\(/i,
  ruby: /\bparams\b\s*(?:\[|\.(?:fetch|dig|require|permit|expect|slice)\b|\.to_)|\bparams$|\bcookies\[|\brequest\.(?:params|headers|GET|POST|query_parameters|request_parameters|raw_post|body|query_string|referer|referrer|path_info|fullpath|cookies)\b|\benv\[/,
  rust: /\b(?:req|request)\.(?:match_info|query_string|headers|cookie|uri|param|params|query|path)\(\)|\bfield\.file_name\(\)|\.get_filename\(\)/,
}

/** Returns the pattern of what holds input of a request in the language of a file. */
export function requestsIn(file: ParsedFile): RegExp | undefined {
  return pickByLanguage(requests, file)
}
