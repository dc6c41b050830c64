// Defines what the static reviewer checks in PHP.
import type { Node } from 'web-tree-sitter'
import { boundValueOf, builtTextOf, type CodeSyntax, isFromRequest } from '../rules/code-syntax.ts'
import {
  checkCalls,
  checkEmptyHandler,
  checkPasswordHash,
  checkPredictable,
  checkRandom,
  checkShell,
  checkSql,
  checkSqlFragment,
  checkTls,
  codeInjectionBody,
  deserializationBody,
  shellHit,
} from '../rules/danger-checks.ts'
import { checkSecretFile } from '../rules/exposure-checks.ts'
import type { LanguageRules } from '../rules/language-rules.ts'
import { checkPath, checkRedirect } from '../rules/request-checks.ts'
import { isSent } from '../rules/sent-values.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import { codeChildren, field, fieldText, firstLine, quoteCode } from '../rules/syntax-nodes.ts'

const syntax: CodeSyntax = {
  calls: [
    'function_call_expression',
    'member_call_expression',
    'nullsafe_member_call_expression',
    'scoped_call_expression',
    'object_creation_expression',
  ],
  calleeOf(call) {
    const list = argumentListOf(call)
    const end = list ? list.startIndex - call.startIndex : undefined
    return call.text.slice(0, end).trim()
  },
  argumentsOf(call) {
    const list = argumentListOf(call)
    return list ? codeChildren(list).map((each) => each.namedChildren.at(-1) ?? each) : []
  },
  functions: ['function_definition', 'method_declaration', 'anonymous_function'],
  literals: ['string', 'encapsed_string', 'heredoc'],
  insertion: (literal) =>
    literal.startsWith("'") || /^<<<\s*'/.test(literal)
      ? undefined
      : /\{(\$[^{}]{1,200})\}|(\$[A-Za-z_]\w*(?:->\w+|\[[^\]\s]{1,60}\])?)/g,
  joiner: '.',
  bindings: ['assignment_expression'],
  bindingOf(node) {
    const value = field(node, 'right')
    return value && { name: fieldText(node, 'left'), value }
  },
  formatOf(node) {
    const isFormat = /^\\?v?sprintf$/.test(fieldText(node, 'function'))
    return isFormat ? syntax.argumentsOf(node) : undefined
  },
  request:
    /\$_(?:GET|POST|REQUEST|COOKIE|FILES)\b|php:\/\/input|\$request->(?:(?:query|request|cookies|headers|attributes)->get|input|get|post|query|route|cookie|header|string|validate|validated|getQueryParams|getParsedBody|getCookieParams|getContent|getQuery|getCookie|getPost)\b/,
}

function argumentListOf(call: Node): Node | undefined {
  return field(call, 'arguments') ?? call.namedChildren.find(({ type }) => type === 'arguments')
}

const request = /\$_(?:GET|POST|REQUEST|COOKIE)\b/
const cleaned = /htmlspecialchars|htmlentities|esc_|strip_tags|intval|\(int\)|\(float\)|json_encode/
const escapedForHtml = /urlencode|filter_|number_format|isset|empty|count|md5|sha1|\?|in_array/

/** Reports what a request sends and the page shows as it is. */
function checkEcho(node: Node): Hit | undefined {
  const value = node.namedChild(0)
  if (!value || !request.test(value.text)) return undefined
  if (cleaned.test(value.text) || escapedForHtml.test(value.text)) return undefined
  return {
    at: firstLine(node),
    title: 'HTML injection: a value of the request is written into the page without escaping',
    body:
      'When someone follows a link with markup in it, their browser runs the script of an ' +
      'attacker. Escape it with `htmlspecialchars`.',
  }
}

