// Defines what is known about Ruby.
import { hashes } from '../common/comment-style.ts'
import type { Language, LanguageFamily } from '../language.ts'

const family: LanguageFamily = {
  id: 'ruby',
  loadImports: async () => (await import('./imports.ts')).createRubyImports,
  scopes: ['wildcard imports', 'constants'],
  // `require` makes all constants of a file visible.
  importsEverything: true,
  fileOfConstant: (name) => `${toSnakeCase(name)}.rb`,
  hasImplicitThis: true,
  omitsReceivers: true,
  modulesHaveMethods: true,
  typesHaveParts: true,
  definesMembersOutside: true,
  capitalizesTypes: true,
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])|([A-Z]+)([A-Z][a-z])/g, '$1$3_$2$4').toLowerCase()
}

export const ruby = {
  names: ['Ruby'],
  family,
  grammars: [{ name: 'ruby', extensions: ['.rb', '.rake'], searched: ['.rb', '.rake'] }],
  unparsed: ['.gemspec', '.ru'],
  comments: hashes,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).calls,
  loadRules: async () => (await import('./rules.ts')).rules,
  loadDialect: async () => (await import('./dialect.ts')).dialect,
} as const satisfies Language
