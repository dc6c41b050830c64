// Defines what is known about JavaScript and TypeScript.
import { braces } from '../common/comment-style.ts'
import type { Language, LanguageFamily } from '../language.ts'

const family: LanguageFamily = {
  id: 'script',
  loadImports: async () => (await import('./imports.ts')).createScriptImports,
  manifests: {
    filename: /^(package\.json|pnpm-workspace\.yaml|lerna\.json|[tj]sconfig[\w.-]*\.json)$/,
    loadReader: async () => (await import('./read-manifests.ts')).scriptManifests,
  },
  scopes: [],
  hasExports: true,
  reexportsOften: true,
  isLibraryImport: (from) => /^(node:|[a-z][\w-]*$)/.test(from),
  capitalizesTypes: true,
}

const javascriptExtensions = ['.js', '.jsx', '.mjs', '.cjs']
const typescriptExtensions = ['.ts', '.mts', '.cts']

export const javascript = {
  names: ['JavaScript'],
  family,
  grammars: [
    {
      name: 'javascript',
      extensions: javascriptExtensions,
      // Jest evaluates its snapshots.
      checked: [...javascriptExtensions, '.snap'],
    },
  ],
  comments: braces,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).javascriptCalls,
  loadDialect: async () => (await import('./dialect.ts')).javascriptDialect,
} as const satisfies Language

export const typescript = {
  names: ['TypeScript', 'TSX'],
  family,
  grammars: [
    { name: 'typescript', extensions: typescriptExtensions, checked: typescriptExtensions },
    { name: 'tsx', extensions: ['.tsx'], checked: ['.tsx'] },
  ],
  pages: ['.vue', '.svelte', '.astro'],
  comments: braces,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).typescriptCalls,
  loadDialect: async () => (await import('./dialect.ts')).typescriptDialect,
} as const satisfies Language
