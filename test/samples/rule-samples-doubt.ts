// Samples where a rule must know more than the shape of a line before it speaks, and the plainest form of others.
import type { RuleSamples } from './rule-samples-script.ts'

export const doubtSamples: readonly RuleSamples[] = [
  {
    rule: 'constant-condition',
    file: 'src/age.ts',
    fires: ['if (age !== -1 || age !== -2) stop() ◀', 'if (-1 !== age || 1 !== age) stop() ◀'],
    silent: [
      'if (MIN_AGE !== -1 || MAX_AGE !== -1) check()',
      'if (-1 !== MIN_AGE || -1 !== MAX_AGE) check()',
      'if (MIN_AGE !== -OFFSET || MAX_AGE !== -OFFSET) check()',
      'if (A !== 2 * SIZE || B !== 2 * SIZE) check()',
      'if (from !== -1 || to !== -1) check()',
      'if (x === 0 && x === -0) check()',
    ],
  },
  {
    rule: 'constant-condition',
    file: 'app/age.py',
    fires: ['if age != -1 or age != -2: ◀\n    stop()'],
    silent: ['if MIN_AGE != -1 or MAX_AGE != -1:\n    check()', 'if x == 1 and x == 1.0:\n    check()'],
  },
  {
    rule: 'constant-condition',
    file: 'src/age.go',
    fires: ['package age\n\nvar x = age != -1 || age != -2 ◀'],
    silent: [
      'package age\n\nvar x = MIN_AGE != -1 || MAX_AGE != -1',
      "package age\n\nvar x = LOW != 'a' || HIGH != 'a'",
      'package age\n\nvar x = MinAge != -1 || MaxAge != -1',
    ],
  },
  {
    rule: 'constant-condition',
    file: 'src/Age.java',
    fires: ['class A { boolean f(int age) {\n  return age != -1 || age != -2; ◀\n} }'],
    silent: [
      'class A { boolean f() {\n  return MIN_AGE != -1 || MAX_AGE != -1;\n} }',
      'class A { boolean f() {\n  return MIN_AGE != 0xFF || MAX_AGE != 0xFF;\n} }',
      'class A { boolean f(long age) {\n  return age != -1L || age != -1;\n} }',
    ],
  },
]
