// Describes Scala.
import { classes } from '../common/comment-style.ts'
import { jvm } from '../java/language.ts'
import type { Language } from '../language.ts'

export const scala = {
  names: ['Scala'],
  family: jvm,
  grammars: [
    {
      name: 'scala',
      file: new URL('tree-sitter-scala.wasm', import.meta.url),
      extensions: ['.scala', '.sc', '.sbt'],
      checked: ['.scala', '.sc', '.sbt'],
    },
  ],
  comments: classes,
  namesTestsLikeClasses: true,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadRules: async () => (await import('./rules.ts')).rules,
  loadDialect: async () => (await import('./dialect.ts')).dialect,
} as const satisfies Language
