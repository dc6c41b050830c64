// Finds dangers that are the same in many languages: weak hashes, random, TLS.
import type { Node } from 'web-tree-sitter'
import { allBindingTypes, readBinding } from './bindings.ts'
import { type Callees, callees } from './callee-words.ts'
import { callAndNewTypes, readCall } from './calls.ts'
import { functionTypes, isFunction } from './functions.ts'
import { languagesOf, pickByLanguage } from './language-rules.ts'
import { functionTextOf } from './local-values.ts'
import { isNamedLikeSecret, needsFastHash, passwordName, separateWords } from './secret-names.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { enclosingNode, field, firstLine, lineOf, quoteCode } from './syntax-nodes.ts'

interface CallCheck {
  readonly callees: Callees
  readonly title: string
  readonly body: string
  /** Decides what the callee doesn't show, and returns what differs from the wording. */
  readonly when?: (call: Node, file: ParsedFile) => Partial<Hit> | boolean
}

/** Reports calls of a function. In the title, `$CALL` is the code of the call. */
export function checkCalls({ callees, when, title, body }: CallCheck): SyntaxCheck {
  return {
    nodes: callAndNewTypes,
    check(call, file) {
      if (!callees(readCall(call).plain)) return undefined
      const described = when?.(call, file) ?? true
      if (described === false) return undefined
      const wording = { title: title.replace('$CALL', () => quoteCode(call.text)), body }
      return { at: firstLine(call), ...wording, ...(described === true ? {} : described) }
    },
  }
}

/** Fast hashes; those of the other languages are patterns in `crypto-rules.ts`. */
const fastHashes = {
  cpp: callees('{MD5,SHA1,SHA256,SHA512}{,_Update}'),
  'c-sharp': callees(
    '**.{MD5,SHA1,SHA256,SHA512}.HashData',
    '{*md5*,*Md5*,*MD5*,*sha*,*Sha*,*SHA*,*hasher*,*Hasher*,*lgorithm*}.ComputeHash',
  ),
  php: callees('md5 sha1 crc32 hash'),
  ruby: callees('{OpenSSL.,}Digest.{MD5,SHA1,SHA256,SHA2,SHA512}.{,hex,base64}digest'),
  rust: callees('**.{Md5,Sha1,Sha256,Sha512}.digest md5.compute'),
} satisfies Readonly<Record<string, Callees>>

/** Reports a fast hash of what is named like a password. */
export const passwordHashes = {
  languages: languagesOf(fastHashes),
  nodes: callAndNewTypes,
  check(call: Node, file: ParsedFile): Hit | undefined {
    const { plain, args } = readCall(call)
    if (!pickByLanguage<Callees>(fastHashes, file)?.(plain)) return undefined
    const password = args.find((argument) => passwordName.test(argument.text.slice(0, 200)))
    if (!password || isPrescribed(call)) return undefined
    const name = /[\w$]*(?:passw(?:or)?d|passphrase|pwd)\w*/i.exec(password.text)?.[0] ?? ''
    // A slow hash may be hashed again.
    if (/hash|digest/i.test(name)) return undefined
    return {
      at: firstLine(call),
      title: `${quoteCode(name)} is hashed with a function that is too fast for passwords`,
      body: passwordHashBody,
    }
  },
}

/** Entity tags and Gravatar prescribe a fast hash, and old hashes are compared as they are. */
function isPrescribed(call: Node): boolean {
  const around = enclosingNode(call, new Set(callAndNewTypes)) ?? call.parent
  return (
    /etag|gravatar|hash_equals|secure_?compare/i.test(around?.text.slice(0, 500) ?? '') ||
    needsFastHash.test(functionTextOf(call))
  )
}

interface RandomFunctions {
  readonly callees: Callees
  /** Whether the functions of these names are meant, as the text of the file shows. */
  readonly isIn?: (text: string) => boolean
}

/** Random generators whose values can be computed from others. */
const randoms = {
  javascript: { callees: callees('Math.random') },
  python: {
    callees: callees('random.{random,randint,choice,choices,randrange,getrandbits,sample}'),
  },
  go: {
    callees: callees('rand.{Int,Intn,IntN,Int63,Int31n,Uint32,Read,Float64}'),
    isIn: (text) => /"math\/rand(?:\/v2)?"/.test(text),
  },
  java: { callees: callees('{Random.new(),ThreadLocalRandom,ThreadLocalRandom.current()}.*') },
  cpp: { callees: callees('{std.,}{rand,random,rand_r}') },
  'c-sharp': {
    callees: callees('{Random.new(),Random.Shared,*random,*Random,rnd,rng}.Next*'),
    isIn: (text) => /\bnew Random\b|Random\.Shared|\bRandom \w+/.test(text),
  },
  kotlin: {
    callees: callees('{,kotlin.random.}Random{,()}.next* ThreadLocalRandom.current().next*'),
  },
  php: { callees: callees('rand mt_rand uniqid lcg_value str_shuffle array_rand') },
  ruby: {
    callees: callees('{Kernel.,Random.,}rand .{sample,shuffle}'),
    isIn: (text) => !text.includes('SecureRandom'),
  },
} satisfies Readonly<Record<string, RandomFunctions>>

