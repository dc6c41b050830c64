// Rules about signatures, tokens and origins that code trusts too much, and about logged secrets.
import type { Node } from 'web-tree-sitter'
import { callTypes, readCall } from '../../languages/rules/calls.ts'
import { checkAnyOrigin, checkSecretFile } from '../../languages/rules/exposure-checks.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { pickByLanguage } from '../../languages/rules/language-rules.ts'
import { functionTextOf } from '../../languages/rules/local-values.ts'
import { unwrap } from '../../languages/rules/operations.ts'
import {
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { comparedSignatures } from '../../languages/rules/weak-secrets.ts'
import { anyOriginLiteral } from './default-rules.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { originOf } from './value-origins.ts'

/** Code that calculates a message authentication code. */
const macs: Readonly<Record<string, RegExp>> = {
  javascript: /createHmac\([\s\S]{0,300}\.digest\(/,
  python: /hmac\.new\([\s\S]{0,300}digest\(\)/,
  go: /hmac\.New\(|mac\.Sum\(nil\)|EncodeToString\(\w*(?:mac|h)\.Sum\(/i,
  java: /mac\.doFinal\(/i,
}

/** Reports a signature that is compared with an operator, which stops at the first difference. */
function checkTiming(node: Node, file: ParsedFile): Hit | undefined {
  const isPython = node.type === 'comparison_operator'
  const operator = isPython
    ? node.childrenForFieldName('operators')[0]?.text
    : field(node, 'operator')?.type
  const sides = isPython ? node.namedChildren : [field(node, 'left'), field(node, 'right')]
  if (!/^[=!]==?$/.test(operator ?? '') || sides.length !== 2) return undefined
  const mac = sides.find((side) => side && isMac(side, file))
  const other = sides.find((side) => side && side !== mac)
  if (!mac || !other || isMissingOrLength(other)) return undefined
  return {
    at: firstLine(node),
    title:
      `Timing attack: the signature ${quoteCode(mac.text)} is compared with \`${operator}\`, ` +
      "which isn't constant-time",
    body:
      'When an attacker measures response times, they can find the right signature one ' +
      'character at a time. Use a constant-time comparison: `crypto.timingSafeEqual`, ' +
      '`hmac.compare_digest`, `hmac.Equal`, `MessageDigest.isEqual`.',
  }
}

/** Whether a value can't be a signature: a missing value, a length, a number or an empty text. */
function isMissingOrLength({ text }: Node): boolean {
  return /null|None|nil|undefined|len|length/.test(text) || /^["'`]?\d*["'`]?$/.test(text)
}

/** Whether an expression calculates a signature, or is a variable that was set to one. */
function isMac(side: Node, file: ParsedFile): boolean {
  const source = calculationOf(unwrap(side), file)
  if (!source) return false
  return pickByLanguage(macs, file)!.test(source.text.slice(0, 500))
}

/** Finds a call, also as the value of a variable that is named like a signature. */
function calculationOf(node: Node, file: ParsedFile): Node | undefined {
  if (callTypes.includes(node.type)) return node
  if (node.type !== 'identifier') return undefined
  if (!/sig|mac|hash|digest|expected|computed|calculated/i.test(node.text)) return undefined
  return originOf(node.text, node, file)?.value
}

const logCalls =
  /^(?:console\.(?:log|info|warn|error|debug)|print|(?:logging|logger|log|_logger|LOG|LOGGER|self\.logger)\.(?:debug|info|warning|warn|error|exception)|fmt\.Print(?:ln|f)|log\.Print(?:ln|f)?|(?:slog|logger|log)\.(?:Info|Debug|Warn|Error)f?|System\.out\.println)$/

const secretNames =
  /^(?:password|passwd|passphrase|secret|clientSecret|client_secret|apiKey|api_key|apikey|accessToken|access_token|refreshToken|refresh_token|privateKey|private_key|secretKey|secret_key)$/i

/** Reports a secret that is written to a log; its length or its presence may be logged. */
function checkLog(call: Node): Hit | undefined {
  const callee =
    fieldText(call, 'function') || `${fieldText(call, 'object')}.${fieldText(call, 'name')}`
  // A script's `print` at the top level is its output, not a log.
  if (!logCalls.test(callee) || (callee === 'print' && !functionAround(call))) return undefined
  const values = readCall(call).args.flatMap(loggedValuesOf)
  const secret = values.find((value) => value && secretNames.test(nameOf(unwrap(value))))
  if (!secret) return undefined
  return {
    at: firstLine(secret),
    title: `${quoteCode(secret.text)} is written to the log`,
    body:
      'When this runs, everyone who can read the logs, and every service that receives them, ' +
      'can use it. Remove it, or log only whether it is set.',
  }
}

/** The values that an argument puts into the log: interpolated, concatenated or as they are. */
function loggedValuesOf(argument: Node): (Node | undefined)[] {
  if (argument.type === 'template_string' || argument.type === 'string')
    return findNodes(argument, 'template_substitution', 'interpolation').map(
      (hole) => field(hole, 'expression') ?? hole.namedChild(0) ?? undefined,
    )
  const isConcatenation =
    argument.type === 'binary_expression' || argument.type === 'binary_operator'
  return [isConcatenation ? field(argument, 'right') : argument]
}

function nameOf(node: Node): string {
  if (node.type === 'identifier') return node.text
  const member = field(node, 'property') ?? field(node, 'attribute') ?? field(node, 'field')
  return member?.text ?? ''
}

export const trustRules: readonly Rule[] = [
  {
    id: 'signature-timing',
    summary: 'Timing attack: a signature (HMAC) is not compared in constant time.',
    seeAlso: ['CWE-208'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.9,
    syntax: [
      {
        languages: ['javascript', 'python', 'go'],
        nodes: ['binary_expression', 'comparison_operator'],
        check: checkTiming,
      },
      comparedSignatures,
      // Scripts have code outside of functions.
      { ...comparedSignatures, languages: ['php'], nodes: ['program'] },
    ],
  },
  {
    id: 'token-not-verified',
    summary: 'A signed token (JWT) is decoded without verifying its signature.',
    seeAlso: ['CWE-347'],
    severity: 'critical',
    category: 'security',
    confidence: 0.85,
    title: '$CALLEE decodes the token without verifying its signature',
    body:
      'When someone forges a token with any user and any rights in it, it is accepted. ' +
      'Verify the signature with the key and a fixed algorithm.',
    syntax: [
      {
        patterns: {
          python: [
            "$CALLEE($$$, options={**$$$, 'verify_signature': False, **$$$}, $$$)",
            '$CALLEE($$$, verify=False, $$$)',
          ],
        },
        where: { CALLEE: /^(?:jwt|jose\.jwt|pyjwt)\.decode$/i },
        // The issuer is read first to find the key, and then the token is decoded with it.
        refine: ({ node }) =>
          !/\.decode\((?![^)]*verify_signature)[^)]*\balgorithms\b/.test(functionTextOf(node)),
      },
      {
        patterns: { python: ["$CALLEE($$$, algorithms=[$$$, '$ALGORITHM', $$$], $$$)"] },
        where: { CALLEE: /^jwt\.(?:verify|decode)$/i, ALGORITHM: /^none$/i },
      },
      {
        patterns: {
          javascript: ["$CALLEE($$$, { $$$, algorithms: [$$$, '$ALGORITHM', $$$], $$$ }, $$$)"],
        },
        where: { CALLEE: /^(?:jwt|jsonwebtoken)\.(?:verify|decode)$/i, ALGORITHM: /^none$/i },
      },
    ],
  },
  {
    id: 'any-origin-with-credentials',
    summary: 'CORS allows every origin to send requests with credentials.',
    seeAlso: ['CWE-942'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.9,
    title: 'CORS allows every origin to send requests with credentials',
    body:
      "When a signed-in user opens an attacker's page, that page can read and do here " +
      'whatever the user can. List the allowed origins.',
    syntax: [
      {
        patterns: {
          javascript: [
            'cors(«{ $$$, origin: $ORIGIN, $$$, credentials: true, $$$ }»)',
            'cors(«{ $$$, credentials: true, $$$, origin: $ORIGIN, $$$ }»)',
          ],
        },
        where: {
          ORIGIN:
            /^(?:true|['"]\*['"]|\/\^?(?:https\?:\\\/\\\/)?\.[*+]\$?\/|\(\s*\w*,\s*(\w+)\s*\)\s*=>\s*\1\(null, (?:true|\w+)\))$/,
        },
        at: 'ORIGIN',
      },
      {
        patterns: {
          python: [
            '$_($$$, allow_origins=$ORIGINS, $$$, allow_credentials=True, $$$)',
            '$_($$$, allow_credentials=True, $$$, allow_origins=$ORIGINS, $$$)',
          ],
        },
        where: { ORIGINS: /^\[\s*["']\*["']\s*,?\s*\]$/ },
        at: 'ORIGINS',
        refine: ({ text }) => /CORS/.test(text('MATCH').slice(0, 2_000)),
      },
      {
        patterns: {
          python: [
            '$_($$$, allow_origin_regex=$ORIGINS, $$$, allow_credentials=True, $$$)',
            '$_($$$, allow_credentials=True, $$$, allow_origin_regex=$ORIGINS, $$$)',
          ],
        },
        where: { ORIGINS: /^r?["']\^?(?:https?\??:\/\/)?\(?\.[*+]\)?\$?["']$/ },
        at: 'ORIGINS',
      },
      checkAnyOrigin,
      anyOriginLiteral,
    ],
  },
  {
    id: 'readable-secret-file',
    summary: 'A file with a key, token or other secret is created so that everyone can read it.',
    seeAlso: ['CWE-732', 'Ruff `S103`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
    syntax: [checkSecretFile],
  },
  {
    id: 'secret-in-log',
    summary: 'A password, key or token is written to the log.',
    seeAlso: ['CWE-532'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
    syntax: [{ nodes: callTypes, check: checkLog }],
  },
]
