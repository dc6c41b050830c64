// Finds secrets in code, by the formats of issuers and by the names of variables.
import { createHmac, randomBytes } from 'node:crypto'

interface SecretPattern {
  readonly name: string
  readonly pattern: RegExp
}

export interface Secret {
  /** How the secret was recognized: by its issuer's format, in a URL, or by a variable's name. */
  readonly source: 'format' | 'url' | 'variable'
  /** What the title of a finding calls the secret. */
  readonly name: string
  readonly value: string
}

/** Formats that issuers document. Bounds every repetition, so that a line takes linear time. */
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

/** A URL with credentials. Its groups are the password and the host. */
const urlWithPassword =
  /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/'"`<>]{1,80}:([^\s@/'"`<>]{3,120})@([\w.-]{1,200})/i

const secretWord =
  '(?:passw(?:or)?d|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|' +
  'auth[_-]?key|credential)'

/** An assignment of a text to a variable or key with the name of a secret, with a type or not. */
const assignment = new RegExp(
  [
    String.raw`(?<name>${secretWord}[\w-]{0,30})["']?\s{0,10}`,
    String.raw`(?::\s{0,5}[\w<>[\]| ]{1,40})?(?:=>|:=|[:=])\s{0,10}`,
    String.raw`(?<quote>["'\x60])(?<value>[^\s"'\x60]{16,200})\k<quote>`,
  ].join(''),
  'i',
)

/** An assignment of a text to a variable or key with the name of a password. */
const passwordAssignment = new RegExp(
  [
    '(?<name>(?<![A-Za-z])(?:pass(?:w(?:or)?d|phrase)?|pwd|Pass(?:[wW]ord|phrase)?|Pwd)',
    String.raw`|(?<=[a-z\d])P(?:ass(?:[wW](?:or)?d|phrase)?|wd)`,
    String.raw`|(?<![A-Za-z])PASS(?:W(?:OR)?D|PHRASE)?)["']?\s{0,10}`,
    String.raw`(?::\s{0,5}[\w<>[\]| ]{1,40})?(?:=>|:=|[:=])\s{0,10}`,
    String.raw`(?<quote>["'\x60])(?<value>[^\s"'\x60]{8,64})\k<quote>`,
  ].join(''),
)

/** A header with the name of a secret and its value, as two texts: `header("X-Api-Key", "…")`. */
const header = new RegExp(
  [
    String.raw`["'\x60](?<name>[\w-]{0,30}(?:api-?key|access-?key|auth-?key|token|secret)`,
    String.raw`|(?:proxy-)?authorization)["'\x60]\s{0,5}(?:,|=>|:|\]\s{0,5}=|to)\s{0,5}`,
    String.raw`[\w.:]{0,40}\(?["'\x60](?:(?:Bearer|Basic|Token|ApiKey|Key)\s)?`,
    String.raw`(?<value>[^\s"'\x60]{16,200})["'\x60]`,
  ].join(''),
  'i',
)

/** What takes a secret: a variable, a setting or its default, or a function of a library. */
const secretTaker =
  /secret|passw(?:or)?d|\bpwd\b|api_?-?key|(?:access|signing|private|auth|encryption|jwt|hmac)_?-?key|token|credential|bearer|authorization|SymmetricSecurityKey|hmac|from_secret|StaticV4|\bnew \\?(?:PDO|mysqli)\b/gi

