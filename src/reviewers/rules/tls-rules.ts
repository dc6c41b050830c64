// The rule about code that disables the verification of TLS certificates.
import type { Node } from 'web-tree-sitter'
import type { Match } from '../../languages/common/pattern-check.ts'
import { enclosingNode, field } from '../../languages/common/syntax-nodes.ts'
import { javascriptFamily, type ParsedFile, type Rule } from './rule.ts'

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

function isUnexplained({ node }: Match, file: ParsedFile): boolean {
  return !isOptional(node) && !hasReason(node, file)
}

const pythonClients =
  /^(?:requests|httpx|session|client|self\.session|self\.client|aiohttp|s|http)\b/i

export const tlsRules: readonly Rule[] = [
  {
    id: 'tls-verification-off',
    summary: 'TLS certificate verification is disabled.',
    seeAlso: ['CWE-295', 'Ruff `S501`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    title: '$MATCH disables TLS certificate verification',
    body:
      'When an attacker intercepts the connection, they can present any certificate, and ' +
      'read and change everything. Trust the right certificate authority instead.',
    syntax: [
      {
        languages: javascriptFamily,
        patterns: [
          '({ «rejectUnauthorized: false» })',
          "({ «'rejectUnauthorized': false» })",
          '$_.NODE_TLS_REJECT_UNAUTHORIZED = $OFF',
          "$_['NODE_TLS_REJECT_UNAUTHORIZED'] = $OFF",
        ],
        where: { OFF: /^['"]?0['"]?$/ },
        refine: isUnexplained,
      },
      {
        languages: ['python'],
        patterns: ['f(«verify=False»)'],
        inside: ['$CLIENT($$$)'],
        where: { CLIENT: pythonClients },
        refine: isUnexplained,
      },
      {
        languages: ['python'],
        patterns: ['ssl._create_unverified_context($$$)'],
        title: '`ssl._create_unverified_context` disables TLS certificate verification',
        refine: isUnexplained,
      },
      {
        languages: ['python'],
        patterns: ['$_.check_hostname = False', '$_.verify_mode = ssl.CERT_NONE'],
        refine: isUnexplained,
      },
      {
        languages: ['go'],
        patterns: ['T{«InsecureSkipVerify: true»}'],
        refine: isUnexplained,
      },
      {
        languages: ['java'],
        patterns: [
          'void checkServerTrusted($_ $_, $_ $_) {}',
          'void checkServerTrusted($_ $_, $_ $_, $_ $_) {}',
        ],
        title: '`checkServerTrusted` disables TLS certificate verification',
        refine: isUnexplained,
      },
    ],
  },
]
