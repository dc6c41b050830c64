// Rules about trust: secrets compared or shown, tokens and origins that nobody checks.
import type { Node } from 'web-tree-sitter'
import {
  allRuleLanguages,
  grammarFamilyOf,
  type Hit,
  javascriptFamily,
  type ParsedFile,
  type Rule,
} from './rule.ts'
import {
  argumentsOf,
  callTypes,
  enclosingFunction,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
  unwrap,
} from './syntax-nodes.ts'
import { originOf } from './value-origins.ts'

const macs: Readonly<Record<string, RegExp>> = {
  javascript: /createHmac\([\s\S]{0,300}\.digest\(/,
  python: /hmac\.new\([\s\S]{0,300}digest\(\)/,
  go: /hmac\.New\(|mac\.Sum\(nil\)|EncodeToString\(\w*(?:mac|hash|h)\.Sum\(/i,
  java: /mac\.doFinal\(/i,
}

/** A signature that is compared byte by byte until the first difference. */
function checkTiming(node: Node, file: ParsedFile): Hit | undefined {
  const isPython = node.type === 'comparison_operator'
  const operator = isPython
    ? node.childrenForFieldName('operators')[0]?.text
    : field(node, 'operator')?.type
  const sides = isPython ? node.namedChildren : [field(node, 'left'), field(node, 'right')]
  if (!/^[=!]==?$/.test(operator ?? '') || sides.length !== 2) return undefined
  const mac = sides.find((side) => side && isMac(side, file))
  const other = sides.find((side) => side && side !== mac)
  if (
    !mac ||
    !other ||
    /null|None|nil|undefined|len|length/.test(other.text) ||
    /^["'`]?\d*["'`]?$/.test(other.text)
  )
    return undefined
  return {
    at: firstLine(node),
    title: `The signature ${quoteCode(mac.text)} is compared with \`${operator}\`, which takes longer the more of it is right`,
    body: 'When an attacker measures how long the answer takes, they can find the right signature one character after the other. Use the comparison in constant time: `crypto.timingSafeEqual`, `hmac.compare_digest`, `hmac.Equal`, `MessageDigest.isEqual`.',
  }
}

/** Whether an expression computes a signature, or is a variable that got one. */
function isMac(side: Node, file: ParsedFile): boolean {
  const inner = unwrap(side)
  const isVariable =
    inner.type === 'identifier' &&
    /sig|mac|hash|digest|expected|computed|calculated/i.test(inner.text)
  const source = isVariable
    ? originOf(inner.text, inner, file)?.value
    : callTypes.includes(inner.type)
      ? inner
      : undefined
  return (
    source !== undefined && macs[grammarFamilyOf(file.language)]!.test(source.text.slice(0, 500))
  )
}

/** Python: `jwt.decode(token, options={"verify_signature": False})`. */
function checkToken(call: Node): Hit | undefined {
  const callee = fieldText(call, 'function')
  const args = fieldText(call, 'arguments')
  const isOff =
    /^(?:jwt|jose\.jwt|pyjwt)\.decode$/i.test(callee) &&
    /["']verify_signature["']\s*:\s*False|\bverify\s*=\s*False/.test(args)
  const isNone =
    /^(?:jwt|jsonwebtoken)\.(?:verify|decode)$/i.test(callee) &&
    /algorithms["']?\s*[:=]\s*\[[^\]]*["']none["']/i.test(args)
  if (!isOff && !isNone) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(callee)} takes the token without checking its signature`,
    body: 'When anyone writes a token of their own, with any user and any rights in it, it is believed. Check the signature with the key and a fixed algorithm.',
  }
}

/** `cors({ origin: true, credentials: true })`. */
function checkOrigin(node: Node): Hit | undefined {
  const text = node.text.slice(0, 2_000)
  const isScript = node.type === 'object'
  const anyOrigin = isScript
    ? /\borigin:\s*(?:true|['"]\*['"]|\(\s*\w*,\s*\w+\s*\)\s*=>\s*\w+\(null, true\))\s*[,}\n]/
    : /\ballow_origins\s*=\s*\[\s*["']\*["']\s*\]/
  const credentials = isScript ? /\bcredentials:\s*true\b/ : /\ballow_credentials\s*=\s*True\b/
  const anywhere = anyOrigin.exec(text)
  if (
    !anywhere ||
    !credentials.test(text) ||
    (!isScript && !/CORSMiddleware|CORS/.test(fieldText(node, 'arguments')))
  )
    return undefined
  const line = node.startPosition.row + 1 + text.slice(0, anywhere.index).split('\n').length - 1
  return {
    at: { startLine: line, endLine: line },
    title: 'Every site may call this one with the cookies of its visitors',
    body: 'When someone who is signed in here opens a page of an attacker, that page can read and do here what they can. Name the origins that may.',
  }
}

const logCalls =
  /^(?:console\.(?:log|info|warn|error|debug)|print|(?:logging|logger|log|_logger|LOG|LOGGER|self\.logger)\.(?:debug|info|warning|warn|error|exception)|fmt\.Print(?:ln|f)|log\.Print(?:ln|f)?|(?:slog|logger|log)\.(?:Info|Debug|Warn|Error)f?|System\.out\.println)$/

const secret =
  /^(?:password|passwd|passphrase|secret|clientSecret|client_secret|apiKey|api_key|apikey|accessToken|access_token|refreshToken|refresh_token|privateKey|private_key|secretKey|secret_key)$/i

/** A secret itself, not its length or its presence, is written to a log. */
function checkLog(call: Node): Hit | undefined {
  const callee =
    fieldText(call, 'function') || `${fieldText(call, 'object')}.${fieldText(call, 'name')}`
  // What a script prints at its top level is its output.
  if (!logCalls.test(callee) || (callee === 'print' && !enclosingFunction(call))) return undefined
  const values = argumentsOf(call).flatMap((argument) => {
    if (argument.type === 'template_string' || argument.type === 'string')
      return findNodes(argument, 'template_substitution', 'interpolation').map(
        (hole) => field(hole, 'expression') ?? hole.namedChild(0)!,
      )
    return argument.type === 'binary_expression' || argument.type === 'binary_operator'
      ? [field(argument, 'right')!]
      : [argument]
  })
  const shown = values.find((value) => value && secret.test(nameOf(unwrap(value))))
  if (!shown) return undefined
  return {
    at: firstLine(shown),
    title: `${quoteCode(shown.text)} is written to the log`,
    body: `When this runs, everyone who can read the logs, and every service that they are sent to, can use it. Leave it out, or say only whether it is there.`,
  }
}

function nameOf(node: Node): string {
  if (node.type === 'identifier') return node.text
  return (field(node, 'property') ?? field(node, 'attribute') ?? field(node, 'field'))?.text ?? ''
}

export const trustRules: readonly Rule[] = [
  {
    id: 'signature-timing',
    summary: 'A signature (HMAC) is compared with an operator that stops at the first difference.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    syntax: [
      {
        languages: [...javascriptFamily, 'python', 'go'],
        nodes: ['binary_expression', 'comparison_operator'],
        check: checkTiming,
      },
    ],
  },
  {
    id: 'token-not-verified',
    summary: 'A signed token (JWT) is read without checking its signature.',
    severity: 'critical',
    category: 'security',
    confidence: 0.85,
    syntax: [{ languages: [...javascriptFamily, 'python'], nodes: callTypes, check: checkToken }],
  },
  {
    id: 'any-origin-with-credentials',
    summary: 'Every origin may make requests with the cookies of its visitors.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    syntax: [
      { languages: javascriptFamily, nodes: ['object'], check: checkOrigin },
      { languages: ['python'], nodes: ['call'], check: checkOrigin },
    ],
  },
  {
    id: 'secret-in-log',
    summary: 'A password, key or token is written to the log.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
    syntax: [{ languages: allRuleLanguages, nodes: callTypes, check: checkLog }],
  },
]
