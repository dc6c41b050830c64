// Defines what is known about Rust.
import { filenameOf, folderOf } from '../../lib/tree-paths.ts'
import { braces } from '../common/comment-style.ts'
import type { Language, LanguageFamily } from '../language.ts'

const family: LanguageFamily = {
  id: 'rust',
  loadImports: async () => (await import('./imports.ts')).createRustImports,
  manifests: {
    filename: /^Cargo\.toml$/,
    async loadReader() {
      const { readRustCrate } = await import('./read-crate.ts')
      return { read: (files) => ({ rustCrates: files.flatMap(readRustCrate) }) }
    },
  },
  scopes: ['wildcard imports'],
  reexportsOften: true,
  childModules: {
    isModule: (path, name) =>
      filenameOf(path) === `${name}.rs` ||
      (filenameOf(path) === 'mod.rs' && filenameOf(folderOf(path)) === name),
    importOf: (_path, name) => ({ from: `self::${name}`, names: [] }),
  },
  typesHaveParts: true,
  definesMembersOutside: true,
  capitalizesTypes: true,
}

export const rust = {
  names: ['Rust'],
  family,
  grammars: [{ name: 'rust', extensions: ['.rs'], searched: ['.rs'] }],
  comments: braces,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).calls,
  loadRules: async () => (await import('./rules.ts')).rules,
  loadDialect: async () => (await import('./dialect.ts')).dialect,
} as const satisfies Language
