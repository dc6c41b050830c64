// A manifest as it was read from the tree.

/** A manifest by its path. */
export interface Manifest {
  readonly folder: string
  readonly path: string
  readonly text: string
}
