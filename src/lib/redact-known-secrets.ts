// Blots our own secrets out of text that is about to be shown, also in parts and in the usual encodings.

/** What a piece of a secret must at least have to be taken for one, in characters. */
const defaultPieceLength = 12
/** What a short secret may lack and still be one. */
const maxMissingLetters = 7
const minSecretLength = 6
const minPieceLength = 8
/** A password like `postgres`: blotting it out would take the word from all texts, and tell it by that. */
const plainWord = /^[a-z]{1,11}$/i

/** Characters that Markdown, or somebody who hides something, puts between the letters without changing them. */
const noise = /[\s\\`*~\p{Cc}\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0]|\u034f/u

/**
 * Replaces each secret in `text` by `[secret]`: whole; in base64, base64url (at any place in something longer),
 * hexadecimal and percent-encoding; any piece of at least 12 characters, or all but 7 characters of it. Linear in the
 * text. Secrets under 6 characters, and plain short words, are let be.
 */
export function redactKnownSecrets(text: string, secrets: readonly string[]): string {
  const pieces = listPieces(secrets)
  if (pieces.size === 0) return text
  const { letters, places } = dropNoise(text)
  let result = ''
  let done = 0
  for (const [from, to] of findPieces(letters, pieces)) {
    result += `${text.slice(done, places[from])}[secret]`
    done = (places[to - 1] as number) + 1
  }
  return result + text.slice(done)
}

/** All that is to be looked for, by length. */
function listPieces(secrets: readonly string[]): Map<number, Set<string>> {
  const pieces = new Map<number, Set<string>>()
  for (const secret of secrets.filter(isRedactable)) {
    for (const form of encodeSecret(secret)) {
      const { letters } = dropNoise(form)
      const length = Math.min(
        defaultPieceLength,
        Math.max(Math.min(letters.length, minPieceLength), letters.length - maxMissingLetters),
      )
      if (length < minSecretLength) continue
      const known = pieces.get(length) ?? new Set()
      for (let at = 0; at + length <= letters.length; at++)
        known.add(letters.slice(at, at + length))
      pieces.set(length, known)
    }
  }
  return pieces
}

function isRedactable(secret: string): boolean {
  return secret.length >= minSecretLength && !plainWord.test(secret)
}

function encodeSecret(secret: string): Set<string> {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const percent = encodeURIComponent(secret.toWellFormed())
  const shifted = [0, 1, 2].flatMap((shift) => {
    // Within something longer, such as `user:secret`, the letters depend on where it begins; those at the ends on both.
    const base64 = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const sure = base64.slice(
      shift === 0 ? 0 : shift + 1,
      Math.floor(((shift + bytes.length) * 8) / 6),
    )
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const lower = percent.replace(/%../g, (code) => code.toLowerCase())
  return new Set([secret, percent, lower, hex, hex.toUpperCase(), ...shifted])
}

function dropNoise(text: string): { letters: string; places: number[] } {
  let letters = ''
  const places: number[] = []
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string
    if (noise.test(letter)) continue
    letters += letter
    places.push(at)
  }
  return { letters, places }
}

/** Where pieces lie, from and to (exclusive), in order and apart from each other. */
function findPieces(
  letters: string,
  pieces: ReadonlyMap<number, ReadonlySet<string>>,
): [number, number][] {
  const found: [number, number][] = []
  for (let at = 0; at < letters.length; at++) {
    for (const [length, known] of pieces) {
      if (!known.has(letters.slice(at, at + length))) continue
      const last = found.at(-1)
      if (last && at <= last[1]) last[1] = Math.max(last[1], at + length)
      else found.push([at, at + length])
    }
  }
  return found
}
