// Loads the YAML parser on first use, because loading it takes longer than checking most files.
import { createRequire } from 'node:module'
import type { Scalar, YAMLMap, YAMLSeq } from 'yaml'

export function loadYaml(): typeof import('yaml') {
  return createRequire(import.meta.url)('yaml') as typeof import('yaml')
}

export function isMap(node: unknown): node is YAMLMap {
  return loadYaml().isMap(node)
}

export function isSeq(node: unknown): node is YAMLSeq {
  return loadYaml().isSeq(node)
}

export function isScalar(node: unknown): node is Scalar {
  return loadYaml().isScalar(node)
}
