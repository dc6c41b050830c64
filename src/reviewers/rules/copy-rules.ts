// The rule about lines that were copied, and changed in all places but one.
import {
  checkCopy,
  checkMirroredComparisons,
  copiedTypes,
} from '../../languages/rules/copied-code.ts'
import { copiedMessages } from '../../languages/rules/copied-messages.ts'
import { binaryTypes } from '../../languages/rules/operations.ts'
import type { Rule } from './rule.ts'

export const copyRules: readonly Rule[] = [
  {
    id: 'incomplete-copy',
    summary: 'A line repeats the one before it for another value, except in one place.',
    seeAlso: ['SonarSource `S1656`', 'PVS-Studio `V778`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.8,
    isHarmlessInTests: true,
    syntax: [
      copiedMessages,
      { nodes: copiedTypes, check: checkCopy },
      { nodes: binaryTypes, check: checkMirroredComparisons },
    ],
  },
]
