// Rules about tests of hosts and addresses that other hosts pass as well.
import { hostPatternChecks, looseHostChecks } from '../../languages/rules/host-checks.ts'
import type { Rule } from './rule.ts'

export const hostPatternRules: readonly Rule[] = [
  {
    id: 'unescaped-dot',
    summary:
      'A regular expression for a host has an unescaped dot or no end, so it accepts other hosts.',
    seeAlso: ['CWE-20', 'CWE-625'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.85,
    syntax: hostPatternChecks,
  },
  {
    id: 'loose-host-check',
    summary: 'A test of the end, the start or a part of a host also accepts other hosts.',
    seeAlso: ['CWE-20', 'CWE-346'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.8,
    syntax: looseHostChecks,
  },
]
