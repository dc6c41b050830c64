// Checks the syntax of Java for the rules of the static reviewer.
import type { LanguageRules } from '../rules/language-rules.ts'

export const rules: LanguageRules = {
  checks: {
    'unchecked-optional': [
      {
        patterns: ['$_.$MAKER($$$).get()'],
        where: { MAKER: /^(?:findFirst|findAny|findById|ofNullable)$/ },
        title: '`get` is called on the `Optional` of $MAKER without checking that it has a value',
        body:
          'When it is empty, `get` throws a `NoSuchElementException` that gives neither what was ' +
          'missing nor why. Use `orElseThrow` with a reason, or `orElse`.',
      },
    ],
  },
}
