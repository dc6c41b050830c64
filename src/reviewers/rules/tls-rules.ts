// The rule about code that disables the verification of TLS certificates.
import type { Node } from 'web-tree-sitter'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  firstLine,
  quoteCode,
} from '../../languages/common/syntax-nodes.ts'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'

const conditionalTypes = new Set([
  'if_statement',
  'ternary_expression',
  'conditional_expression',
  'switch_case',
  'elif_clause',
])

/** Whether a condition on a setting with a fitting name decides about it, so that it is meant. */
function isOptional(node: Node): boolean {
  const owner = enclosingNode(node, conditionalTypes)
  if (!owner) return false
  const condition = field(owner, 'condition') ?? field(owner, 'value') ?? owner.namedChild(1)
  return condition !== null && optionNames.test(condition.text.slice(0, 500))
}

const optionNames = /verify|insecure|ssl|tls|skip|self.?signed|reject|trust|dev|local/i

/** Whether a comment up to four lines above gives a reason. */
function hasReason(node: Node, file: ParsedFile): boolean {
  const { row } = node.startPosition
  const lines = file.lines.slice(Math.max(0, row - 4), row + 1)
  return lines.some((line) => reasonComment.test(line.slice(0, 500)))
}

const reasonComment =
  /(?:\/\/|#|\*).*(?:self.?signed|verif|insecure|local|trust|certificate|nosec|nolint)/i

function disabledHit(at: Node, what: string, file: ParsedFile): Hit | undefined {
  if (isOptional(at) || hasReason(at, file)) return undefined
  return {
    at: firstLine(at),
    title: `${quoteCode(what)} disables TLS certificate verification`,
    body:
      'When an attacker intercepts the connection, they can present any certificate, and ' +
      'read and change everything. Trust the right certificate authority instead.',
  }
}

/** JavaScript: `rejectUnauthorized: false`, `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'`. */
function checkTlsScript(node: Node, file: ParsedFile): Hit | undefined {
  const isOff = node.type === 'pair' ? isOptionOff(node) : isVariableOff(node)
  return isOff ? disabledHit(node, node.text, file) : undefined
}

function isOptionOff(pair: Node): boolean {
  if (fieldText(pair, 'value') !== 'false') return false
  return /^['"]?rejectUnauthorized['"]?$/.test(fieldText(pair, 'key'))
}

function isVariableOff(assignment: Node): boolean {
  if (!/^['"]?0['"]?$/.test(fieldText(assignment, 'right'))) return false
  return /NODE_TLS_REJECT_UNAUTHORIZED/.test(fieldText(assignment, 'left').slice(0, 100))
}

const pythonClients =
  /^(?:requests|httpx|session|client|self\.session|self\.client|aiohttp|s|http)\b/i

/** Python: `verify=False` in a call of a client, `ssl._create_unverified_context()`, attributes. */
function checkTlsPython(node: Node, file: ParsedFile): Hit | undefined {
  if (node.type === 'keyword_argument')
    return isVerifyOff(node) ? disabledHit(node, node.text, file) : undefined
  if (node.type === 'call') {
    const callee = fieldText(node, 'function')
    const isUnverified = callee === 'ssl._create_unverified_context'
    return isUnverified ? disabledHit(node, callee, file) : undefined
  }
  return isAttributeOff(node) ? disabledHit(node, node.text, file) : undefined
}

function isVerifyOff(argument: Node): boolean {
  if (fieldText(argument, 'name') !== 'verify' || fieldText(argument, 'value') !== 'False')
    return false
  const call = argument.parent?.parent
  return call ? pythonClients.test(fieldText(call, 'function')) : false
}

/** `context.check_hostname = False`, `context.verify_mode = ssl.CERT_NONE`. */
function isAttributeOff(assignment: Node): boolean {
  const left = fieldText(assignment, 'left').slice(0, 200)
  const right = fieldText(assignment, 'right')
  if (/\.check_hostname$/.test(left)) return right === 'False'
  return /\.verify_mode$/.test(left) && right === 'ssl.CERT_NONE'
}

/** Go: `tls.Config{InsecureSkipVerify: true}`. */
function checkTlsGo(node: Node, file: ParsedFile): Hit | undefined {
  const [key, value] = node.namedChildren
  if (key?.text !== 'InsecureSkipVerify' || value?.text !== 'true') return undefined
  return disabledHit(node, node.text, file)
}

/** Java: a trust manager whose `checkServerTrusted` does nothing. */
function checkTlsJava(node: Node, file: ParsedFile): Hit | undefined {
  if (fieldText(node, 'name') !== 'checkServerTrusted') return undefined
  const body = field(node, 'body')
  if (!body || codeChildren(body).length > 0) return undefined
  return disabledHit(node, 'checkServerTrusted', file)
}

export const tlsRules: readonly Rule[] = [
  {
    id: 'tls-verification-off',
    summary: 'TLS certificate verification is disabled.',
    seeAlso: ['CWE-295', 'Ruff `S501`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    syntax: [
      {
        languages: javascriptFamily,
        nodes: ['pair', 'assignment_expression'],
        check: checkTlsScript,
      },
      {
        languages: ['python'],
        nodes: ['keyword_argument', 'call', 'assignment'],
        check: checkTlsPython,
      },
      { languages: ['go'], nodes: ['keyed_element'], check: checkTlsGo },
      { languages: ['java'], nodes: ['method_declaration'], check: checkTlsJava },
    ],
  },
]
