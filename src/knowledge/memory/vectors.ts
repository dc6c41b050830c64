// Vectors as they are stored: a byte for each dimension. Pure.

/** What an embedder makes of a text. */
export interface Embedding {
  /** Which model it is of: vectors of others can't be compared with it. */
  readonly embedder: string
  readonly vector: readonly number[]
}

/** A vector as it is stored. */
export interface PackedVector {
  /** From -127 to 127 each; the largest of a vector is 127. */
  readonly bytes: Int8Array
  /** Length of the vector that the bytes are. */
  readonly norm: number
  /** `1` for each dimension above 0, else `0`. */
  readonly signs: string
}

/**
 * Makes a vector small. Its length goes, which cosines don't ask for; what is rounded off is less than one part in 250 of its largest
 * dimension.
 */
export function packVector(vector: readonly number[]): PackedVector {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const scale = largest === 0 ? 0 : 127 / largest
  const bytes = Int8Array.from(vector, (value) => Math.round(value * scale))
  return {
    bytes,
    norm: normOf(bytes),
    signs: vector.map((value) => (value > 0 ? '1' : '0')).join(''),
  }
}

/** The cosine of a vector and a stored one of the same dimension; 0 where one of them is nothing but zeros. */
export function cosineOf(
  vector: Float32Array,
  { bytes, norm }: Pick<PackedVector, 'bytes' | 'norm'>,
): number {
  let sum = 0
  for (let at = 0; at < bytes.length; at++) sum += (vector[at] as number) * (bytes[at] as number)
  return norm === 0 ? 0 : sum / norm
}

/** The vector of the same direction and length 1. */
export function toUnitVector(vector: readonly number[]): Float32Array {
  const norm = normOf(vector)
  return Float32Array.from(vector, (value) => (norm === 0 ? 0 : value / norm))
}

function normOf(vector: ArrayLike<number>): number {
  let sum = 0
  for (let at = 0; at < vector.length; at++) sum += (vector[at] as number) ** 2
  return Math.sqrt(sum)
}
