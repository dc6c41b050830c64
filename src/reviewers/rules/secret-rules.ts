// The rule that reports secrets in code.
import type { Node } from 'web-tree-sitter'
import {
  findSecret,
  keyBody,
  keyHeader,
  type Secret,
  secretKeyword,
} from '../../code/find-secrets.ts'
import { firstLine, quoteCode } from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule, TextLine } from './rule.ts'
import { callsWithSecrets, findSecretArgument } from './secret-arguments.ts'

function checkSecret(line: TextLine): Omit<Hit, 'at'> | undefined {
  const secret = findSecret(line.text, line.path)
  if (line.isTest) return secret && checkTestSecret(secret)
  if (secret) return isFirebaseKey(secret, line) ? undefined : secretHit(secret)
  return holdsPrivateKey(line) ? privateKeyHit : undefined
}

/** Tests are full of invented values. One in the format of a real key still needs a look. */
function checkTestSecret(secret: Secret): Omit<Hit, 'at'> | undefined {
  if (secret.source !== 'format') return undefined
  return { ...secretHit(secret), confidence: 0.6, severity: 'moderate' }
}

/** Firebase's settings of a web page are public, and so is their API key. */
function isFirebaseKey({ name }: Secret, { next }: TextLine): boolean {
  return name === 'A Google API key' && /\b(?:authDomain|projectId)\b/.test(next)
}

/** Whether a line holds the header of a private key, followed by the start of the key. */
function holdsPrivateKey({ text, next }: TextLine): boolean {
  const header = keyHeader.exec(text)
  if (!header) return false
  const rest = text.slice(header.index + header[0].length)
  if (keyBody.test(rest.replace(/^(?:\\r)?\\n/, ''))) return true
  return rest.trim() === '' && keyBody.test(next)
}

const writtenSecretBody =
  'When this is merged, everyone who can read the repository, now or later, can use it, and ' +
  "removing the line doesn't remove it from the history. Revoke it, issue a new one, and read " +
  'it from the environment or a secret store.'

const privateKeyHit: Omit<Hit, 'at'> = {
  title: 'A private key is hardcoded',
  body: writtenSecretBody,
  confidence: 0.95,
}

function secretHit({ source, name }: Secret): Omit<Hit, 'at'> {
  const isGuess = source === 'variable'
  return {
    title: `${name} ${isGuess ? 'looks like a hardcoded secret' : 'is hardcoded'}`,
    body: writtenSecretBody,
    confidence: isGuess ? 0.75 : 0.95,
  }
}

/** `connect('db', 'app', 'Zk9vQ2xT7b')`, whose third parameter is `password`. */
function checkArgument(call: Node, file: ParsedFile): Hit | undefined {
  const argument = findSecretArgument(call, file)
  if (!argument) return undefined
  return {
    at: firstLine(argument.node),
    title: `The ${quoteCode(argument.name)} that is passed here looks like a hardcoded secret`,
    body: writtenSecretBody,
    confidence: 0.75,
  }
}

export const secretRules: readonly Rule[] = [
  {
    id: 'hardcoded-secret',
    summary: 'A key, token, password or private key is hardcoded. The finding never repeats it.',
    seeAlso: ['CWE-798'],
    severity: 'critical',
    category: 'security',
    confidence: 0.95,
    line: checkSecret,
    syntax: [{ nodes: callsWithSecrets, check: checkArgument }],
    keyword: new RegExp(`${secretKeyword.source}|PRIVATE KEY`, 'i'),
  },
]

/** Whether findings of this rule are about secrets. */
export function isSecretRule(rule: string | null): boolean {
  return secretRules.some(({ id }) => id === rule)
}
