// Groups languages that share definitions into families, which are recognized by file extensions.

export type LanguageFamily =
  | 'script'
  | 'python'
  | 'go'
  | 'jvm'
  | 'c-sharp'
  | 'php'
  | 'ruby'
  | 'rust'
  | 'c'

const extensions: Readonly<Record<LanguageFamily, string>> = {
  script: '.js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .astro',
  python: '.py .pyi .pyx',
  go: '.go',
  jvm: '.java .kt .kts .scala .groovy',
  'c-sharp': '.cs',
  php: '.php .inc .phtml',
  ruby: '.rb .rake .gemspec .ru',
  rust: '.rs',
  c: '.c .h .cc .cpp .cxx .hh .hpp .hxx .inl .ipp .m .mm .cu .cuh',
}

const familyOfExtension = new Map(
  Object.entries(extensions).flatMap(([family, list]) =>
    list.split(' ').map((extension) => [extension, family as LanguageFamily] as const),
  ),
)

/** Returns undefined for files whose names can't be resolved. */
export function familyOfPath(path: string): LanguageFamily | undefined {
  const dot = path.lastIndexOf('.')
  return dot === -1 ? undefined : familyOfExtension.get(path.slice(dot).toLowerCase())
}
