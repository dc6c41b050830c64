// Rules about SQL, shell commands and code that are built from variables.

import type { Node } from 'web-tree-sitter'
import { builtTextOf } from '../../languages/rules/built-text.ts'
import { readCall } from '../../languages/rules/calls.ts'
import { codeInjectionBody } from '../../languages/rules/danger-checks.ts'
import { functionAround } from '../../languages/rules/functions.ts'
import { severityOf } from '../../languages/rules/injection-hit.ts'
import { isConstant } from '../../languages/rules/literals.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import { codeChecks } from '../../languages/rules/request-checks.ts'
import { isSent } from '../../languages/rules/sent-values.ts'
import { shellChecks } from '../../languages/rules/shell-checks.ts'
import { sqlChecks } from '../../languages/rules/sql-checks.ts'
import { quoteCode } from '../../languages/rules/syntax-nodes.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'
import { parameterOf } from './value-origins.ts'

/** Describes code that isn't fixed; undefined for code that is. */
function describeEval({ node, get }: Match, file: ParsedFile): Partial<Hit> | undefined {
  const code = get('CODE')
  if (isConstant(code) || builtTextOf(code, file)?.values.length === 0) return undefined
  const isFromRequest = isSent(code, file)
  if (!isFromRequest && file.language === 'python' && isIntendedExec(node, code)) return undefined
  const { why, severity, confidence } = severityOf(isFromRequest)
  const body =
    `When an attacker controls ${quoteCode(code.text)}, they can run any code with the rights of ` +
    `this program. ${why} Parse the data, or choose from a fixed set of functions.`
  return isFromRequest ? { body, severity, confidence } : { body }
}

/** Whether Python code is meant to be run: it has its own namespace, or was compiled before. */
function isIntendedExec(call: Node, argument: Node): boolean {
  const { name, args } = readCall(call)
  // What is computed from data needs no statements, and a namespace doesn't contain it.
  const isData = name === 'eval' && parameterOf(functionAround(call) ?? call, argument.text)
  return !isData && (args.length > 1 || /^compile\(/.test(argument.text))
}

export const injectionRules: readonly Rule[] = [
  {
    id: 'sql-injection',
    summary:
      'SQL injection: a variable is concatenated into an SQL statement. Critical if it comes ' +
      'from a request.',
    seeAlso: ['CWE-89', 'Ruff `S608`'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.8,
    syntax: sqlChecks,
  },
  {
    id: 'command-injection',
    summary:
      'Command injection: a variable is concatenated into a shell command. Critical if it ' +
      'comes from a request.',
    seeAlso: ['CWE-78', 'Ruff `S602`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.8,
    syntax: shellChecks,
  },
  {
    id: 'code-injection',
    summary:
      'Code injection: a value is executed as code, as with `eval`. Critical if it comes from ' +
      'a request.',
    seeAlso: ['CWE-95', 'ESLint `no-eval`', 'Ruff `S307`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.7,
    title: 'Code injection: $CODE is executed as code',
    body: codeInjectionBody,
    patterns: {
      javascript: [
        'eval($CODE, $$$)',
        'window.eval($CODE, $$$)',
        'globalThis.eval($CODE, $$$)',
        'new Function($$$, $CODE)',
      ],
      python: ['eval($CODE, $$$)', 'exec($CODE, $$$)'],
    },
    refine: describeEval,
    syntax: codeChecks,
  },
]
