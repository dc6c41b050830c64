// The specs of all languages that can be indexed.
import type { GrammarName } from '../code/grammars.ts'
import { c } from './c/index-spec.ts'
import { cSharp } from './c-sharp/index-spec.ts'
import type { LanguageSpec } from './common/index-spec.ts'
import { go } from './go/index-spec.ts'
import { java } from './java/index-spec.ts'
import { script } from './javascript/index-spec.ts'
import { php } from './php/index-spec.ts'
import { python } from './python/index-spec.ts'
import { ruby } from './ruby/index-spec.ts'
import { rust } from './rust/index-spec.ts'

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
