// Defines what is known about Java, and the family of languages that run on its virtual machine.
import { classes } from '../common/comment-style.ts'
import type { Language, LanguageFamily } from '../language.ts'

export const jvm: LanguageFamily = {
  id: 'jvm',
  loadImports: async () => (await import('./imports.ts')).createJvmImports,
  scopes: ['own namespace', 'wildcard imports'],
  // Functions of Kotlin can be in any file of their package.
  importsNamespaces: 'members',
  hasImplicitThis: true,
  importsExtensions: true,
  capitalizesTypes: true,
}

export const java = {
  names: ['Java'],
  family: jvm,
  grammars: [
    { name: 'java', extensions: ['.java'], checked: ['.java'], statementFrame: ['', ';'] },
  ],
  unparsed: ['.groovy'],
  comments: classes,
  namesTestsLikeClasses: true,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).calls,
  loadDialect: async () => (await import('./dialect.ts')).dialect,
} as const satisfies Language
