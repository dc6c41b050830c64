// A manifest that was read from the tree.

export interface ManifestFile {
  readonly folder: string
  readonly path: string
  readonly text: string
}
