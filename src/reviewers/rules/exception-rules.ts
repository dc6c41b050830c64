// Rules about exceptions whose checks are in the folders of languages.
import type { Rule } from './rule.ts'

export const exceptionRules: readonly Rule[] = [
  {
    id: 'async-void',
    summary: 'An async method returns `void`, so nobody can wait for it or handle its errors.',
    seeAlso: ['VSTHRD100'],
    severity: 'moderate',
    category: 'concurrency',
    confidence: 0.85,
  },
  {
    id: 'rethrown-copy',
    summary:
      'A caught exception is thrown by its name, which loses its stack trace (C#) or its type ' +
      '(C++).',
    seeAlso: ['CA2200', 'cert `err09-cpp`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
  },
]
