// The text of a manifest and its path in the tree.

export interface ManifestFile {
  readonly folder: string
  readonly path: string
  readonly text: string
}
