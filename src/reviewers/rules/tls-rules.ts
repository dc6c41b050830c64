// The rule about checks of TLS certificates that are switched off.
import type { Node } from 'web-tree-sitter'
import { type Hit, javascriptFamily, type ParsedFile, type Rule } from './rule.ts'
import {
  codeChildren,
  enclosingNode,
  field,
  fieldText,
  firstLine,
  quoteCode,
} from './syntax-nodes.ts'

const conditional = new Set([
  'if_statement',
  'ternary_expression',
  'conditional_expression',
  'switch_case',
  'elif_clause',
])

/** Whether a setting that says so decides: then it is off because someone asked for it. */
function isOptional(node: Node): boolean {
  const owner = enclosingNode(node, conditional)
  const condition =
    owner &&
    (field(owner, 'condition') ?? field(owner, 'value') ?? owner.namedChild(1) ?? undefined)
  return (
    condition !== undefined &&
    /verify|insecure|ssl|tls|skip|self.?signed|reject|trust|dev|local/i.test(
      condition.text.slice(0, 500),
    )
  )
}

/** Whether someone says above why the check is off. */
function hasReason(node: Node, file: ParsedFile): boolean {
  const row = node.startPosition.row
  return file.lines
    .slice(Math.max(0, row - 4), row + 1)
    .some((line) =>
      /(?:\/\/|#|\*).*(?:self.?signed|verif|insecure|local|trust|certificate|nosec|nolint)/i.test(
        line.slice(0, 500),
      ),
    )
}

function disabledHit(at: Node, what: string, file: ParsedFile): Hit | undefined {
  if (isOptional(at) || hasReason(at, file)) return undefined
  return {
    at: firstLine(at),
    title: `${quoteCode(what)} switches the check of TLS certificates off`,
    body: 'When someone stands between this program and the server, they can show any certificate, read and change everything, and nobody notices. Trust the right certificate authority instead.',
  }
}

function checkTlsScript(node: Node, file: ParsedFile): Hit | undefined {
  if (node.type === 'pair') {
    const isOff =
      /^['"]?rejectUnauthorized['"]?$/.test(fieldText(node, 'key')) &&
      fieldText(node, 'value') === 'false'
    return isOff ? disabledHit(node, node.text, file) : undefined
  }
  const right = field(node, 'right')
  const isOff =
    /NODE_TLS_REJECT_UNAUTHORIZED/.test(fieldText(node, 'left').slice(0, 100)) &&
    /^['"]?0['"]?$/.test(right?.text ?? '')
  return isOff ? disabledHit(node, node.text, file) : undefined
}

const pythonClients =
  /^(?:requests|httpx|session|client|self\.session|self\.client|aiohttp|s|http)\b/i

function checkTlsPython(node: Node, file: ParsedFile): Hit | undefined {
  if (node.type === 'keyword_argument') {
    const call = node.parent?.parent
    const isOff = fieldText(node, 'name') === 'verify' && fieldText(node, 'value') === 'False'
    return isOff && call && pythonClients.test(fieldText(call, 'function'))
      ? disabledHit(node, node.text, file)
      : undefined
  }
  if (node.type === 'call')
    return fieldText(node, 'function') === 'ssl._create_unverified_context'
      ? disabledHit(node, 'ssl._create_unverified_context', file)
      : undefined
  const isOff =
    (/\.check_hostname$/.test(fieldText(node, 'left').slice(0, 200)) &&
      fieldText(node, 'right') === 'False') ||
    (/\.verify_mode$/.test(fieldText(node, 'left').slice(0, 200)) &&
      fieldText(node, 'right') === 'ssl.CERT_NONE')
  return isOff ? disabledHit(node, node.text, file) : undefined
}

function checkTlsGo(node: Node, file: ParsedFile): Hit | undefined {
  const [key, value] = node.namedChildren
  return key?.text === 'InsecureSkipVerify' && value?.text === 'true'
    ? disabledHit(node, node.text, file)
    : undefined
}

function checkTlsJava(node: Node, file: ParsedFile): Hit | undefined {
  const body = field(node, 'body')
  const isOff =
    fieldText(node, 'name') === 'checkServerTrusted' &&
    body !== undefined &&
    codeChildren(body).length === 0
  return isOff ? disabledHit(node, 'checkServerTrusted', file) : undefined
}

export const tlsRules: readonly Rule[] = [
  {
    id: 'tls-verification-off',
    summary: 'The check of TLS certificates is switched off.',
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
