// Defines what is known about C and C++.
import { braces } from '../common/comment-style.ts'
import type { Language, LanguageFamily } from '../language.ts'

const family: LanguageFamily = {
  id: 'c',
  loadImports: async () => (await import('./imports.ts')).createCImports,
  scopes: ['includes', 'unique symbols'],
  // `using a::Cart` names no file.
  declaresInIncludes: true,
  hasImplicitThis: true,
  definesMembersOutside: true,
}

export const c = {
  names: ['C'],
  family,
  // C is parsed as C++, because the grammar for C alone gives no better results for reviews.
  grammars: [{ name: 'cpp', extensions: ['.c'], searched: ['.c'] }],
  comments: braces,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).calls,
  loadRules: async () => (await import('./rules.ts')).rules,
  loadDialect: async () => (await import('./dialect.ts')).cDialect,
} as const satisfies Language

export const cPlusPlus = {
  names: ['C++'],
  family,
  grammars: [
    {
      name: 'cpp',
      extensions: ['.cpp', '.cc', '.cxx', '.hpp', '.hh', '.hxx', '.h', '.mm'],
      searched: ['.cpp', '.cc', '.cxx', '.hpp', '.hh', '.hxx', '.h'],
    },
  ],
  headers: ['.h', '.hh', '.hpp', '.hxx', '.inl', '.ipp', '.cuh'],
  unparsed: ['.inl', '.ipp', '.m', '.cu', '.cuh'],
  comments: braces,
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadRules: async () => (await import('./rules.ts')).rules,
  // C's headers have the same extension.
  loadDialect: async (path) => {
    const { cDialect, cPlusPlusDialect } = await import('./dialect.ts')
    return path.endsWith('.h') ? cDialect : cPlusPlusDialect
  },
} as const satisfies Language
