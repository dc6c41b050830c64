// Parses manifests in TOML.
import { parse } from 'smol-toml'

/** Returns undefined for invalid TOML. Takes linear time, because manifests are untrusted input. */
export function parseToml(text: string): unknown {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' })
  } catch {
    return undefined
  }
}
