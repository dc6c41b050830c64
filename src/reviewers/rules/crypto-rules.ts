// Rules about secrets that are made with weak randomness, and weak hashes of passwords.
import type { Node } from 'web-tree-sitter'
import {
  isGuessable,
  nameOfResult,
  passwordHashBody,
  passwordHashes,
  predictableBody,
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
} from '../../languages/rules/secret-names.ts'
import { statementAround } from '../../languages/rules/statements.ts'
import { fieldText, findNodes, quoteCode } from '../../languages/rules/syntax-nodes.ts'
import { predictableCharacters, weakEncryption } from '../../languages/rules/weak-secrets.ts'
import type { Hit, Rule } from './rule.ts'

/** Names the password that is hashed in the same statement. */
function describePasswordHash(match: Match): Partial<Hit> | undefined {
  const statement = statementAround(match.node)
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
    body: predictableBody,
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
    body: passwordHashBody,
    patterns: {
      javascript: ["createHash('$ALGORITHM', $$$)", "$_.createHash('$ALGORITHM', $$$)"],
      python: ['hashlib.$ALGORITHM($$$)'],
      go: ['$ALGORITHM.Sum($$$)'],
      java: ['MessageDigest.getInstance("$ALGORITHM", $$$)'],
      kotlin: ['MessageDigest.getInstance("$ALGORITHM", $$$)'],
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
    isHarmlessInTests: true,
    syntax: [weakEncryption],
  },
]
