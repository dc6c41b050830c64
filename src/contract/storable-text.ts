// Text that every database stores: well-formed Unicode without NUL.

/** Replaces NUL characters and halves of surrogate pairs by U+FFFD: PostgreSQL refuses both. */
export function toStorableText(text: string): string {
  const wellFormed = text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\ufffd') : wellFormed
}
