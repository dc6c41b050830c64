// The rule that reports secrets in code.
import type { Node } from 'web-tree-sitter'
import {
  findSecret,
  isExamplePath,
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
  if (secret && (isHarmless(secret, line) || isMoved(secret.value, line))) return undefined
  if (line.isTest) return secret && checkTestSecret(secret)
  if (secret) return secretHit(secret)
  if (!holdsPrivateKey(line) || isMoved(line.text + line.next, line)) return undefined
  return isExamplePath(line.path) ? sampleKeyHit : privateKeyHit
}

function isHarmless(secret: Secret, line: TextLine): boolean {
  if (secret.source === 'format') return isPublicKey(secret, line) || isBriefToken(secret)
  const before = line.text.slice(0, line.text.indexOf(secret.value))
  return (
    docComment.test(before) || [before, ...listOuterLines(line)].some((text) => example.test(text))
  )
}

/** Whether a text was in the file before: a secret that moves, or whose name changes. */
function isMoved(text: string, { deleted }: TextLine): boolean {
  return deleted.some((line, index) => `${line}${deleted[index + 1] ?? ''}`.includes(text))
}

/** The longest life, in seconds, of a token that is worthless when somebody finds it. */
const maxBriefSeconds = 24 * 60 * 60

/** Whether a signed web token (JWT) is the common sample, or says that it expires soon. */
function isBriefToken({ name, value }: Secret): boolean {
  if (!name.endsWith('(JWT)')) return false
  const payload = Buffer.from(value.split('.')[1]!, 'base64url').toString()
  const [end, start] = [/"exp":\s*(\d+)/, /"(?:iat|nbf)":\s*(\d+)/].map((pattern) =>
    Number(pattern.exec(payload)?.[1]),
  )
  return payload.includes('"John Doe"') || end! - start! <= maxBriefSeconds
}

/** What a comment for readers of the documentation begins with. */
const docComment = /^\s*(?:\/\/[/!]|\*\s|>>>\s)/

/** Says that an example follows, as in descriptions of an API and in texts with code in them. */
const example = new RegExp(
  [
    String.raw`(?<![.@/])example(?!\.)|\be\.g\.|\bfor instance\b|\bsamples?\b`,
    String.raw`\bfollowing (?:\w+ )?format\b|code-block|\x60{3}`,
  ].join('|'),
  'i',
)

/** The lines above that a line is nested in. */
function listOuterLines({ text, above }: TextLine): string[] {
  let depth = text.search(/\S/)
  return above.filter((line) => {
    const indentation = line.search(/\S/)
    const isOuter = indentation >= 0 && indentation < depth
    if (isOuter) depth = indentation
    return isOuter
  })
}

/** Tests are full of invented values. One in the format of a real key still needs a look. */
function checkTestSecret(secret: Secret): Omit<Hit, 'at'> | undefined {
  if (secret.source !== 'format' || secret.name.endsWith('(JWT)')) return undefined
  return { ...secretHit(secret), confidence: 0.6, severity: 'moderate' }
}

/** Firebase's settings of a web page are public, and so are keys that others publish. */
function isPublicKey({ name }: Secret, { text, next, above }: TextLine): boolean {
  const isNamed = [text, above[0] ?? ''].some((line) => /\bpublic\b.*\bkey\b/i.test(line))
  return name === 'A Google API key' && (isNamed || /\b(?:authDomain|projectId)\b/.test(next))
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

/** Most keys in documentation are made up, and some were pasted from where they are used. */
const sampleKeyHit: Omit<Hit, 'at'> = {
  title: 'This text contains a private key',
  body:
    'When the key is used anywhere, everyone who can read the repository can use it, too: revoke ' +
    'it. When it is a sample, people copy it, and then share a key that is public. Replace its ' +
    'content by `…`.',
  severity: 'moderate',
  confidence: 0.6,
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
