// The rule about arguments that are passed in each other's places.
import { swappedArguments } from '../../languages/rules/argument-order.ts'
import type { Rule } from './rule.ts'

export const argumentRules: readonly Rule[] = [
  {
    id: 'swapped-arguments',
    summary: 'Two arguments are passed in the order opposite to the parameters of their names.',
    seeAlso: ['CWE-683', 'SonarSource `S2234`', 'Error Prone `ArgumentSelectionDefectChecker`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [swappedArguments],
  },
]
