// Rules about protections that are off, and secrets that can be guessed, until someone sets them.
import type { Node } from 'web-tree-sitter'
import { valueTextOf } from '../../languages/rules/local-values.ts'
import { field, firstLine, quoteCode } from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule, TextLine } from './rule.ts'

/** Reads a variable of the environment or a setting. Its group is the name. */
const reads = [
  String.raw`process\.env(?:\.|\[["'])(\w+)["'\]]*`,
  String.raw`(?:\w+\.)*(?:getenv|Getenv|environ\.get|GetEnvironmentVariable|getOrDefault|getEnv|GetEnv|env|fetch)\(\s*["'](\w+)["']`,
  String.raw`(?:ENV|\$_ENV|\$_SERVER|environ|[cC]onfiguration|[cC]onfig)\[["']([\w:.]+)["']\]`,
  String.raw`env::var\("(\w+)"\)`,
].join('|')

/** What follows, up to the default: `, ""`, `?? ''` or `.unwrap_or("".into())`. */
const otherwise = String.raw`\)*\s*(?:,|\?\?|\|\||\?:|\bor\b|\.unwrap_or(?:_else)?\((?:\|_\|\s*)?)\s*`

const beforeDefault = new RegExp(`(?:${reads})${otherwise}$`)

/** Names of secrets with which this program signs, verifies or encrypts. */
const ownSecret =
  /secret|sign|hmac|jwt|encrypt|session|cookie|csrf|pepper|salt|(?:unsubscribe|verification|invite|reset|link|token|webhook)_?key/i
/** What other services check, and what is no secret. */
const othersSecret =
  /client|api|access|aws|s3|oauth|google|github|stripe|public|name|prefix|domain|file|path|url|ttl|expir/i

const guessable = /^$|secret|change|default|dev|test|insecure|password|please|example|12345/i

const usesSecret =
  /hmac|\bjwt|\bsign|verif|encrypt|cipher|secure_compare|hash_equals|compare_digest|SECRET_KEY\s*=/i

