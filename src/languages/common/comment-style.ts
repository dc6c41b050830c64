// Describes how languages write comments.

export interface CommentStyle {
  /** What a comment to the end of the line begins with. */
  readonly line: readonly string[]
  readonly blocks: readonly (readonly [open: string, close: string])[]
  /** Files with one class have its comment below the imports. */
  readonly afterImports: boolean
}

export const braces: CommentStyle = {
  line: ['//'],
  blocks: [['/*', '*/']],
  afterImports: false,
}
export const classes: CommentStyle = { ...braces, afterImports: true }
export const hashes: CommentStyle = { line: ['#'], blocks: [], afterImports: false }
