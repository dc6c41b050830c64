// A manifest as it was read from the tree.

/** A manifest by its path. */
export interface ManifestFile {
  readonly folder: string
  readonly path: string
  readonly text: string
}
