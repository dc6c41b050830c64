// Defines what is known about C#.
import { classes } from '../common/comment-style.ts'
import type { Language, LanguageFamily } from '../language.ts'

const family: LanguageFamily = {
  id: 'c-sharp',
  scopes: ['used namespaces', 'unique types'],
  importsNamespaces: 'whole',
  hasImplicitThis: true,
  typesHaveParts: true,
  definesMembersOutside: true,
}

export const cSharp = {
  names: ['C#'],
  family,
  grammars: [{ name: 'c-sharp', extensions: ['.cs'], searched: ['.cs'] }],
  comments: classes,
  namesTestsLikeClasses: true,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).calls,
  loadRules: async () => (await import('./rules.ts')).rules,
  loadDialect: async () => (await import('./dialect.ts')).dialect,
} as const satisfies Language
