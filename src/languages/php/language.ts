// Defines what is known about PHP.
import { classes } from '../common/comment-style.ts'
import type { Language, LanguageFamily } from '../language.ts'

const family: LanguageFamily = {
  id: 'php',
  loadImports: async () => (await import('./imports.ts')).createPhpImports,
  manifests: {
    filename: /^composer\.json$/,
    async loadReader() {
      const { readComposer } = await import('./read-composer.ts')
      return { read: (files) => ({ phpPrefixes: files.flatMap(readComposer) }) }
    },
  },
  scopes: ['own namespace', 'wildcard imports', 'unique symbols'],
  // Functions can be in any file of their namespace.
  importsNamespaces: 'members',
  capitalizesTypes: true,
}

export const php = {
  names: ['PHP'],
  family,
  grammars: [{ name: 'php', extensions: ['.php'], searched: ['.php'] }],
  unparsed: ['.inc', '.phtml'],
  comments: classes,
  namesTestsLikeClasses: true,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).calls,
  loadRules: async () => (await import('./rules.ts')).rules,
  loadDialect: async () => (await import('./dialect.ts')).dialect,
} as const satisfies Language
