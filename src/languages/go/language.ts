// Defines what is known about Go.
import { braces } from '../common/comment-style.ts'
import type { Language, LanguageFamily } from '../language.ts'

const family: LanguageFamily = {
  id: 'go',
  loadImports: async () => (await import('./imports.ts')).createGoImports,
  manifests: {
    filename: /^go\.mod$/,
    async loadReader() {
      const { readGoModule } = await import('./read-module.ts')
      return { read: (files) => ({ goModules: files.flatMap(readGoModule) }) }
    },
  },
  scopes: ['package', 'wildcard imports'],
  // The path of another module begins with a host.
  isLibraryImport: (from) => !from.split('/', 1)[0]!.includes('.'),
  importsModules: true,
  folderPackages: { testEnding: '_test.go' },
  definesMembersOutside: true,
}

export const go = {
  names: ['Go'],
  family,
  grammars: [
    {
      name: 'go',
      extensions: ['.go'],
      checked: ['.go'],
      statementFrame: ['func _() {\n', '\n}'],
    },
  ],
  comments: braces,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).calls,
  loadDialect: async () => (await import('./dialect.ts')).dialect,
} as const satisfies Language
