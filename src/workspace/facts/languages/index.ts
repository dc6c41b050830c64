// The specs of all languages whose facts can be read.
import type { GrammarName } from '../../grammars.ts'
import type { LanguageSpec } from '../language-spec.ts'
import { script } from './script.ts'

const nothing: LanguageSpec = { branches: '', functions: '', blocks: '', types: '', visits: {} }

export const languageSpecs: Readonly<Record<GrammarName, LanguageSpec>> = {
  javascript: script,
  typescript: script,
  tsx: script,
  python: nothing,
  go: nothing,
  java: nothing,
  'c-sharp': nothing,
  ruby: nothing,
  rust: nothing,
  php: nothing,
  cpp: nothing,
}
