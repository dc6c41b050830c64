// The rule about secrets in code: patterns of known issuers, then assignments that look like a secret.
import type { Hit, Rule, TextLine } from './rule.ts'

interface SecretPattern {
  readonly name: string
  readonly pattern: RegExp
}

/** Formats that their issuers document. Every repetition is bounded, so a line is read in linear time. */
const issuedFormats: readonly SecretPattern[] = [
  { name: 'An AWS access key id', pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/ },
  {
    name: 'A GitHub token',
    pattern: /\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{60,255}\b/,
  },
  { name: 'A GitLab token', pattern: /\bglpat-[\w-]{20,64}/ },
  { name: 'A Slack token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{20,255}/ },
  {
    name: 'A Slack webhook address',
    pattern: /hooks\.slack\.com\/services\/T\w{6,20}\/B\w{6,20}\/\w{20,40}/,
  },
  { name: 'A live Stripe key', pattern: /\b[rs]k_live_[A-Za-z0-9]{16,255}\b/ },
  { name: 'An Anthropic key', pattern: /\bsk-ant-[a-z]{2,12}\d{2}-[\w-]{20,255}/ },
  {
    name: 'An OpenAI key',
    pattern:
      /\bsk-(?:proj|svcacct|admin)-[\w-]{20,255}|\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}\b/,
  },
  { name: 'A Google API key', pattern: /\bAIza[\w-]{35}(?![\w-])/ },
  { name: 'A SendGrid key', pattern: /\bSG\.[\w-]{20,24}\.[\w-]{40,46}/ },
  { name: 'An npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { name: 'A PyPI token', pattern: /\bpypi-AgEIcHlwaS5vcmc[\w-]{50,255}/ },
  { name: 'A Hugging Face token', pattern: /\bhf_[A-Za-z]{34}\b/ },
  { name: 'A DigitalOcean token', pattern: /\bdo[opr]_v1_[a-f0-9]{64}\b/ },
  {
    name: 'A signed web token (JWT)',
    pattern: /\beyJ[\w-]{10,300}\.eyJ[\w-]{10,1500}\.[\w-]{20,600}/,
  },
]

const addressWithPassword =
  /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/'"`<>]{1,80}:([^\s@/'"`<>]{3,120})@([\w.-]{1,200})/i

const assignment =
  /(?<name>(?:passw(?:or)?d|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|credential)[\w-]{0,30})["']?\s{0,10}(?::\s{0,5}[\w<>[\]| ]{1,40})?(?:=>|:=|[:=])\s{0,10}(?<quote>["'`])(?<value>[^\s"'`]{16,200})\k<quote>/i

const keyHeader =
  /-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----/

const keyBody = /^[\s"'`+,]*[A-Za-z0-9+/=]{40,}/

/** Cheap test that nearly every line fails, before any pattern is tried. */
const keyword =
  /AKIA|ASIA|gh[pousr]_|github_pat|glpat-|xox[abeoprs]-|hooks\.slack|k_live_|sk-|AIza|SG\.|npm_|pypi-|hf_|_v1_|eyJ|:\/\/|passw|secret|token|api|key|credential/i

const placeholder =
  /example|placeholder|change.?me|dummy|fake|sample|your[-_ ]|my[-_]|xxx|\.\.\.|\*\*\*|<\w|\$\{|\{\{|%\(|%s|#\{|redacted|insert|replace|todo|0{6}|1234567|abcdefg|deadbeef|foobar|lorem|secret.?key|password|not.?a.?real|mock|dev[-_]|local|\bphc_|\bpk_|\bpub_/i

/** Files whose purpose is to show what a value looks like. */
const examplePath =
  /\.(?:example|sample|template|dist|md|mdx|rst|adoc|txt|lock|sum|svg|snap|ipynb|po|xlf)$|(?:^|\/)(?:docs?|examples?|samples?|fixtures?|locales?|i18n|translations?)\//i

/** The first secret in a text: what it is, and its characters; undefined when there is none. */
function findSecret(text: string, path: string): { name: string; value: string } | undefined {
  if (!keyword.test(text)) return undefined
  for (const { name, pattern } of issuedFormats) {
    const value = pattern.exec(text)?.[0]
    // Addresses of pictures carry tokens that are valid for minutes.
    if (value && !isPlaceholder(value) && !(name.endsWith('(JWT)') && examplePath.test(path)))
      return { name, value }
  }
  const address = addressWithPassword.exec(text)
  if (
    address &&
    !isPlaceholder(address[1]!) &&
    isForeignHost(address[2]!) &&
    !/^(?:pass|pwd|user|root|admin|test|postgres)\w{0,4}$/i.test(address[1]!)
  ) {
    return examplePath.test(path)
      ? undefined
      : { name: 'A password in an address', value: address[1]! }
  }
  const match = assignment.exec(text)
  const { name: end = '', value } = match?.groups ?? {}
  if (
    !match ||
    !value ||
    examplePath.test(path) ||
    !looksRandom(value) ||
    isPartOfWord(text, match.index)
  )
    return undefined
  const name =
    (/[\w.-]{1,40}$/.exec(text.slice(Math.max(0, match.index - 40), match.index))?.[0] ?? '') + end
  return /public|hash|count|length|name$|type$|endpoint|_?ur[il]$|regex|pattern|header|param|field|column|prefix/i.test(
    name,
  )
    ? undefined
    : { name: `The value of \`${name.slice(0, 60)}\``, value }
}

const compounds =
  /(?:access|api|app|auth|bearer|bot|client|db|my|refresh|root|secret|session|user)$/i

/** Whether the name begins in the middle of a word: `tiktoken` holds no token, `authtoken` and `botToken` do. */
function isPartOfWord(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 20), index)
  return /[a-z]$/i.test(before) && /[a-z]/.test(text[index] ?? '') && !compounds.test(before)
}

function isForeignHost(host: string): boolean {
  return (
    host.includes('.') &&
    !/^(?:127\.|0\.0\.0\.0)|example|\.(?:test|local|localhost|invalid|internal)$/i.test(host)
  )
}

/** A value for show: says so, or repeats itself. */
function isPlaceholder(value: string): boolean {
  return placeholder.test(value) || new Set(value.slice(-16)).size < Math.min(6, value.length - 1)
}

/** Letters and digits without order: more than 3.5 bits a character, and not the spelling of words or paths. */
function looksRandom(value: string): boolean {
  if (isPlaceholder(value) || !/\d/.test(value) || !/[a-z]/i.test(value)) return false
  if (/[()[\]{}|\\^?&;,]|\/\/|^[./@#~]|^\w{1,20}:\w|^[a-z]+(?:[-_./][a-z]+\d?)+$|test/i.test(value))
    return false
  // An identifier (UUID) names something; whoever knows it may do nothing by that.
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)) return false
  return entropy(value) > 3.5
}

/** Shannon entropy in bits a character. */
function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

function checkSecret(line: TextLine): Omit<Hit, 'at'> | undefined {
  const secret = findSecret(line.text, line.path)
  // Tests are full of made-up values. One that has the form of a real key is still worth a person's look.
  if (line.isTest) {
    const isKey =
      secret !== undefined &&
      !secret.name.startsWith('The value') &&
      !secret.name.startsWith('A password')
    return isKey ? { ...secretHit(secret.name, 0.6), severity: 'moderate' } : undefined
  }
  // The settings of a Firebase page are made to be public, its key too.
  if (secret?.name === 'A Google API key' && /\b(?:authDomain|projectId)\b/.test(line.next))
    return undefined
  if (secret) return secretHit(secret.name, secret.name.startsWith('The value') ? 0.75 : 0.95)
  const header = keyHeader.exec(line.text)
  const rest = header ? line.text.slice(header.index + header[0].length) : ''
  const isKey =
    header &&
    (keyBody.test(rest.replace(/^(?:\\r)?\\n/, '')) ||
      (rest.trim() === '' && keyBody.test(line.next)))
  return isKey ? secretHit('A private key', 0.95) : undefined
}

function secretHit(name: string, confidence: number): Omit<Hit, 'at'> {
  return {
    title: `${name} ${name.startsWith('The value') ? 'looks like a secret that is' : 'is'} written into the code`,
    body: "When this is merged, everyone who can read the repository, now or later, can use it, and removing the line doesn't remove it from the history. Revoke it, issue a new one, and read it from the environment or a secret store.",
    confidence,
  }
}

/** The text without any secret that the rule knows. */
export function redactSecrets(text: string): string {
  let redacted = text
  for (let round = 0; round < 20; round++) {
    const secret = findSecret(redacted, '')
    if (!secret) return redacted
    redacted = redacted.replaceAll(secret.value, '[secret]')
  }
  return '[secret]'
}

export const secretRules: readonly Rule[] = [
  {
    id: 'hardcoded-secret',
    summary:
      'A key, token, password or private key is written into the code. The finding never repeats it.',
    severity: 'critical',
    category: 'security',
    confidence: 0.95,
    line: checkSecret,
    keyword: new RegExp(`${keyword.source}|PRIVATE KEY`, 'i'),
  },
]

/** Whether findings of this rule are about secrets. */
export function isSecretRule(rule: string | null): boolean {
  return secretRules.some(({ id }) => id === rule)
}
