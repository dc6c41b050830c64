// Defines what the static reviewer checks in PHP.
import type { Node } from 'web-tree-sitter'
import { builtTextOf } from '../rules/built-text.ts'
import type { CodeSyntax } from '../rules/code-syntax.ts'
import {
  checkPasswordHash,
  checkPredictable,
  checkRandom,
  checkTls,
} from '../rules/danger-checks.ts'
import { formatCounts } from '../rules/format-counts.ts'
import type { LanguageRules } from '../rules/language-rules.ts'
import { valueTextOf } from '../rules/local-values.ts'
import { droppedNarrowing } from '../rules/overwritten-values.ts'
import { checkInputs } from '../rules/request-checks.ts'
import { isSent } from '../rules/sent-values.ts'
import { sinks } from '../rules/sinks.ts'
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
  literals: ['string', 'encapsed_string', 'heredoc', 'nowdoc', 'shell_command_expression'],
  joiner: '.',
  bindings: ['assignment_expression'],
  bindingOf(node) {
    const value = field(node, 'right')
    return value && { name: fieldText(node, 'left'), value }
  },
  request:
    /\$_(?:GET|POST|REQUEST|COOKIE|FILES)\b|php:\/\/input|\$args\[|\$(?:this->)?(?:request|req)->(?:(?:query|request|cookies|headers|attributes|files)->(?:get\w*|all)|input|get|post|query|route|cookie|header|string|all|json|validate|validated|getQueryParams|getParsedBody|getCookieParams|getContent|getQuery|getCookie|getPost|getParam|getVar|getQueryParam|getBodyParam|getAttribute)\b|\$(?:this->)?request->(?:\w*(?:url|path|file|name|next|redirect|return)\w*)\b(?!\()|\$request\[|\brequest\(\)->(?:input|get|query|post|header|cookie)\b|\brequest\(['"]|\bInput::get\(/i,
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
  if (!isBuilt || !isSent(path, syntax)) return undefined
  const values = builtTextOf(path, syntax)?.values.map(({ code }) => code) ?? [path.text]
  return {
    at: firstLine(node),
    title: `Path traversal: a request chooses which file ${quoteCode(values.join())} includes`,
    body:
      'When a request names another file, such as an uploaded one, that file is executed. ' +
      'Choose the file from a fixed list.',
  }
}

const options = ['array_element_initializer', 'function_call_expression']

const fileCall = /^\\?(copy|rename|move_uploaded_file)$/

/** A test of a call that changes files, as the rest of a file may make them. */
const testedFileCall =
  /(?:!\s*@?|if \(@?|=\s*@?)\\?(?:copy|rename|unlink|mkdir|file_put_contents|move_uploaded_file|fopen|touch)\(/

/** Reports `copy($a, $b);` in a file that tests such calls elsewhere. */
function checkIgnoredFileCall(statement: Node, { text }: ParsedFile): Hit | undefined {
  const call = statement.namedChild(0)
  if (call?.type !== 'function_call_expression') return undefined
  const name = fileCall.exec(fieldText(call, 'function'))?.[1]
  if (!name || !testedFileCall.test(text) || /set_error_handler/.test(text)) return undefined
  return {
    at: firstLine(statement),
    title: `The result of \`${name}\` is ignored`,
    body:
      `When \`${name}\` fails, it returns false and the code continues as if it had succeeded. ` +
      'Test the result, as this file does for other files.',
  }
}

/** Functions that return an index, or `false`. */
const search = /^\\?(?:(?:mb_)?str(?:i|r|ri)?pos|array_search)\(/

/** Whether a value is a condition, negated, or compared loosely. */
function isTestedLoosely({ parent }: Node): boolean {
  const outer = parent?.type === 'parenthesized_expression' ? parent.parent : parent
  if (outer?.type === 'if_statement') return true
  if (outer?.type === 'unary_op_expression') return outer.text.startsWith('!')
  return (
    outer?.type === 'binary_expression' &&
    /^(?:==|!=|<>)$/.test(field(outer, 'operator')?.type ?? '') &&
    /^(?:true|false|null|0)$/i.test(fieldText(outer, 'right'))
  )
}

/** Reports `strpos($text, $part) == false`, which also holds for a match at the start. */
function checkIndexAsTruth(call: Node): Hit | undefined {
  if (!isTestedLoosely(call) || !search.test(valueTextOf(call))) return undefined
  return {
    at: firstLine(call),
    title: `The condition tests the index from ${quoteCode(call.text)} as if it were a boolean`,
    body:
      'When the part is found at the start, the index is 0, which counts as false. Compare it ' +
      'with `=== false`, or use `str_contains` or `str_starts_with`.',
  }
}

const inputs = checkInputs(syntax, sinks.php)

export const rules: LanguageRules = {
  functions: syntax.functions,
  checks: {
    ...inputs,
    'ignored-error': [{ nodes: ['expression_statement'], check: checkIgnoredFileCall }],
    'index-as-truth': [
      { nodes: ['function_call_expression', 'variable_name'], check: checkIndexAsTruth },
    ],
    'format-arguments': [
      formatCounts(syntax, [
        {
          callee: /^\\?s?printf$/,
          style: 'printf',
          outcome: 'it throws an `ArgumentCountError`',
        },
      ]),
    ],
    'overwritten-value': [droppedNarrowing(syntax)],
    'path-traversal': [
      ...inputs['path-traversal'],
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
    'html-injection': [{ nodes: ['echo_statement', 'print_intrinsic'], check: checkEcho }],
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
  },
}
