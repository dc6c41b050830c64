// Defines what is known about Python.
import { filenameOf, folderOf } from '../../lib/tree-paths.ts'
import type { Language, LanguageFamily } from '../language.ts'

const family: LanguageFamily = {
  id: 'python',
  loadImports: async () => (await import('./imports.ts')).createPythonImports,
  manifests: {
    filename: /^(pyproject\.toml|setup\.(cfg|py)|pytest\.ini)$/,
    async loadReader() {
      const { readPythonRoots } = await import('./read-roots.ts')
      return { read: (files) => ({ pythonRoots: [...new Set(files.flatMap(readPythonRoots))] }) }
    },
  },
  scopes: ['wildcard imports'],
  exportsAll: true,
  reexportsOften: true,
  importsModules: true,
  submodules: {
    isModule(path, name) {
      if (!/\.pyi?$/.test(path)) return false
      return isPackage(path)
        ? filenameOf(folderOf(path)) === name
        : filenameOf(path).split('.', 1)[0] === name
    },
    importOf: (path, name) =>
      isPackage(path) ? { from: '.', names: [{ name, local: name }] } : undefined,
  },
}

/** Whether a file is a package, whose modules are the other files of its folder. */
function isPackage(path: string): boolean {
  return filenameOf(path).startsWith('__init__.')
}

export const python = {
  names: ['Python'],
  family,
  grammars: [{ name: 'python', extensions: ['.py', '.pyi'], checked: ['.py'] }],
  unparsed: ['.pyx'],
  comments: {
    line: ['#'],
    blocks: [
      ['"""', '"""'],
      ["'''", "'''"],
      ['r"""', '"""'],
    ],
    afterImports: false,
  },
  loadIndexSpec: async () => (await import('./index-spec.ts')).indexSpec,
  loadCalls: async () => (await import('./calls.ts')).calls,
  loadDialect: async () => (await import('./dialect.ts')).dialect,
} as const satisfies Language