/** A text that may be a secret, with the scheme of a header or not. */
const quotedValue = /(["'\x60])(?:(?:Bearer|Basic|Token|App|ApiKey|Key)\s)?([^\s"'\x60]{10,120})\1/g

/** Spring's default of a setting: `${courier.token:…}`. */
const settingDefault =
  /\$\{[\w.-]{0,60}(?:secret|passw(?:or)?d|token|api-?key)[\w.-]{0,20}:([^\s{}:"']{10,120})\}/i

/** A password in a connection string. Its group is the password. */
const connectionPassword =
  /(?:[?&;"'\x60](?:password|pwd)=)([^;&"'\x60\s${}<>]{8,64})(?=[;&"'\x60])/i

export const keyHeader =
  /-----BEGIN (?:RSA |EC |DSA |OPENSSH |ENCRYPTED |PGP )?PRIVATE KEY(?: BLOCK)?-----/

export const keyBody = /^[\s"'`+,]*[A-Za-z0-9+/=]{40,}/

/** Rejects nearly every line cheaply, before the other patterns are tried. */
export const secretKeyword =
  /AKIA|ASIA|gh[pousr]_|github_pat|glpat-|xox[abeoprs]-|hooks\.slack|k_live_|sk-|AIza|SG\.|npm_|pypi-|hf_|_v1_|eyJ|:\/\/|pass|pwd|secret|token|api|key|credential|authorization|bearer|hmac|StaticV4|\bPDO\b|mysqli/i

/** Parts of values that are examples, templates or public. */
const placeholder =
  /example|placeholder|change.?me|dummy|fake|sample|your[-_ ]|my[-_]|xxx|\.\.\.|\*\*\*|<\w|\$\{|\{\{|%\(|%s|#\{|redacted|insert|replace|todo|0{6}|1234567|abcdefg|deadbeef|foobar|lorem|secret.?key|password|not.?a.?real|mock|dev[-_]|local|\bphc_|\bpk_|\bpub_/i

/** Files that show what values look like. */
const examplePath =
  /\.(?:example|sample|template|dist|md|mdx|rst|adoc|txt|lock|sum|svg|snap|ipynb|po|xlf)$|(?:^|\/)(?:docs?|examples?|samples?|fixtures?|locales?|i18n|translations?)\//i

/** Whether a file shows what values look like: documentation, a template or a sample. */
export function isExamplePath(path: string): boolean {
  return examplePath.test(path)
}

/** Files that start a service for tests of CI, whose own secrets protect nothing. */
const ciPath = /(?:^|\/)\.?ci\/|^\.github\/workflows\/|[._-]ci\.ya?ml$/i

/** Names of values that are public or describe a secret without holding it. */
const harmlessName =
  /(?:amplitude|analytics|mixpanel|posthog|segment)_?(?:api|write)_?key|public|hash|sha\d|checksum|digest|count|length|(?:name|type|_id)$|endpoint|_?ur[il]$|regex|pattern|header|param|field|column|prefix/i

/** Finds the first secret in a line; files of examples have only those in issued formats. */
export function findSecret(text: string, path: string): Secret | undefined {
  if (!secretKeyword.test(text)) return undefined
  const issued = findIssuedSecret(text, path)
  if (issued) return issued
  if (isExamplePath(path) || ciPath.test(path)) return undefined
  return (
    findPasswordInUrl(text) ??
    findAssignedSecret(text) ??
    findAssignedPassword(text) ??
    findHeaderSecret(text) ??
    findConnectionPassword(text) ??
    findTakenSecret(text)
  )
}

function findIssuedSecret(text: string, path: string): Secret | undefined {
  for (const { name, pattern } of issuedFormats) {
    const value = pattern.exec(text)?.[0]
    // URLs of images in documents have tokens that are valid for minutes.
    const isShortLived = name.endsWith('(JWT)') && isExamplePath(path)
    if (value && !isPlaceholder(value) && !isShortLived) return { source: 'format', name, value }
  }
  return undefined
}

function findPasswordInUrl(text: string): Secret | undefined {
  const [, password, host] = urlWithPassword.exec(text) ?? []
  if (!password || !host || isPlaceholder(password)) return undefined
  // In development, databases of the machine or of a container have simple passwords.
  if (!isPublicHost(host) && !isGenerated(password)) return undefined
  if (/^(?:pass|pwd|user|root|admin|test|postgres)\w{0,4}$/i.test(password)) return undefined
  return { source: 'url', name: 'A password in an address', value: password }
}

function findAssignedSecret(text: string): Secret | undefined {
  const match = assignment.exec(text)
  const { name: nameEnd = '', value } = match?.groups ?? {}
  if (!match || !value || !looksRandom(value) || isPartOfWord(text, match.index)) return undefined
  const before = text.slice(Math.max(0, match.index - 40), match.index)
  const nameStart = /[\w.-]{1,40}$/.exec(before)?.[0] ?? ''
  const name = nameStart + nameEnd
  if (harmlessName.test(name)) return undefined
  return { source: 'variable', name: `The value of \`${name.slice(0, 60)}\``, value }
}

function findAssignedPassword(text: string): Secret | undefined {
  const match = passwordAssignment.exec(text)
  const { name = '', value } = match?.groups ?? {}
  if (!match || !value || !isGenerated(value)) return undefined
  const before = /[\w.-]{1,40}$/.exec(text.slice(Math.max(0, match.index - 40), match.index))?.[0]
  return { source: 'variable', name: `The value of \`${before ?? ''}${name}\``, value }
}

function findHeaderSecret(text: string): Secret | undefined {
  const { name = '', value } = header.exec(text)?.groups ?? {}
  // Some services have UUIDs as tokens.
  if (!value || isPlaceholder(value) || !(looksRandom(value) || uuid.test(value))) return undefined
  return { source: 'variable', name: `The value of the header \`${name}\``, value }
}

/** Names of what finds or describes a secret. */
const describesSecret = /file|path|id$|name|version|label|title|text|message|class/i

/** Finds a generated text behind the name of what takes a secret, also as a default. */
function findTakenSecret(text: string): Secret | undefined {
  const setting = settingDefault.exec(text)?.[1]
  if (setting && isGenerated(setting))
    return { source: 'variable', name: 'The default of this setting', value: setting }
  for (const match of text.matchAll(quotedValue)) {
    const value = match[2]!
    const before = text.slice(Math.max(0, match.index - 120), match.index)
    const taker = [...before.matchAll(secretTaker)].at(-1)
    // The end of a text that is joined is no secret.
    if (!taker || !isGenerated(value) || /\+\s*$/.test(before)) continue
    const name = /[\w.-]{0,40}$/.exec(before.slice(0, taker.index))![0] + nameEnd(before, taker)
    if (
      !harmlessName.test(name) &&
      !describesSecret.test(name) &&
      !isPartOfWord(before, taker.index)
    )
      return { source: 'variable', name: `The value of \`${name.slice(-60)}\``, value }
  }
  return undefined
}

function nameEnd(before: string, taker: RegExpExecArray): string {
  return /^[\w-]{0,40}/.exec(before.slice(taker.index))![0]
}

function findConnectionPassword(text: string): Secret | undefined {
  const password = connectionPassword.exec(text)?.[1]
  if (!password || !isGenerated(password)) return undefined
  return { source: 'url', name: 'A password in a connection string', value: password }
}

/** Whether a text looks like a generated key or password. */
export function looksLikeSecret(text: string): boolean {
  return (text.length >= 16 && looksRandom(text)) || isGenerated(text)
}

/** Whether a short text alternates between letters and digits as only generated ones do. */
function isGenerated(text: string): boolean {
  if (text.length < 8 || text.length > 64 || isPlaceholder(text)) return false
  if (codeOrPath.test(text) || uuid.test(text) || passwordWord.test(text)) return false
  const runs = text
    .split(/[^a-zA-Z\d]+/)
    .map((part) => part.match(/\d+|[a-z]+|[A-Z]+[a-z]*/g) ?? [])
  const digits = runs.flat().filter((run) => /\d/.test(run))
  return runs.some((parts) => parts.length >= 3) && runs.flat().length >= 4 && digits.length >= 2
}

/** The word password may have digits in place of letters. */
const passwordWord = /p[a4@][s5$]{2}w[o0]rd|admin|user|demo|secret|qwert|hello|welcome/i

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Words that names join with the word for a secret, as in `authtoken`. */
const compounds =
  /(?:access|api|app|auth|bearer|bot|client|db|my|refresh|root|secret|session|user)$/i

/** Whether a name starts within a word, as in `tiktoken`. `authtoken` and `botToken` are names. */
function isPartOfWord(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 20), index)
  return /[a-z]$/i.test(before) && /[a-z]/.test(text[index] ?? '') && !compounds.test(before)
}

function isPublicHost(host: string): boolean {
  return (
    host.includes('.') &&
    !/^(?:127\.|0\.0\.0\.0)|example|\.(?:test|local|localhost|invalid|internal)$/i.test(host)
  )
}

/** Whether a value is an example: it contains a word for that, or repeats few characters. */
function isPlaceholder(value: string): boolean {
  return placeholder.test(value) || new Set(value.slice(-16)).size < Math.min(6, value.length - 1)
}

/** Whether a value has over 3.5 bits per character, and isn't made of words, code or a path. */
function looksRandom(value: string): boolean {
  if (isPlaceholder(value) || !/\d/.test(value) || !/[a-z]/i.test(value)) return false
  if (codeOrPath.test(value) || camelCase.test(value)) return false
  // A UUID identifies something, and usually gives no access to it.
  if (uuid.test(value)) return false
  return entropyPerCharacter(value) > 3.5
}

const codeOrPath = new RegExp(
  [
    String.raw`[()[\]{}|\\^?&;,]|\/\/|^[./@#~]|^\w{1,20}:\w|test`,
    // Words, such as the key of a setting with the number of its ticket.
    String.raw`^[a-z]+(?:[-_./]\d{1,6})?(?:[-_./][a-z]+\d{0,3})+$`,
    // The name of an index or constraint.
    '^(?:idx|uniq|[fp]k)_',
    // The hash of a password.
    String.raw`^\$(?:2[abxy]?|argon2\w*|scrypt|\d)\$`,
  ].join('|'),
  'i',
)

/** A name in CamelCase, such as `SsoEmail2faSessionToken`. */
const camelCase = /^(?:[A-Z][a-z]+(?:\d[a-z]*)?)+$/

/** Returns the Shannon entropy in bits per character. */
function entropyPerCharacter(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) {
    const share = count / text.length
    bits -= share * Math.log2(share)
  }
  return bits
}

/** Replaces all secrets in a text; the whole text if there are very many. */
export function redactSecrets(text: string): string {
  return replaceSecrets(text, () => '[secret]')
}

function replaceSecrets(text: string, toMark: (value: string) => string): string {
  let redacted = text
  for (let round = 0; round < 20; round++) {
    const secret = findSecret(redacted, '')
    if (!secret) return redacted
    redacted = redacted.replaceAll(secret.value, toMark(secret.value))
  }
  return toMark(text)
}

const markKey = randomBytes(32)

/** Equal secrets have equal marks in one process, and nobody can compute a secret's mark. */
function markSecret(value: string): string {
  const digest = createHmac('sha256', markKey).update(value).digest('hex')
  return `<redacted secret ${digest.slice(0, 8)}>`
}

const secretMark = /<redacted secret [0-9a-f]{8}>/

export function hasSecretMark(text: string): boolean {
  return secretMark.test(text)
}

const keyEnd = /-----END (?:[A-Z]{2,10} )?PRIVATE KEY(?: BLOCK)?-----/
/** The longest key of common formats has about 200 lines. */
const maxKeyLines = 400
/** A plus sign at its start may be the marker of a diff, so it is left. */
const keyText = /[A-Za-z0-9/][A-Za-z0-9+/=]{15,}/g

/** Replaces each secret in a text, which may be a diff, by its mark. */
export function markSecrets(text: string): string {
  if (!secretKeyword.test(text) && !text.includes('PRIVATE KEY')) return text
  const lines = text
    .split('\n')
    .map((line) => (secretKeyword.test(line) ? replaceSecrets(line, markSecret) : line))
  return markPrivateKeys(lines).join('\n')
}

/** Marks the lines between the header and the end of a key. A diff may show only one of them. */
function markPrivateKeys(lines: readonly string[]): readonly string[] {
  const marked = [...lines]
  const mark = (index: number) => {
    marked[index] = marked[index]!.replace(keyText, markSecret)
  }
  for (const [index, line] of lines.entries()) {
    if (!line.includes('PRIVATE KEY')) continue
    const header = keyHeader.exec(line)
    // A key in one line has escaped line ends.
    if (header || keyEnd.test(line)) mark(index)
    const step = header ? 1 : keyEnd.test(line) ? -1 : 0
    if (step === 0 || (header && keyEnd.test(line))) continue
    for (let at = index + step, count = 0; isKeyLine(lines[at]) && count < maxKeyLines; count++) {
      mark(at)
      at += step
    }
  }
  return marked
}

/** Whether a line can be within a key: a part of it, one of its headers, or blank. */
function isKeyLine(line: string | undefined): boolean {
  return line !== undefined && !/PRIVATE KEY/.test(line) && keyLine.test(line)
}

/** Matches numbers and marker of a diff, quotation marks, and the text of a key or a header. */
const keyLine =
  /^[\s\d|:+-]*["'`]?(?:(?:[A-Za-z0-9+/=]+|[A-Za-z-]+: [\w ,.-]+)?(?:\\[nr])*["'`,+\s\\;]*)$/
