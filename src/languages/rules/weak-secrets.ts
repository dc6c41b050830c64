// Finds secrets that are compared, encrypted or made in a way that attackers can use.
import { checkFunctions, type FunctionCode } from './function-code.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { quoteCode } from './syntax-nodes.ts'

function hitAt(code: FunctionCode, index: number, title: string, body: string): Hit {
  const line = code.lineAt(index)
  return { at: { startLine: line, endLine: line }, title, body }
}

const macEvidence = /hmac|\bMac\.getInstance|\bMac\b.*new_from_slice|OpenSSL::HMAC/i
const constantTime =
  /timing_?safe|constant_?time|FixedTimeEquals|MessageDigest\.isEqual|hash_equals|compare_digest|secure_compare|hmac\.Equal|verify_slice|\bct_eq|ConstantTimeCompare/i

const expectedName =
  '(?:\\w*(?:[eE]xpected|[cC]omputed|[cC]alculated|[wW]ant|hmac|Hmac|HMAC|digest|Digest|signature|Signature)\\w*|mac|sig)'

/** `expected == signature`, where the function computes an HMAC. */
const notSignature = /^(?:null|nil|None|undefined|true|false|err)$|length|len$/i

function findTiming(code: FunctionCode): Hit | undefined {
  const { text } = code
  if (!macEvidence.test(text) || constantTime.test(text)) return undefined
  const comparison = new RegExp(
    `(?<![\\w.])[$@]?(${expectedName})\\s*[!=]={1,2}\\s*[$@]?([a-z]\\w*(?:[.>-]+\\w+)*)(?![\\w(.])|(?<![\\w.>])[$@]?([a-z]\\w*)\\s*[!=]={1,2}\\s*[$@]?(${expectedName})\\b(?![\\w(.])|\\b(${expectedName})\\.[eE]quals\\(\\s*([a-z]\\w*)\\s*[,)]`,
    'g',
  )
  for (const match of text.matchAll(comparison)) {
    const names = match.slice(1).filter((each) => each !== undefined)
    const name = names.find((each) => new RegExp(`\\b${each}\\b[^=\\n]*=[^=]`).test(text))
    const other = names.find((each) => each !== name)
    if (!name || !other) continue
    if (names.some((each) => notSignature.test(each))) continue
    return hitAt(
      code,
      match.index,
      `Timing attack: the signature ${quoteCode(name)} is compared with an operator`,
      'When an attacker measures response times, they can find the right signature one ' +
        'character at a time. Use a comparison that takes the same time for all values.',
    )
  }
  return undefined
}

const zeroVector =
  /\b(?:byte\[\]|val|var|const|let|auto)?\s*(\w*(?:iv|IV|Iv|nonce|Nonce))\b[^=\n]{0,30}:?=\s*(?:new byte\[\d*[^{}\n;]*\]|ByteArray\(\d+\)|Buffer\.alloc\(\d+(?:,\s*0)?\)|bytes\(\d+\)|b(['"])(?:\\x00|\\0)[^'"\n]*\2(?:\s*\*\s*\d+)?|make\(\[\]byte,[^)\n]*\)|\[0(?:u8)?; \d+\]|str_repeat\([^)\n]*\)|"[^"\n$]{8,}"|'[^'\n$]{8,}')/g

/** `iv = new byte[12]` that nothing fills before it is used. */
function findFixedVector(code: FunctionCode): Hit | undefined {
  const { text } = code
  if (!/encrypt|ENCRYPT|seal|Seal/i.test(text) || !/cipher|aes|crypt/i.test(text)) return undefined
  for (const match of text.matchAll(zeroVector)) {
    const name = match[1]!
    const rest = text.slice(match.index + match[0].length)
    const isFilled = new RegExp(
      `(?:nextBytes|[rR]ead(?:Full|Fully|Exactly)?|fill\\w*|Fill|GetBytes|getrandom|arraycopy|copy\\w*|Copy\\w*|get|randomFillSync|try_fill_bytes)!?\\([^;\\n]*\\b${name}\\b|\\b${name}(?:\\[|\\.(?:set|copy\\w*|fill)\\()|\\b${name}\\s*=(?!=)|&mut ${name}`,
    ).test(rest)
    if (isFilled || !new RegExp(`\\b${name}\\b`).test(rest)) continue
    return hitAt(
      code,
      match.index,
      `${quoteCode(name)} is the same for each text that is encrypted`,
      'When two texts are encrypted with the same key, an attacker can compare them, or with ' +
        'GCM and CTR compute one from the other. Fill it with random bytes each time.',
    )
  }
  return undefined
}

const codeBook =
  /["'](?:AES|DES|DESede)(?:\/ECB\/\w+)?["']\s*\)|\bCipherMode\.ECB\b|\bMODE_ECB\b|\bmodes\.ECB\(|["'](?:aes|des)-\d*-?ecb["']|NewECBEncrypter/i

function findCodeBook({ text, ...code }: FunctionCode): Hit | undefined {
  const match = codeBook.exec(text)
  if (!match || !/[cC]ipher|encrypt|AES\.new|Mode/.test(text)) return undefined
  // Keys are of an algorithm, without a mode.
  if (
    /KeySpec\([^;\n]*$|KeyGenerator\.getInstance\(\s*$|SecretKeyFactory\.getInstance\(\s*$/.test(
      text.slice(0, match.index),
    )
  )
    return undefined
  if (/\)$/.test(match[0]) && !/Cipher\.getInstance\(\s*$/.test(text.slice(0, match.index)))
    return undefined
  return hitAt(
    { text, ...code },
    match.index,
    `${quoteCode(match[0].replace(/\s*\)$/, ''))} encrypts in ECB mode`,
    'When a text repeats a block, the encrypted one repeats it as well, so that its content ' +
      'shows. Use AES-GCM.',
  )
}

const alphabet =
  /\b[$@]?(?:\w*(?:alphabet|chars?|characters|letters|charset|digits|symbols|pool)\w*)\s*(?:\.charAt\(|\[)[^\n]{0,20}(?:Math\.random|\brand\.Int|\brandom\.|\brand\(|mt_rand\(|\bRandom\b)/i
const secretPurpose =
  /token|secret|passw|otp|reset|session|invite|invitation|voucher|api_?key|verif|recovery|login_?code|2fa|mfa/i
const harmless = /test|mock|demo|sample|color|captcha_image|slug|nanoid/i

/** `ALPHABET[Math.floor(Math.random() * ALPHABET.length)]` in code about tokens. */
function findAlphabet(code: FunctionCode, { path, text }: ParsedFile): Hit | undefined {
  const match = alphabet.exec(code.text)
  if (!match || /[sS]ecureRandom|crypto\/rand|secrets\./.test(text)) return undefined
  const name = code.node.childForFieldName('name')?.text ?? ''
  if (!secretPurpose.test(`${name} ${path.replace(/^.*\/(?=.*\/)/, '')}`) || harmless.test(name))
    return undefined
  return hitAt(
    code,
    match.index,
    'A secret is made of characters that are chosen by a predictable generator',
    'When an attacker sees a few outputs of this generator, or knows its seed, they can ' +
      'compute the next ones. Use a cryptographically secure generator.',
  )
}

/** Reports signatures that are not compared in constant time. */
export const comparedSignatures = checkFunctions(findTiming)

/** Reports encryption whose result shows something about the text. */
export const weakEncryption = checkFunctions(findCodeBook, findFixedVector)

/** Reports secrets that are put together from predictable characters. */
export const predictableCharacters = checkFunctions(findAlphabet)