/** Reports `getenv('SIGNING_KEY') ?: ''`. */
function checkDefault(literal: Node, file: ParsedFile): Hit | undefined {
  const content = literal.text.replace(/^[a-zA-Z]{0,2}["'`]|["'`]$/g, '')
  if (content.length > 40 || !guessable.test(content)) return undefined
  const start = literal.startIndex
  const before = file.text.slice(Math.max(0, start - 120), start)
  const match = /env|config|fetch|default/i.test(before) ? beforeDefault.exec(before) : null
  const name = match?.slice(1).find((each) => each !== undefined)
  if (!name || !ownSecret.test(name) || othersSecret.test(name)) return undefined
  if (!usesSecret.test(file.text) || isTested(literal, file)) return undefined
  return {
    at: firstLine(literal),
    title:
      `The secret ${quoteCode(name)} ${content ? 'can be guessed' : 'is empty'} ` +
      'if it is not set',
    body:
      `When ${quoteCode(name)} isn't set, everyone knows the secret, and can make what this ` +
      'program takes for its own. Require it when the program starts.',
  }
}

/** Whether the code refuses an empty value, or what it is set to. */
function isTested(literal: Node, { text }: ParsedFile): boolean {
  const start = text.lastIndexOf('\n', literal.startIndex) + 1
  const name = /([A-Za-z_]\w*)\s*(?::[^=\n]{0,40})?:?=/.exec(
    text.slice(start, literal.startIndex),
  )?.[1]
  if (!name) return false
  return new RegExp(
    String.raw`(?:!|\bnot |\bif \(?|\bunless |empty\(|len\()\$?(?:\w+[.>-]+)?${name}\b|\b${name}\)? ?(?:[=!]==? ?["'n]|\.(?:isEmpty|isBlank|blank\?|empty\?|is_empty|length))|IsNullOr\w+\(\w*${name}`,
  ).test(text)
}

const environment = String.raw`[\w.]{0,20}\(?(?:${reads.replace(/\((\w|\[)/g, '(?:$1')})[^;]{0,30}?\s*`

const protections =
  'rejectUnauthorized|verify(?:_?(?:ssl|tls|peer|certs?))?|ssl_verify\\w*|CURLOPT_SSL_VERIFYPEER|force_ssl|strictSSL'
const openings =
  'InsecureSkipVerify|consider_all_requests_local|DEBUG|APP_DEBUG|display_errors|insecure|trust_?all\\w*'

/** `rejectUnauthorized: process.env.VERIFY_TLS === 'true'`. */
const offUnlessSet = new RegExp(
  String.raw`\b(${protections})\b['"]?\s*(?:=>|:|=|,)\s*${environment}(?:===?|eq)\s*["'](?:true|1|yes|on)["']`,
  'i',
)
/** `DEBUG = os.environ.get("DEBUG") != "false"`. */
const onUnlessSet = new RegExp(
  String.raw`\b(${openings})\b['"]?\s*(?:=>|:|=|,)\s*(?:${environment}(?:!==?)\s*["'](?:false|0|no|off)["']|[\w.]{0,20}\(?(?:${reads.replace(/\((\w|\[)/g, '(?:$1')}),\s*["']?(?:true|1)["']?\))`,
  'i',
)

function checkLine({ text, isTest }: TextLine): Omit<Hit, 'at'> | undefined {
  if (isTest || /^\s*(?:\/\/|#|\*)/.test(text)) return undefined
  const off = offUnlessSet.exec(text)?.[1]
  const on = off ? undefined : onUnlessSet.exec(text)?.[1]
  if (!off && !on) return undefined
  return {
    title: off
      ? `\`${off}\` is off unless someone sets a variable`
      : `\`${on}\` is on unless someone sets a variable`,
    body:
      'When a deployment lacks the variable, it runs without this protection, and nothing says ' +
      'so. Make the safe value the default.',
  }
}

/** Every origin, also of one scheme. */
const anyOrigin = /^["'`](?:https?:\/\/)?\*["'`]$/
const credentials = /credentials["']?\]?\s*(?:\(|:|=>|=|,)\s*["']?(?:true|True)/i

/** Reports `"*"` as an origin in a function that allows credentials. */
function checkOrigin(literal: Node, file: ParsedFile): Hit | undefined {
  const isHeader = /Access-Control-Allow-Origin/.test(literal.text)
  if (!isHeader && !anyOrigin.test(literal.text)) return undefined
  const start = file.text.lastIndexOf('\n', literal.startIndex) + 1
  const line = file.text.slice(start, literal.endIndex + 120).split('\n')[0]!
  let around = literal
  while (around.parent && around.parent.endIndex - around.parent.startIndex < 1_500)
    around = around.parent
  if (!credentials.test(around.text)) return undefined
  const isReflected = isHeader && reflects(literal, line) && !looksAtOrigin.test(around.text)
  if (!isReflected && (isHeader || !/origin/i.test(line))) return undefined
  return {
    at: firstLine(literal),
    title: 'CORS allows every origin to send requests with credentials',
    body:
      "When a signed-in user opens an attacker's page, that page can read and do here " +
      'whatever the user can. List the allowed origins.',
  }
}

const requestOrigin = /headers?(?:\.|\[["']|\.get\(["']|\.Get\(")origin|HTTP_ORIGIN/i
const looksAtOrigin =
  /in_array|includes\(|contains|include\?|\ballowed\w*[.[(]|[=!]==|\bin [A-Za-z_]+|\.test\(|match/

/** Whether a header gets the origin of the request. */
function reflects(literal: Node, line: string): boolean {
  const after = line.slice(line.indexOf('Access-Control-Allow-Origin') + 27)
  if (requestOrigin.test(after)) return true
  const value = literal.nextNamedSibling ?? literal.parent?.nextNamedSibling
  const right = literal.parent && field(literal.parent, 'right')
  return [value, right].some((node) => node && requestOrigin.test(valueTextOf(node)))
}

const literalTypes = [
  ...['string', 'string_literal', 'interpreted_string_literal', 'raw_string_literal'],
  ...['encapsed_string', 'template_string', 'verbatim_string_literal'],
]

/** The check of `any-origin-with-credentials` for all languages. */
export const anyOriginLiteral = {
  nodes: literalTypes,
  check: checkOrigin,
} as const

export const defaultRules: readonly Rule[] = [
  {
    id: 'guessable-secret',
    summary: 'A secret for signatures or encryption is empty or well known if it is not set.',
    seeAlso: ['CWE-1188', 'CWE-321'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.85,
    syntax: [{ nodes: literalTypes, check: checkDefault }],
  },
  {
    id: 'unsafe-unless-set',
    summary: 'A protection is off, or debug output on, unless an environment variable is set.',
    seeAlso: ['CWE-1188', 'CWE-489'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.85,
    line: checkLine,
    keyword: new RegExp(`${protections}|${openings}`, 'i'),
  },
]
