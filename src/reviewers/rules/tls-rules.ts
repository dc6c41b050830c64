// The rule about code that disables the verification of TLS certificates.
import type { Node } from 'web-tree-sitter'
import { disabledTls, tlsBody } from '../../languages/rules/danger-checks.ts'
import { enclosingNode, field } from '../../languages/rules/syntax-nodes.ts'
import type { ParsedFile, Rule } from './rule.ts'

const conditionalTypes = new Set([
  'if_statement',
  'ternary_expression',
  'conditional_expression',
  'switch_case',
  'expression_case',
  'case_clause',
  'elif_clause',
])

/** Whether a condition on a setting with a fitting name decides about it, so that it is meant. */
function isOptional(node: Node): boolean {
  const owner = enclosingNode(node, conditionalTypes)
  if (!owner) return false
  const condition =
    field(owner, 'condition') ??
    field(owner, 'value') ??
    owner.namedChild(owner.type === 'case_clause' ? 0 : 1)
  return condition !== null && optionNames.test(condition.text.slice(0, 500))
}

const optionNames =
  /verify|insecure|unsafe|invalid|ssl|tls|certs?\b|skip|self.?signed|reject|trust|dev|local/i

/** Whether a comment up to four lines above gives a reason. */
function hasReason(node: Node, file: ParsedFile): boolean {
  const { row } = node.startPosition
  const lines = file.lines.slice(Math.max(0, row - 4), row + 1)
  return lines.some((line) => reasonComment.test(line.slice(0, 500)))
}

const reasonComment =
  /(?:\/\/|#|\*).*(?:self.?signed|verif|insecure|local|trust|certificate|nosec|nolint)/i

const pythonClients =
  /^(?:requests|httpx|session|client|self\.session|self\.client|aiohttp|s|http)\b/i

export const tlsRules: readonly Rule[] = [
  {
    id: 'tls-verification-off',
    summary: 'TLS certificate verification is disabled.',
    seeAlso: ['CWE-295', 'Ruff `S501`'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.9,
    title: '$MATCH disables TLS certificate verification',
    body: tlsBody,
    patterns: {
      javascript: [
        '({ «rejectUnauthorized: false» })',
        "({ «'rejectUnauthorized': false» })",
        '$_.NODE_TLS_REJECT_UNAUTHORIZED = $OFF',
        '({ «strictSSL: false» })',
        "$_['NODE_TLS_REJECT_UNAUTHORIZED'] = $OFF",
      ],
      python: [
        '$_.check_hostname = False',
        '$_.verify_mode = ssl.CERT_NONE',
        '$CLIENT.verify = False',
      ],
      go: ['T{«InsecureSkipVerify: true»}', '$_.InsecureSkipVerify = true'],
      java: [
        '$_.setHostnameVerifier(($_, $_) -> true)',
        '$_.hostnameVerifier(($_, $_) -> true)',
        'NoopHostnameVerifier.INSTANCE',
        'InsecureTrustManagerFactory.INSTANCE',
        'TrustAllStrategy.INSTANCE',
      ],
    },
    where: { OFF: /^['"]?0['"]?$/, CLIENT: pythonClients },
    refine: ({ node }, file) => !isOptional(node) && !hasReason(node, file),
    syntax: [
      disabledTls,
      { patterns: { python: ['f(«verify=False»)'] }, inside: ['$CLIENT($$$)'] },
      {
        patterns: {
          python: ['f(«ssl=False»)', 'f(«verify_ssl=False»)', 'f(«cert_reqs=ssl.CERT_NONE»)'],
        },
        inside: ['$CONNECTOR($$$)'],
        where: {
          CONNECTOR: /TCPConnector$|[sS]ession\.\w+$|PoolManager$|Elasticsearch$|wrap_socket$/,
        },
      },
      {
        patterns: { python: ['ssl._create_unverified_context($$$)'] },
        title: '`ssl._create_unverified_context` disables TLS certificate verification',
      },
      {
        patterns: {
          java: [
            'void checkServerTrusted($_ $_, $_ $_) {}',
            'void checkServerTrusted($_ $_, $_ $_, $_ $_) {}',
          ],
        },
        title: '`checkServerTrusted` disables TLS certificate verification',
      },
    ],
  },
]