const allowList = /basename|in_array|\$\w+\[\$_|realpath|\?\s*['"]/

function checkInclude(node: Node): Hit | undefined {
  const path = node.namedChild(0)
  if (!path || allowList.test(path.text)) return undefined
  const isBuilt = path.type !== 'subscript_expression' || request.test(path.text.slice(0, 30))
  if (!isBuilt || !isFromRequest(path, syntax)) return undefined
  const values = builtTextOf(path, syntax)?.values.map(({ code }) => code) ?? [path.text]
  return {
    at: firstLine(node),
    title: `Path traversal: a request chooses which file ${quoteCode(values.join())} includes`,
    body:
      'When a request names another file, such as an uploaded one, that file is executed. ' +
      'Choose the file from a fixed list.',
  }
}

function checkSignature(node: Node): Hit | undefined {
  if (!/^[=!]==?$/.test(fieldText(node, 'operator'))) return undefined
  const sides = [field(node, 'left'), field(node, 'right')]
  const isMac = (side?: Node) =>
    side !== undefined && /^\\?hash_hmac\s*\(/.test((boundValueOf(side, syntax) ?? side).text)
  const mac = sides.find(isMac)
  if (!mac) return undefined
  return {
    at: firstLine(node),
    title: `Timing attack: the signature ${quoteCode(mac.text)} is compared with an operator`,
    body:
      'When an attacker measures response times, they can find the right signature one ' +
      'character at a time. Use `hash_equals`.',
  }
}

function checkUnserialize(_call: Node, args: readonly Node[]): boolean {
  return args.length === 1 && isSent(args[0]!, syntax)
}

const options = ['array_element_initializer', 'function_call_expression']

function isFromRequestOrVariable(
  _call: Node,
  args: readonly Node[],
  { path }: ParsedFile,
): boolean {
  return args[0] !== undefined && !/^['"]/.test(args[0].text) && !/cache|template|blade/i.test(path)
}

export const rules: LanguageRules = {
  functions: syntax.functions,
  checks: {
    'sql-injection': [
      checkSqlFragment(syntax),
      checkSql(syntax, {
        callee:
          /^\\?(?:mysqli?_(?:multi_|real_)?query|pg_(?:send_)?query|sqlite_query|odbc_exec|sqlsrv_query)$|(?:->|::)(?:query|exec|prepare|raw|select|statement|unprepared|get_results|get_var|get_row|get_col|executeQuery|executeStatement|executeUpdate|fetchAll\w*|fetchOne|fetchRow|fetchAssoc\w*|multi_query|createQuery|createNativeQuery)$/,
        condition: /(?:->|::)(?:where|having|orWhere|orHaving)Raw$/,
      }),
    ],
    'command-injection': [
      checkShell(syntax, {
        callee: /^\\?(?:exec|shell_exec|system|passthru|popen|proc_open)$|::fromShellCommandline$/,
        command: ([command]) =>
          command?.type === 'array_creation_expression' ? undefined : command,
      }),
      {
        nodes: ['shell_command_expression'],
        check: (node, file) => {
          const value = node.namedChildren.find(({ type }) => type !== 'string_content')
          return value && isFromRequest(value, syntax)
            ? shellHit(value, node, syntax, file)
            : undefined
        },
      },
    ],
    'code-injection': [
      checkCalls(syntax, {
        callee: /^\\?(?:eval|assert|create_function)$/,
        title: 'Code injection: $CALL executes a value as code',
        body: codeInjectionBody,
        when: (call, args, file) =>
          isFromRequest(args.at(-1) ?? call, syntax) && isFromRequestOrVariable(call, args, file),
      }),
    ],
    'unsafe-deserialization': [
      checkCalls(syntax, {
        callee: /^\\?unserialize$/,
        title: '$CALL creates objects from data that a user sent',
        body: deserializationBody,
        when: checkUnserialize,
      }),
    ],
    'path-traversal': [
      checkPath(
        syntax,
        /^\\?(?:file_get_contents|fopen|readfile|unlink|file_put_contents|copy|rename|move_uploaded_file|(?:storage|public|base|resource|app)_path)$|^new \\?(?:SplFileObject|BinaryFileResponse)$|(?:->|::)(?:download|streamDownload|file|sendFile|move|moveTo)$/,
      ),
      {
        nodes: [
          'include_expression',
          'include_once_expression',
          'require_expression',
          'require_once_expression',
        ],
        check: checkInclude,
      },
    ],
    'readable-secret-file': [checkSecretFile],
    'open-redirect': [
      checkRedirect(
        syntax,
        /(?:->|::|^\\?)(?:redirect|away|redirectTo)$|^new [\w\\]*RedirectResponse$|^\\?header$/,
      ),
    ],
    'html-injection': [{ nodes: ['echo_statement', 'print_intrinsic'], check: checkEcho }],
    'swallowed-error': [
      checkEmptyHandler(syntax, ['catch_clause'], (clause) => ({
        body: field(clause, 'body'),
        type: fieldText(clause, 'type'),
        name: fieldText(clause, 'name'),
        tried: clause.parent ? field(clause.parent, 'body') : undefined,
      })),
    ],
    'weak-password-hash': [checkPasswordHash(syntax, /^\\?(?:md5|sha1|crc32|hash)$/)],
    'insecure-random': [
      checkRandom(syntax, /^\\?(?:rand|mt_rand|uniqid|lcg_value|str_shuffle|array_rand)$/),
      checkPredictable(syntax, /^\\?(?:md5|sha1|hash|crc32)$/),
    ],
    'tls-verification-off': [
      checkTls(
        syntax,
        options,
        /^(?:\\?curl_setopt\s*\([^,]+,\s*)?['"]?\\?(?:CURLOPT_SSL_VERIFY(?:PEER|HOST)|verify|verify_peer|verify_peer_name|sslverify)['"]?\s*(?:,|=>)\s*(?:false|0)\s*\)?$/i,
      ),
    ],
    'signature-timing': [{ nodes: ['binary_expression'], check: checkSignature }],
  },
}
