// Rules about protections that are too weak: randomness and password hashes.
import type { Node } from 'web-tree-sitter'
import { isPlainString } from './literals.ts'
import { allRuleLanguages, type Hit, type ParsedFile, type Rule } from './rule.ts'
import {
  calleeOf,
  callTypes,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  lineOf,
  quoteCode,
} from './syntax-nodes.ts'

const secretName =
  /(?:^|[^a-z])(?:reset|access|refresh|auth|session|csrf|api|verification|invite|login|bearer|jwt|security)?_?tokens?$|secret|passw(?:or)?d|(?:^|[^a-z])otp(?:$|[^a-z])|one_?time_?(?:code|password)|session_?id$|api_?key|\bsalt$|verification_?code|pin_?code|private_?key|signing_?key|encryption_?key/i

const statements = new Set([
  'variable_declarator',
  'assignment_expression',
  'assignment',
  'pair',
  'return_statement',
  'short_var_declaration',
  'assignment_statement',
  'local_variable_declaration',
  'keyed_element',
  'var_spec',
])

/** The name that a value gets: of the variable, property or, for a returned one, the function. */
function nameOfResult(node: Node): string {
  const owner = enclosingNode(node, statements)
  if (!owner) return ''
  if (owner.type === 'return_statement') {
    const fn = enclosingNode(
      owner,
      new Set([
        'function_declaration',
        'function_definition',
        'method_definition',
        'method_declaration',
      ]),
    )
    return fn ? separateWords(fieldText(fn, 'name')) : ''
  }
  const target =
    field(owner, 'name') ??
    field(owner, 'left') ??
    field(owner, 'key') ??
    field(owner, 'declarator') ??
    owner.namedChild(0)
  return separateWords((field(target!, 'name') ?? target!).text)
}

/** `resetToken` as `reset_Token`, so that a word can be told from part of a word. */
function separateWords(name: string): string {
  return name.slice(0, 200).replace(/([a-z])([A-Z])/g, '$1_$2')
}

function checkRandom(call: Node, file: ParsedFile): Hit | undefined {
  if (!isWeakRandom(call, file)) return undefined
  const name = nameOfResult(call)
  if (!secretName.test(name) || /cancel|count|index|colou?r|test|mock|demo|jitter/i.test(name))
    return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(call.text)} makes a secret that can be guessed`,
    body:
      'When an attacker sees a few outputs of this generator, or knows when it was started, they ' +
      'can compute the next ones. Use the generator for secrets: `crypto.randomUUID()` or ' +
      "`crypto.randomBytes`, Python's `secrets`, Go's `crypto/rand`, Java's `SecureRandom`.",
  }
}

function isWeakRandom(call: Node, file: ParsedFile): boolean {
  const { receiver, name } = calleeOf(call)
  const owner = receiver?.text ?? ''
  if (file.language === 'python')
    return (
      owner === 'random' &&
      /^(?:random|randint|choice|choices|randrange|getrandbits|sample)$/.test(name)
    )
  if (file.language === 'go')
    return (
      owner === 'rand' &&
      /"math\/rand(?:\/v2)?"/.test(file.text) &&
      /^(?:Int|Intn|IntN|Int63|Int31n|Uint32|Read|Float64)$/.test(name)
    )
  if (file.language === 'java') return /^new Random\(|^ThreadLocalRandom/.test(owner)
  return owner === 'Math' && name === 'random'
}

const passwordName = /passw(?:or)?d|passphrase|\bpwd\b/i

/** MD5 and SHA-1 (or a bare SHA-2) of something that is named a password. */
function checkPasswordHash(call: Node, file: ParsedFile): Hit | undefined {
  const algorithm = hashOf(call, file)
  if (!algorithm) return undefined
  let statement = call
  while (statement.parent && !/statement|declaration$|^block$/.test(statement.type))
    statement = statement.parent
  const names = findNodes(
    statement,
    'identifier',
    'property_identifier',
    'field_identifier',
  ).filter((name) => passwordName.test(name.text))
  if (names.length === 0 || /breach|pwned|etag|gravatar/i.test(statement.text.slice(0, 1_000)))
    return undefined
  return {
    at: { startLine: lineOf(call), endLine: lineOf(call) },
    title: `${quoteCode(names[0]!.text)} is hashed with ${algorithm}, which is made to be fast`,
    body:
      `When the stored hashes leak, ${algorithm} lets an attacker try billions of passwords a ` +
      'second. Use a hash made for passwords: Argon2id, scrypt or bcrypt.',
  }
}

function hashOf(call: Node, file: ParsedFile): string | undefined {
  const { receiver, name } = calleeOf(call)
  const owner = receiver?.text ?? ''
  if (file.language === 'python')
    return owner === 'hashlib' && /^(?:md5|sha1|sha256|sha512)$/.test(name)
      ? name.toUpperCase()
      : undefined
  if (file.language === 'go')
    return /^(?:md5|sha1)$/.test(owner) && name === 'Sum' ? owner.toUpperCase() : undefined
  const argument = field(call, 'arguments')?.namedChild(0)
  const named = argument && isPlainString(argument) ? argument.text.replace(/["'`]/g, '') : ''
  const isHash =
    file.language === 'java'
      ? name === 'getInstance' && owner === 'MessageDigest'
      : name === 'createHash'
  return isHash && /^(?:md5|sha-?1|sha-?256|sha-?512)$/i.test(named)
    ? named.toUpperCase()
    : undefined
}

export const cryptoRules: readonly Rule[] = [
  {
    id: 'insecure-random',
    summary: 'A token, password or other secret is made with a generator that can be predicted.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
    syntax: [
      {
        languages: allRuleLanguages,
        nodes: callTypes,
        check: checkRandom,
      },
    ],
  },
  {
    id: 'weak-password-hash',
    summary: 'A password is hashed with a fast hash such as MD5 or SHA-1.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
    syntax: [
      {
        languages: allRuleLanguages,
        nodes: callTypes,
        check: checkPasswordHash,
      },
    ],
  },
]
