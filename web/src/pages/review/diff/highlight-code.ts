// Syntax highlighting with Shiki. Tokens have CSS classes, so that themes can change their colors.
import type { TokenNode } from 'react-diff-view'
import {
  createCssVariablesTheme,
  createHighlighterCore,
  type HighlighterCore,
  type LanguageInput,
} from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { type DiffChunk, lineNumberOn } from './diff-chunks.ts'

/** Tokens by line number minus one. */
export interface HighlightedLines {
  readonly old: TokenNode[][]
  readonly new: TokenNode[][]
}

/** Longer files are not highlighted, because it would block the browser. */
const maxHighlightedLines = 3000
const maxLineLength = 500
/** The rest of a slower line is not highlighted. The first line also compiles the grammar. */
const lineTimeoutMs = 1000

const grammars: Readonly<Record<string, () => Promise<{ default: LanguageInput }>>> = {
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  shellscript: () => import('shiki/langs/shellscript.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
}

const languageByExtension: Readonly<Record<string, string>> = {
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  dockerfile: 'docker',
  go: 'go',
  htm: 'html',
  html: 'html',
  java: 'java',
  cjs: 'javascript',
  js: 'javascript',
  mjs: 'javascript',
  json: 'json',
  jsx: 'jsx',
  kt: 'kotlin',
  kts: 'kotlin',
  md: 'markdown',
  php: 'php',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  bash: 'shellscript',
  sh: 'shellscript',
  sql: 'sql',
  swift: 'swift',
  toml: 'toml',
  tsx: 'tsx',
  cts: 'typescript',
  mts: 'typescript',
  ts: 'typescript',
  svg: 'xml',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
}

let highlighter: Promise<HighlighterCore> | undefined

/** One shared instance, because it caches the loaded grammars. */
function getHighlighter(): Promise<HighlighterCore> {
  highlighter ??= createHighlighterCore({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    themes: [createCssVariablesTheme({ name: 'names', variablePrefix: '--code-' })],
    langs: [],
  })
  return highlighter
}

/** Highlights a file in steps that keep the page responsive; null if it is not supported. */
export async function highlightCode(
  path: string,
  chunks: readonly DiffChunk[],
  signal: AbortSignal,
): Promise<HighlightedLines | null> {
  const language = languageByExtension[/[^./]*$/.exec(path.toLowerCase())?.[0] ?? '']
  const grammar = grammars[language ?? '']
  const lines = chunks.reduce((sum, { hunk }) => sum + hunk.changes.length, 0)
  if (language === undefined || grammar === undefined || lines > maxHighlightedLines) return null
  const shiki = await getHighlighter()
  await shiki.loadLanguage((await grammar()).default)
  const highlighted: HighlightedLines = { old: [], new: [] }
  for (const chunk of chunks) {
    for (const side of ['old', 'new'] as const) {
      if (signal.aborted) return null
      highlightSide(shiki, language, chunk, side, highlighted[side])
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  return highlighted
}

function highlightSide(
  shiki: HighlighterCore,
  lang: string,
  { hunk }: DiffChunk,
  side: 'old' | 'new',
  highlighted: TokenNode[][],
): void {
  const changes = hunk.changes.filter((change) => lineNumberOn(change, side) !== null)
  const code = changes
    .map(({ content }) => (content.length > maxLineLength ? '' : content))
    .join('\n')
  const lines = shiki.codeToTokensBase(code, {
    lang,
    theme: 'names',
    tokenizeTimeLimit: lineTimeoutMs,
  })
  for (const [index, change] of changes.entries()) {
    if (change.content.length > maxLineLength) continue
    const number = lineNumberOn(change, side) as number
    highlighted[number - 1] = (lines[index] ?? []).map(({ content, color }) => ({
      type: 'color',
      value: content,
      className: /--(code-[\w-]+)/.exec(color ?? '')?.[1],
    }))
  }
}