export const predictableBody =
  'When an attacker sees a few outputs of this generator, or knows its seed, they can compute ' +
  'the next ones. Use a cryptographically secure generator, such as `crypto.randomBytes`, ' +
  "Python's `secrets`, Go's `crypto/rand` or Java's `SecureRandom`."

/** Reports a predictable random value whose variable or function is named like a secret. */
export const predictableRandom = {
  languages: languagesOf(randoms),
  nodes: callAndNewTypes,
  check(call: Node, file: ParsedFile): Hit | undefined {
    const random = pickByLanguage<RandomFunctions>(randoms, file)
    if (!random?.callees(readCall(call).plain) || random.isIn?.(file.text) === false)
      return undefined
    return isCompared(call) || isChoice(call) ? undefined : secretHit(call, predictableBody)
  },
}

/** Whether a value only shows whether it is still the newest one: `this.token === token`. */
function isCompared(call: Node): boolean {
  const owner = enclosingNode(call, ownerTypes)
  const name = owner && !isFunction(owner) ? readBinding(owner)?.targets[0]?.text : undefined
  if (!name) return false
  return new RegExp(`[\\w\\])] === ${RegExp.escape(name)}\\b`).test(functionTextOf(call))
}

/** Python: whether one of several secrets is chosen, not one of the characters of a new one. */
function isChoice(call: Node): boolean {
  const isOne = readCall(call).plain === 'random.choice'
  return isOne && !enclosingNode(call, new Set(['generator_expression', 'list_comprehension']))
}

