// Defines what the static reviewer checks in PHP.
import type { Node } from 'web-tree-sitter'
import { builtTextOf } from '../rules/built-text.ts'
import type { LanguageRules } from '../rules/language-rules.ts'
import { valueTextOf } from '../rules/local-values.ts'
import { isSent } from '../rules/sent-values.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import { field, fieldText, firstLine, quoteCode } from '../rules/syntax-nodes.ts'

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

function checkInclude(node: Node, file: ParsedFile): Hit | undefined {
  const path = node.namedChild(0)
  if (!path || allowList.test(path.text)) return undefined
  const isBuilt = path.type !== 'subscript_expression' || request.test(path.text.slice(0, 30))
  if (!isBuilt || !isSent(path, file)) return undefined
  const values = builtTextOf(path, file)?.values.map(({ code }) => code) ?? [path.text]
  return {
    at: firstLine(node),
    title: `Path traversal: a request chooses which file ${quoteCode(values.join())} includes`,
    body:
      'When a request names another file, such as an uploaded one, that file is executed. ' +
      'Choose the file from a fixed list.',
  }
}

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

export const rules: LanguageRules = {
  checks: {
    'ignored-error': [{ nodes: ['expression_statement'], check: checkIgnoredFileCall }],
    'index-as-truth': [
      { nodes: ['function_call_expression', 'variable_name'], check: checkIndexAsTruth },
    ],
    'path-traversal': [
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
  },
}
