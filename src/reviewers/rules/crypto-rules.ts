// Rules about secrets that are made with weak randomness, and weak hashes of passwords.
import type { Node } from 'web-tree-sitter'
import { isPlainString } from '../../languages/common/literals.ts'
import {
  calleeOf,
  callTypes,
  enclosingNode,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
} from '../../languages/common/syntax-nodes.ts'
import { allRuleLanguages, grammarFamilyOf, type Hit, type ParsedFile, type Rule } from './rule.ts'

const tokenPrefixes =
  'reset access refresh auth session csrf api verification invite login bearer jwt security'

/** Names of values that nobody must be able to guess. */
const secretName = new RegExp(
  [
    `(?:^|[^a-z])(?:${tokenPrefixes.replaceAll(' ', '|')})?_?tokens?$`,
    'secret',
    'passw(?:or)?d',
    '(?:^|[^a-z])otp(?:$|[^a-z])',
    'one_?time_?(?:code|password)',
    'session_?id$',
    'api_?key',
    String.raw`\bsalt$`,
    'verification_?code',
    'pin_?code',
    'private_?key',
    'signing_?key',
    'encryption_?key',
  ].join('|'),
  'i',
)

/** Names of values that look like secrets and aren't. */
const harmlessName = /cancel|count|index|colou?r|test|mock|demo|jitter/i

const statementTypes = new Set([
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

/** The variable or property that gets a value, or the function that returns it. */
function nameOfResult(node: Node): string {
  const owner = enclosingNode(node, statementTypes)
  if (!owner) return ''
  if (owner.type === 'return_statement') {
    const fn = enclosingNode(owner, namedFunctionTypes)
    return fn ? separateWords(fieldText(fn, 'name')) : ''
  }
  const target =
    field(owner, 'name') ??
    field(owner, 'left') ??
    field(owner, 'key') ??
    field(owner, 'declarator') ??
    owner.namedChild(0)!
  return separateWords((field(target, 'name') ?? target).text)
}

const namedFunctionTypes = new Set([
  'function_declaration',
  'function_definition',
  'method_definition',
  'method_declaration',
])

/** Writes `resetToken` as `reset_Token`, so that patterns find whole words. */
function separateWords(name: string): string {
  return name.slice(0, 200).replace(/([a-z])([A-Z])/g, '$1_$2')
}

function checkRandom(call: Node, file: ParsedFile): Hit | undefined {
  if (!isWeakRandom(call, file)) return undefined
  const name = nameOfResult(call)
  if (!secretName.test(name) || harmlessName.test(name)) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(call.text)} generates a predictable secret`,
    body:
      'When an attacker sees a few outputs of this generator, or knows its seed, they can ' +
      'compute the next ones. Use a cryptographically secure generator: ' +
      "`crypto.randomUUID()` or `crypto.randomBytes`, Python's `secrets`, Go's " +
      "`crypto/rand`, Java's `SecureRandom`.",
  }
}

/** Recognizes predictable generators, given the receiver and name of a call, by grammar family. */
const weakGenerators: Readonly<
  Record<string, (owner: string, name: string, file: ParsedFile) => boolean>
> = {
  javascript: (owner, name) => owner === 'Math' && name === 'random',
  python: (owner, name) =>
    owner === 'random' &&
    /^(?:random|randint|choice|choices|randrange|getrandbits|sample)$/.test(name),
  go: (owner, name, { text }) =>
    owner === 'rand' &&
    /"math\/rand(?:\/v2)?"/.test(text) &&
    /^(?:Int|Intn|IntN|Int63|Int31n|Uint32|Read|Float64)$/.test(name),
  java: (owner) => /^new Random\(|^ThreadLocalRandom/.test(owner),
}

function isWeakRandom(call: Node, file: ParsedFile): boolean {
  const isWeak = weakGenerators[grammarFamilyOf(file.language)]!
  const { receiver, name } = calleeOf(call)
  return isWeak(receiver?.text ?? '', name, file)
}

const passwordName = /passw(?:or)?d|passphrase|\bpwd\b/i

/** Reports MD5, SHA-1 and plain SHA-2 of something that is named a password. */
function checkPasswordHash(call: Node, file: ParsedFile): Hit | undefined {
  const algorithm = hashAlgorithms[grammarFamilyOf(file.language)]!(call)
  if (!algorithm) return undefined
  const statement = findStatement(call)
  const names = findNodes(statement, 'identifier', 'property_identifier', 'field_identifier')
  const password = names.find((name) => passwordName.test(name.text))
  // Lists of leaked passwords, entity tags and Gravatar prescribe a fast hash.
  const isPrescribed = /breach|pwned|etag|gravatar/i.test(statement.text.slice(0, 1_000))
  if (!password || isPrescribed) return undefined
  return {
    at: firstLine(call),
    title:
      `${quoteCode(password.text)} is hashed with ${algorithm}, which is too fast for ` +
      'passwords',
    body:
      'When the stored hashes leak, an attacker can try billions of passwords a second. Use ' +
      'a password hash: Argon2id, scrypt or bcrypt.',
  }
}

function findStatement(node: Node): Node {
  let statement = node
  while (statement.parent && !/statement|declaration$|^block$/.test(statement.type)) {
    statement = statement.parent
  }
  return statement
}

/** Functions by grammar family that return the fast hash which a call computes, in capitals. */
const hashAlgorithms: Readonly<Record<string, (call: Node) => string | undefined>> = {
  javascript: (call) => (calleeOf(call).name === 'createHash' ? namedHashOf(call) : undefined),
  python: (call) => {
    const { receiver, name } = calleeOf(call)
    const isHash = receiver?.text === 'hashlib' && /^(?:md5|sha1|sha256|sha512)$/.test(name)
    return isHash ? name.toUpperCase() : undefined
  },
  go: (call) => {
    const { receiver, name } = calleeOf(call)
    const owner = receiver?.text ?? ''
    return name === 'Sum' && /^(?:md5|sha1)$/.test(owner) ? owner.toUpperCase() : undefined
  },
  java: (call) => {
    const { receiver, name } = calleeOf(call)
    const isHash = receiver?.text === 'MessageDigest' && name === 'getInstance'
    return isHash ? namedHashOf(call) : undefined
  },
}

/** Reads the hash that the first argument of a call names, such as `createHash('md5')`. */
function namedHashOf(call: Node): string | undefined {
  const argument = field(call, 'arguments')?.namedChild(0)
  if (!argument || !isPlainString(argument)) return undefined
  const name = argument.text.replace(/["'`]/g, '')
  return /^(?:md5|sha-?1|sha-?256|sha-?512)$/i.test(name) ? name.toUpperCase() : undefined
}

export const cryptoRules: readonly Rule[] = [
  {
    id: 'insecure-random',
    summary: 'A token, password or other secret comes from a random generator that is predictable.',
    seeAlso: ['CWE-338', 'Ruff `S311`'],
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
    summary: 'A password is hashed with a fast hash such as MD5, SHA-1 or SHA-256.',
    seeAlso: ['CWE-916'],
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
