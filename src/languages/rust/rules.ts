// Defines what the static reviewer checks in Rust.
import type { Node } from 'web-tree-sitter'
import type { CodeSyntax } from '../rules/code-syntax.ts'
import {
  checkPasswordHash,
  checkPieces,
  checkShell,
  checkShellList,
  checkSql,
  checkSqlFragment,
  checkTls,
} from '../rules/danger-checks.ts'
import { endlessLoops } from '../rules/endless-loops.ts'
import { checkAnyOrigin, checkSecretFile } from '../rules/exposure-checks.ts'
import { implicitRecursion } from '../rules/implicit-recursion.ts'
import type { LanguageRules } from '../rules/language-rules.ts'
import { mixedMeasures } from '../rules/mixed-measures.ts'
import { checkRequests } from '../rules/request-checks.ts'
import { requestSinks } from '../rules/request-sinks.ts'
import { storedValues } from '../rules/stored-values.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import { argumentsOf, field, fieldText, firstLine, quoteCode } from '../rules/syntax-nodes.ts'
import { unchangedCounter } from '../rules/unchanged-counter.ts'
import { unsynchronizedState } from '../rules/unsynchronized-state.ts'
import { comparedSignatures, weakEncryption } from '../rules/weak-secrets.ts'
import { zoneMixes } from '../rules/zone-mixes.ts'

const syntax: CodeSyntax = {
  calls: ['call_expression'],
  calleeOf: (call) => fieldText(call, 'function'),
  argumentsOf,
  functions: ['function_item', 'closure_expression'],
  literals: ['string_literal', 'raw_string_literal'],
  insertion: () => undefined,
  joiner: '+',
  bindings: ['let_declaration'],
  bindingOf(node) {
    const value = field(node, 'value')
    return value && { name: fieldText(node, 'pattern').replace(/^mut\s+/, ''), value }
  },
  unwrap(node) {
    if (node.type === 'reference_expression') return field(node, 'value')
    const callee = field(node, 'function')
    const isCopy = /^(?:as_str|to_string|to_owned|as_ref|clone|into)$/.test(
      callee ? fieldText(callee, 'field') : '',
    )
    if (callee && isCopy) return field(callee, 'value')
    return /^String::from$|AssertSqlSafe$/.test(callee?.text ?? '')
      ? argumentsOf(node)[0]
      : undefined
  },
  formatOf(node) {
    if (node.type !== 'macro_invocation' || fieldText(node, 'macro') !== 'format') return undefined
    const tokens = node.namedChildren.find(({ type }) => type === 'token_tree')
    return tokens && splitTokens(tokens)
  },
  request:
    /\b(?:req|request)\.(?:match_info|query_string|headers|cookie|uri|param|params|query|path)\(\)|\bfield\.file_name\(\)|\.get_filename\(\)/,
}

/** Returns the first token of each argument of a macro; longer ones stand for themselves. */
function splitTokens(tokens: Node): Node[] {
  const values: Node[] = []
  let isFirst = true
  for (const child of tokens.children.slice(1, -1)) {
    if (child.type === ',') isFirst = true
    else if (isFirst) {
      values.push(child)
      isFirst = false
    }
  }
  return values
}

/** Reports the clock time of a moment in UTC, where the code has the zone that is meant. */
function checkUtcClock(call: Node, { text }: ParsedFile): Hit | undefined {
  const read = /(?:\b(\w+)|Utc::now\(\))\.(?:time|date_naive|hour|weekday)\(\)$/.exec(
    call.text.slice(-200),
  )
  if (!read || !/\b\w*(?:zone|tz)\w*: (?:\w+::)?Tz\b/.test(text)) return undefined
  if (read[1] && !new RegExp(`\\b${read[1]}: DateTime<Utc>`).test(text)) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(call.text)} is in UTC, not in the zone that this code has`,
    body:
      'When that zone differs, everything that is compared with it is off by hours. Convert the ' +
      'time with `with_timezone` first.',
    severity: 'moderate',
    confidence: 0.85,
  }
}

const writes =
  /\.(?:write_all|sync_all|sync_data|commit)$|^(?:std::)?fs::(?:write|rename|copy|set_permissions)$/

/** Reports `let _ =` for what writes, where nothing else shows that it failed. */
function checkIgnoredResult(node: Node): Hit | undefined {
  const call = field(node, 'value')
  if (fieldText(node, 'pattern') !== '_' && node.text.indexOf('let _ =') !== 0) return undefined
  const inner = call?.type === 'await_expression' ? call.namedChild(0)! : call
  if (inner?.type !== 'call_expression' || !writes.test(fieldText(inner, 'function')))
    return undefined
  if (/std(?:out|err)\b/.test(inner.text)) return undefined
  return {
    at: firstLine(node),
    title: `The error of ${quoteCode(inner.text)} is ignored`,
    body:
      'When the disk is full or the connection breaks, data is lost and nothing is reported. ' +
      'Return the error with `?`, or report it.',
  }
}

// Rust has no data that names the types of its objects.
const { 'unsafe-deserialization': _, ...requests } = checkRequests(syntax, requestSinks.rust)

export const rules: LanguageRules = {
  functions: syntax.functions,
  checks: {
    ...requests,
    'time-without-zone': [zoneMixes, { nodes: ['call_expression'], check: checkUtcClock }],
    'signature-timing': [comparedSignatures],
    'weak-encryption': [weakEncryption],
    'endless-loop': endlessLoops,
    'infinite-recursion': [unchangedCounter, ...implicitRecursion],
    'lost-update': [storedValues, unsynchronizedState],
    'time-unit': mixedMeasures,
    'sql-injection': [
      checkSqlFragment(syntax),
      ...checkPieces(syntax),
      checkSql(syntax, {
        callee:
          /(?:^|::|\.)(?:query|query_as|query_scalar|query_with|raw_sql|sql_query|execute|execute_batch|batch_execute|prepare|query_row|query_one|query_opt|query_map|simple_query|raw)(?:::<.*>)?$/s,
      }),
    ],
    'readable-secret-file': [checkSecretFile],
    'any-origin-with-credentials': [checkAnyOrigin],
    'command-injection': [
      checkShellList(syntax),
      checkShell(syntax, {
        callee:
          /Command::new\(\s*"(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh"\s*\)[\s\S]*"-l?c"\s*\]?\s*\)\s*\.args?$/,
        command: ([command]) => command,
      }),
    ],
    'tls-verification-off': [
      checkTls(
        syntax,
        ['call_expression'],
        /\.(?:danger_accept_invalid_(?:certs|hostnames)|tls_danger_accept_invalid_certs)\(\s*true\s*\)$|\bset_verify\(\s*SslVerifyMode::NONE\s*\)$/,
      ),
    ],
    'weak-password-hash': [
      checkPasswordHash(syntax, /^(?:\w+::)*(?:Md5|Sha1|Sha256|Sha512)::digest$|^md5::compute$/),
    ],
    'ignored-error': [{ nodes: ['let_declaration'], check: checkIgnoredResult }],
  },
}
