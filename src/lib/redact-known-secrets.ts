// Redacts our own secrets in texts for people, including parts of them and common encodings.

/** A part of a secret with this length is redacted. */
const defaultPieceLength = 12
/** A part of a short secret that lacks at most this many letters is redacted. */
const maxMissingLetters = 7
const minSecretLength = 6
const minPieceLength = 8
/** Redacting a password like `postgres` would remove the word everywhere, and reveal it by that. */
const plainWord = /^[a-z]{1,11}$/i

/** Characters that Markdown or an attacker can put between the letters of a secret. */
const noise = /[\s\\`*~\p{Cc}\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0]|\u034f/u

/**
 * Replaces each secret in `text` by `[secret]`: whole, in base64 and base64url (also within longer
 * data), in hexadecimal and percent-encoding, and in parts of at least 12 characters or with at
 * most 7 missing. It is linear in the text. Secrets below 6 characters and short words are ignored.
 */
export function redactKnownSecrets(text: string, secrets: readonly string[]): string {
  const pieces = findListedPieces(secrets)
  if (pieces.size === 0) return text
  const { letters, positions } = dropNoise(text)
  let result = ''
  let copiedTo = 0
  for (const [from, to] of findPieces(letters, pieces)) {
    result += `${text.slice(copiedTo, positions[from])}[secret]`
    copiedTo = (positions[to - 1] as number) + 1
  }
  return result + text.slice(copiedTo)
}

/** The parts of secrets to search for, by length. */
type Pieces = ReadonlyMap<number, ReadonlySet<string>>

/** The pieces of each list of secrets, and how many secrets it had. Lists only grow. */
const listed = new WeakMap<readonly string[], { readonly count: number; readonly pieces: Pieces }>()

/** Returns the pieces of a list. A private key has tens of thousands, so they are kept. */
function findListedPieces(secrets: readonly string[]): Pieces {
  const known = listed.get(secrets)
  if (known?.count === secrets.length) return known.pieces
  const pieces = listPieces(secrets)
  listed.set(secrets, { count: secrets.length, pieces })
  return pieces
}

function listPieces(secrets: readonly string[]): Pieces {
  const pieces = new Map<number, Set<string>>()
  for (const secret of secrets.filter(isRedactable)) {
    for (const form of encodeSecret(secret)) {
      const { letters } = dropNoise(form)
      const minLength = Math.min(letters.length, minPieceLength)
      const length = Math.min(
        defaultPieceLength,
        Math.max(minLength, letters.length - maxMissingLetters),
      )
      if (length < minSecretLength) continue
      const sameLength = pieces.get(length) ?? new Set()
      for (let start = 0; start + length <= letters.length; start++)
        sameLength.add(letters.slice(start, start + length))
      pieces.set(length, sameLength)
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
    // Within longer data, such as `user:secret`, base64 depends on the offset, and the letters at
    // both ends depend on the neighboring bytes.
    const base64 = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const independent = base64.slice(
      shift === 0 ? 0 : shift + 1,
      Math.floor(((shift + bytes.length) * 8) / 6),
    )
    return [independent, independent.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const lowerPercent = percent.replace(/%../g, (code) => code.toLowerCase())
  return new Set([secret, percent, lowerPercent, hex, hex.toUpperCase(), ...shifted])
}

/** Drops the noise, and returns where each of the letters was in the text. */
function dropNoise(text: string): { letters: string; positions: number[] } {
  let letters = ''
  const positions: number[] = []
  for (let position = 0; position < text.length; position++) {
    const letter = text[position] as string
    if (noise.test(letter)) continue
    letters += letter
    positions.push(position)
  }
  return { letters, positions }
}

/** Finds the ranges (end exclusive) of pieces in order; overlapping or adjacent ones are joined. */
function findPieces(letters: string, pieces: Pieces): [number, number][] {
  const found: [number, number][] = []
  for (let start = 0; start < letters.length; start++) {
    for (const [length, sameLength] of pieces) {
      const end = start + length
      if (!sameLength.has(letters.slice(start, end))) continue
      const last = found.at(-1)
      if (last && start <= last[1]) last[1] = Math.max(last[1], end)
      else found.push([start, end])
    }
  }
  return found
}
