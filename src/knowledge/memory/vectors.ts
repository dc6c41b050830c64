// Packs vectors so that each dimension takes one byte, and compares them.

export interface Embedding {
  /** The model that made the vector. Vectors of different models can't be compared. */
  readonly embedder: string
  readonly vector: readonly number[]
}

interface PackedVector {
  /** Values from -127 to 127, scaled so that the largest magnitude is 127. */
  readonly bytes: Int8Array
  /** The norm is that of `bytes`, not of the original vector. */
  readonly norm: number
  /** One digit per dimension: `1` for values above 0, otherwise `0`. */
  readonly signs: string
}

/**
 * Packs a vector without its length, which cosines don't depend on. The rounding error is below
 * 1/250 of the largest value.
 */
export function packVector(vector: readonly number[]): PackedVector {
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  const scale = largest === 0 ? 0 : 127 / largest
  const bytes = Int8Array.from(vector, (value) => Math.round(value * scale))
  return {
    bytes,
    norm: normOf(bytes),
    signs: vector.map((value) => (value > 0 ? '1' : '0')).join(''),
  }
}

/** The cosine of a unit vector and a packed one of the same dimension; 0 if one is zero. */
export function cosineOf(
  vector: Float32Array,
  { bytes, norm }: Pick<PackedVector, 'bytes' | 'norm'>,
): number {
  let sum = 0
  for (let index = 0; index < bytes.length; index++) {
    sum += (vector[index] as number) * (bytes[index] as number)
  }
  return norm === 0 ? 0 : sum / norm
}

export function toUnitVector(vector: readonly number[]): Float32Array {
  const norm = normOf(vector)
  return Float32Array.from(vector, (value) => (norm === 0 ? 0 : value / norm))
}

function normOf(vector: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < vector.length; index++) sum += (vector[index] as number) ** 2
  return Math.sqrt(sum)
}
