// Describes Kotlin.
import { classes } from '../common/comment-style.ts'
import { jvm } from '../java/language.ts'
import type { Language } from '../language.ts'

export const kotlin = {
  names: ['Kotlin'],
  family: jvm,
  grammars: [
    {
      name: 'kotlin',
      file: new URL('tree-sitter-kotlin.wasm', import.meta.url),
      extensions: ['.kt', '.kts'],
      checked: ['.kt', '.kts'],
    },
  ],
  comments: classes,
  namesTestsLikeClasses: true,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadRules: async () => (await import('./rules.ts')).rules,
  loadDialect: async () => (await import('./dialect.ts')).dialect,
} as const satisfies Language
