// Defines how the files of a repository are looked up by path, folder and name.

export interface FileTree {
  has(path: string): boolean
  hasFolder(folder: string): boolean
  /** Checks whether the path is a folder, or a file when an extension is added to it. */
  hasStem(path: string): boolean
  /** Finds the files directly in a folder. */
  filesIn(folder: string): readonly string[]
  /** Finds the folders that directly contain a file with one of these extensions. */
  sourceFolders(extensions: readonly string[]): readonly string[]
  /** Finds the files with this name in all folders. */
  filesNamed(filename: string): readonly string[]
  /**
   * Checks whether a path can exist outside of the tree: as build output, as a generated or ignored
   * file, or in a submodule. It always can for test fixtures, which may be broken on purpose.
   */
  mayBeHidden(path: string, importer: string): boolean
}
