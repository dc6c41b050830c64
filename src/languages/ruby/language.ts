// Defines what is known about Ruby.
import { hashes } from '../common/comment-style.ts'
import type { Language, LanguageFamily } from '../language.ts'

const family: LanguageFamily = {
  id: 'ruby',
  loadImports: async () => (await import('./imports.ts')).createRubyImports,
  scopes: ['wildcard imports', 'constants'],
  // `require` makes all constants of a file visible.
  importsEverything: true,
  hasImplicitThis: true,
  omitsReceivers: true,
  modulesHaveMethods: true,
  typesHaveParts: true,
  definesMembersOutside: true,
  capitalizesTypes: true,
}

export const ruby: Language = {
  names: ['Ruby'],
  family,
  grammars: [{ name: 'ruby', extensions: ['.rb', '.rake'] }],
  unparsed: ['.gemspec', '.ru'],
  comments: hashes,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).calls,
}
