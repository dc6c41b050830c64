// The rules that read the text of lines. They run without parsing, so that nobody loads the others for them.
import { leftoverRules } from './leftover-rules.ts'
import type { Rule } from './rule.ts'
import { secretRules } from './secret-rules.ts'

export const lineRules: readonly Rule[] = [...secretRules, ...leftoverRules]
