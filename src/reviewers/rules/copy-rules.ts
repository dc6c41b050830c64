// The rule about lines that were copied, and changed in all places but one.
import { incompleteCopy, mirroredComparisons } from '../../languages/rules/copied-code.ts'
import { allRuleLanguages, type Rule } from './rule.ts'

export const copyRules: readonly Rule[] = [
  {
    id: 'incomplete-copy',
    summary: 'A line repeats the one before it for another value, except in one place.',
    seeAlso: ['SonarSource `S1656`', 'PVS-Studio `V778`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.8,
    syntax: [
      {
        languages: allRuleLanguages,
        ...incompleteCopy([
          'if_statement',
          'expression_statement',
          'lexical_declaration',
          'local_variable_declaration',
          'short_var_declaration',
          'assignment_statement',
          'return_statement',
          'pair',
          'keyword_argument',
          'keyed_element',
        ]),
      },
      { languages: allRuleLanguages, ...mirroredComparisons(['binary_expression']) },
    ],
  },
]
