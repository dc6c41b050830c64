// Rules about secrets that are made with weak randomness, and weak hashes of passwords.
import type { Node } from 'web-tree-sitter'
import {
  isGuessable,
  passwordHashes,
  predictableHashes,
  predictableRandom,
} from '../../languages/rules/danger-checks.ts'
import { namedFunctionAround } from '../../languages/rules/functions.ts'
import { functionTextOf } from '../../languages/rules/local-values.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import {
  isNamedLikeSecret,
  needsFastHash,
  passwordName,
  separateWords,
} from '../../languages/rules/secret-names.ts'
import {
  enclosingNode,
  field,
  fieldText,
  findNodes,
  quoteCode,
} from '../../languages/rules/syntax-nodes.ts'
import { predictableCharacters, weakEncryption } from '../../languages/rules/weak-secrets.ts'
import type { Hit, Rule } from './rule.ts'

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
    const fn = namedFunctionAround(owner)
    return fn ? separateWords(fieldText(fn, 'name')) : ''
  }
  const fn = namedFunctionAround(owner)
  // The function says what the characters of a text are for.
  if (/^\w+\[/.test(owner.text) && fn) return separateWords(fieldText(fn, 'name'))
  const target =
    field(owner, 'name') ??
    field(owner, 'left') ??
    field(owner, 'key') ??
    field(owner, 'declarator') ??
    owner.namedChild(0)!
  return separateWords((field(target, 'name') ?? target).text)
}

/** Whether a value only shows whether it is still the newest one: `this.token === token`. */
function isCompared(node: Node): boolean {
  const name = fieldText(enclosingNode(node, statementTypes) ?? node, 'name')
  return name !== '' && new RegExp(`[\\w\\])] === ${name}\\b`).test(functionTextOf(node))
}

/** Python: whether one of several secrets is chosen, not one of the characters of a new one. */
function isChoice(node: Node): boolean {
  const isOne = fieldText(node, 'function') === 'random.choice'
  return isOne && !enclosingNode(node, new Set(['generator_expression', 'list_comprehension']))
}

/** Names the password that is hashed in the same statement. */
function describePasswordHash(match: Match): Partial<Hit> | undefined {
  const statement = findStatement(match.node)
  const names = findNodes(statement, 'identifier', 'property_identifier', 'field_identifier')
  const password =
    names.find(({ text }) => passwordName.test(text) && !/hash$/i.test(text)) ??
    hashedLater(match.node)
  const isPrescribed =
    /etag|gravatar/i.test(statement.text.slice(0, 1_000)) ||
    needsFastHash.test(functionTextOf(statement))
  if (!password || isPrescribed) return undefined
  const algorithm = match.text('ALGORITHM').toUpperCase()
  return {
    title:
      `${quoteCode(password.text)} is hashed with ${algorithm}, which is too fast for ` +
      'passwords',
  }
}

/** Java: the password that a later statement passes to the digest. */
function hashedLater(node: Node): Node | undefined {
  const fn = namedFunctionAround(node)
  const calls = fn ? findNodes(fn, 'method_invocation') : []
  const call = calls.find((each) => /^(?:digest|update)$/.test(fieldText(each, 'name')))
  return call && findNodes(call, 'identifier').find((name) => passwordName.test(name.text))
}

function findStatement(node: Node): Node {
  let statement = node
  while (statement.parent && !/statement|declaration$|^block$/.test(statement.type)) {
    statement = statement.parent
  }
  return statement
}

export const cryptoRules: readonly Rule[] = [
  {
    id: 'insecure-random',
    summary: 'A token, password or other secret comes from a random generator that is predictable.',
    seeAlso: ['CWE-338', 'Ruff `S311`'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.85,
    title: '$MATCH generates a predictable secret',
    body:
      'When an attacker sees a few outputs of this generator, or knows its seed, they can ' +
      'compute the next ones. Use a cryptographically secure generator: ' +
      "`crypto.randomUUID()` or `crypto.randomBytes`, Python's `secrets`, Go's " +
      "`crypto/rand`, Java's `SecureRandom`.",
    patterns: {
      javascript: ['Math.random($$$)'],
      python: ['random.$PYTHON_METHOD($$$)'],
      go: ['rand.$GO_FUNCTION($$$)'],
      java: [
        'new Random($$$).$_($$$)',
        'ThreadLocalRandom.$_($$$)',
        'ThreadLocalRandom.current().$_($$$)',
      ],
    },
    where: {
      PYTHON_METHOD: /^(?:random|randint|choice|choices|randrange|getrandbits|sample)$/,
      GO_FUNCTION: /^(?:Int|Intn|IntN|Int63|Int31n|Uint32|Read|Float64)$/,
    },
    refine: ({ node }, { language, text }) =>
      isNamedLikeSecret(nameOfResult(node)) &&
      !isCompared(node) &&
      !isChoice(node) &&
      (language !== 'go' || /"math\/rand(?:\/v2)?"/.test(text)),
    syntax: [
      predictableCharacters,
      predictableRandom,
      predictableHashes,
      {
        patterns: {
          javascript: [
            '$_.createHash($_).update($DATA).digest($$$)',
            'createHash($_).update($DATA).digest($$$)',
          ],
          python: ['hashlib.$_($DATA).hexdigest()'],
        },
        where: { DATA: ({ text }) => isGuessable(text.slice(0, 500)) },
        refine: ({ node }) => isNamedLikeSecret(nameOfResult(node)),
      },
    ],
  },
  {
    id: 'weak-password-hash',
    summary: 'A password is hashed with a fast hash such as MD5, SHA-1 or SHA-256.',
    seeAlso: ['CWE-916'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.85,
    body:
      'When the stored hashes leak, an attacker can try billions of passwords a second. Use ' +
      'a password hash: Argon2id, scrypt or bcrypt.',
    patterns: {
      javascript: ["createHash('$ALGORITHM', $$$)", "$_.createHash('$ALGORITHM', $$$)"],
      python: ['hashlib.$ALGORITHM($$$)'],
      go: ['$ALGORITHM.Sum($$$)'],
      java: ['MessageDigest.getInstance("$ALGORITHM", $$$)'],
    },
    where: { ALGORITHM: /^(?:md5|sha-?1|sha-?256|sha-?512)$/i },
    refine: describePasswordHash,
    syntax: [passwordHashes],
  },
  {
    id: 'weak-encryption',
    summary: 'Encryption in ECB mode, or with an initialization vector that is always the same.',
    seeAlso: ['CWE-327', 'CWE-329'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
    syntax: [weakEncryption],
  },
]
