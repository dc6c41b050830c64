// Converts text to what PostgreSQL can store.

/** Replaces NUL characters and unpaired surrogates by U+FFFD: PostgreSQL refuses both. */
export function toStorableText(text: string): string {
  const wellFormed = text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\ufffd') : wellFormed
}