function secretHit(call: Node, body: string): Hit | undefined {
  if (!isNamedLikeSecret(nameOfResult(call))) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(call.text)} generates a predictable secret`,
    body,
  }
}

/** Values that others know or can try. */
const guessable = /e?mail|time|\bnow\b|Now\b|\bdate|uniqid|user_?name|login/i
const unknown = /rand|secret|key|salt|pepper|nonce|bytes|uuid|guid|secure|token/i

/** Whether a text is made of values that others know or can try. */
export function isGuessable(code: string): boolean {
  return guessable.test(code) && !unknown.test(code)
}

const hashes = {
  php: callees('md5 sha1 hash crc32'),
  ruby: callees('{OpenSSL.,}Digest.{MD5,SHA*}.{,hex,base64}digest'),
} satisfies Readonly<Record<string, Callees>>

/** Reports a secret that is the hash of values that others know or can try. */
export const predictableHashes = {
  languages: languagesOf(hashes),
  nodes: callAndNewTypes,
  check(call: Node, file: ParsedFile): Hit | undefined {
    const { plain, args } = readCall(call)
    if (!pickByLanguage<Callees>(hashes, file)?.(plain)) return undefined
    const hashed = args.map(({ text }) => text).join()
    if (!isGuessable(hashed.slice(0, 500))) return undefined
    return secretHit(
      call,
      'When an attacker knows or tries the values that are hashed, they can compute the same ' +
        'secret. Use a cryptographically secure generator.',
    )
  },
}

const ownerTypes = new Set([
  ...allBindingTypes,
  ...['init_declarator', 'pair', 'keyed_element'],
  ...functionTypes,
])

/** The variable or property that gets a value, or the function that returns it. */
export function nameOfResult(node: Node): string {
  let owner = enclosingNode(node, ownerTypes)
  // The function says what the characters of a text are for.
  while (owner && (isFunction(owner) ? !functionName(owner) : /^\w+\[/.test(owner.text)))
    owner = enclosingNode(owner, ownerTypes)
  if (!owner) return ''
  const name = isFunction(owner) ? functionName(owner) : readBinding(owner)?.targets[0]?.text
  return separateWords((name ?? '').replace(/^.*[.>:]/s, ''))
}

function functionName(fn: Node): string | undefined {
  const name = field(fn, 'name') ?? field(fn, 'declarator')
  return name?.text.replace(/\([\s\S]*$/, '')
}

interface Switch {
  readonly nodes: readonly string[]
  readonly off: RegExp
}

/** What disables TLS verification; that of the other languages is patterns in `tls-rules.ts`. */
const switches = {
  cpp: {
    nodes: ['call_expression'],
    off: /^curl_easy_setopt\s*\([^,]+,\s*CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*,\s*(?:0L?|false)\s*\)$/,
  },
  'c-sharp': {
    nodes: ['assignment_expression'],
    off: /^[\w.]*Server(?:Certificate\w*Callback|CertificateValidationCallback)\s*\+?=\s*(?:\(.*?\)|\w+|delegate\b[^{]*)\s*(?:=>\s*(?:\{\s*return\s+)?|\{\s*return\s+)true\b|DangerousAcceptAnyServerCertificateValidator$|Server(?:Certificate\w*Callback|CertificateValidationCallback)\s*\+?=\s*\((?:[^(),]*,){2,3}\s*(?:\w+\??\s+)?_\)\s*=>\s*[^({]*$/s,
  },
  kotlin: {
    nodes: ['call_expression'],
    off: /\bhostnameVerifier\s*(?:\{|\(\s*\{?)[^{}]*->\s*true\s*\}?\)?$|\bsetDefaultHostnameVerifier\s*\{[^{}]*true\s*\}$/,
  },
  php: {
    nodes: ['array_element_initializer', 'function_call_expression'],
    off: /^(?:\\?curl_setopt\s*\([^,]+,\s*)?['"]?\\?(?:CURLOPT_SSL_VERIFY(?:PEER|HOST)|verify|verify_peer|verify_peer_name|sslverify)['"]?\s*(?:,|=>)\s*(?:false|0)\s*\)?$/i,
  },
  ruby: {
    nodes: ['assignment', 'pair'],
    off: /\bverify_mode\s*(?:=|:|=>)\s*OpenSSL::SSL::VERIFY_NONE$|^:?(?:verify_ssl|ssl_verify_peer)(?::|\s*=>)\s*(?:false|OpenSSL::SSL::VERIFY_NONE)$/,
  },
  rust: {
    nodes: ['call_expression'],
    off: /\.(?:danger_accept_invalid_(?:certs|hostnames)|tls_danger_accept_invalid_certs)\(\s*true\s*\)$|\bset_verify\(\s*SslVerifyMode::NONE\s*\)$/,
  },
} satisfies Readonly<Record<string, Switch>>

/** Reports code that disables TLS verification. */
export const disabledTls = {
  languages: languagesOf(switches),
  nodes: [...new Set(Object.values(switches).flatMap(({ nodes }) => nodes))],
  check(node: Node, file: ParsedFile): Hit | undefined {
    const found = pickByLanguage<Switch>(switches, file)
    if (!found?.nodes.includes(node.type)) return undefined
    const text = node.text.slice(0, 500)
    const match = found.off.exec(text)
    if (!match || isChosen(node)) return undefined
    // A chain of calls ends on another line than it starts.
    const line = lineOf(node) + text.slice(0, match.index).split('\n').length - 1
    const at = { startLine: line, endLine: line }
    return { at, title: 'TLS certificate verification is disabled', body: tlsBody }
  },
}

const optionNames = /verif|insecure|ssl|tls|skip|self.?signed|accept|cert|trust|dev|local|unsafe/i

/** Whether a condition or the name of the function shows that someone chooses to be insecure. */
export function isChosen(node: Node): boolean {
  for (let around = node.parent; around; around = around.parent) {
    const isCondition = /^(?:if|unless|conditional|ternary|match|when|switch)/.test(around.type)
    const header = isCondition
      ? (field(around, 'condition') ?? around.namedChild(0))
      : isFunction(around) && field(around, 'name')
    const names = isCondition ? optionNames : /insecure|unsafe|trust_?all|accept_?all/i
    if (header && names.test(header.text.slice(0, 300))) return true
  }
  return false
}

export const passwordHashBody =
  'When the stored hashes leak, an attacker can try billions of passwords a second. Use a ' +
  'password hash: Argon2id, scrypt or bcrypt.'

export const tlsBody =
  'When an attacker intercepts the connection, they can present any certificate, and read and ' +
  'change everything. Trust the right certificate authority instead.'

export const deserializationBody =
  'When an attacker can change the data, creating the objects in it runs their code. Use a ' +
  'format that holds values only, such as JSON.'

export const codeInjectionBody =
  'When an attacker controls the value, they can run any code with the rights of this program. ' +
  'Parse the data, or choose from a fixed set of functions.'
