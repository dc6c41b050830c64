// The specs of all languages that can be indexed.
import type { GrammarName } from '../../grammars.ts'
import type { LanguageSpec } from '../language-spec.ts'
import { c } from './c.ts'
import { cSharp } from './c-sharp.ts'
import { go } from './go.ts'
import { java } from './java.ts'
import { script } from './javascript.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import { rust } from './rust.ts'

export const languageSpecs: Readonly<Record<GrammarName, LanguageSpec>> = {
  javascript: script,
  typescript: script,
  tsx: script,
  python,
  go,
  java,
  'c-sharp': cSharp,
  ruby,
  rust,
  php,
  cpp: c,
}
