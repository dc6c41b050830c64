// Rules about untrusted input in HTML (XSS), file paths (path traversal) and deserialization.

import type { InsertedValue } from '../../languages/rules/built-text.ts'
import { deserializationBody } from '../../languages/rules/danger-checks.ts'
import { textOrValue } from '../../languages/rules/injection-hit.ts'
import { isConstant } from '../../languages/rules/literals.ts'
import { valueTextOf } from '../../languages/rules/local-values.ts'
import { unwrap } from '../../languages/rules/operations.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import { loadChecks, traversalChecks } from '../../languages/rules/request-checks.ts'
import { firstLine, quoteCode } from '../../languages/rules/syntax-nodes.ts'
import { sourceOf } from '../../languages/rules/value-sources.ts'
import type { Hit, ParsedFile, Rule } from './rule.ts'

/** Names of functions and variables that suggest clean HTML; `t(` translates. */
const cleanHtml =
  /sanitiz|purify|escape|encode|\bxss\b|trusted|safe|highlight|katex|translate|\bt\(/i

function describeHtml({ get }: Match, file: ParsedFile): Partial<Hit> | undefined {
  const value = unwrap(get('HTML'))
  if (isConstant(value) || cleanHtml.test(value.text.slice(0, 2_000))) return undefined
  const sourceOfValue = (each: InsertedValue) => sourceOf(each, file)
  const { values } = textOrValue(value, file)
  const sent = values.find((each) => sourceOfValue(each) === 'request')
  const shown = sent ?? findUserText(values, file)
  if (!shown || sourceOfValue(shown) === 'harmless') return undefined
  const code = quoteCode(shown.code)
  return {
    at: firstLine(shown.node),
    title: `Cross-site scripting (XSS): ${code} is inserted into the page as HTML`,
    body:
      `When ${code} contains a script, it runs in the browser of every visitor. Set ` +
      '`textContent`, or sanitize the value first.',
    ...(sent && { severity: 'critical', confidence: 0.95 }),
  }
}

/** The first value that is named like text of users, in a file that doesn't produce HTML itself. */
function findUserText(values: readonly InsertedValue[], file: ParsedFile) {
  if (/dompurify|sanitize|codeToHtml|highlight|katex|mermaid/i.test(file.text)) return undefined
  return values.find(isNamedLikeText)
}

/** Whether a value is named like text of users. Other values are mostly HTML of the page itself. */
function isNamedLikeText({ code, node }: InsertedValue): boolean {
  const last = /(\w+)\W*$/.exec(code)?.[1] ?? ''
  if (last === '__html' || /\b(?:inner|outer)HTML\b/.test(valueTextOf(node))) return false
  return /name|title|body|comment|message|content|description|text|bio|query|search|input|value|label|email|url/i.test(
    last,
  )
}

/** Whether `yaml` is PyYAML: ruamel has `yaml = YAML()`, whose `load` only creates plain data. */
function isPyYaml(_: Match, { declarations, text }: ParsedFile): boolean {
  return declarations.variables('yaml').length === 0 && !/\bruamel\b/.test(text)
}

/** Settings of libraries on the JVM with which data names the types of its objects. */
const chosenTypes = [
  '$MAPPER.enableDefaultTyping($$$)',
  '$MAPPER.activateDefaultTyping(LaissezFaireSubTypeValidator.instance, $$$)',
  '$MAPPER.setAutoTypeSupport(true)',
  '$MAPPER.setRegistrationRequired(false)',
]

export const inputRules: readonly Rule[] = [
  {
    id: 'html-injection',
    summary:
      'Cross-site scripting (XSS): a value is inserted into a page as HTML. Critical if it ' +
      'comes from a request.',
    seeAlso: ['CWE-79'],
    severity: 'moderate',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.7,
    patterns: {
      javascript: [
        '$_.innerHTML = $HTML',
        '$_.outerHTML = $HTML',
        '({ «__html: $HTML» })',
        'document.write($HTML, $$$)',
        'document.writeln($HTML, $$$)',
        'insertAdjacentHTML($_, $HTML)',
        '$_.insertAdjacentHTML($_, $HTML)',
      ],
    },
    refine: describeHtml,
  },
  {
    id: 'path-traversal',
    summary:
      'Path traversal: a path from a request is used without checking that it stays in its ' +
      'folder.',
    seeAlso: ['CWE-22'],
    severity: 'critical',
    category: 'security',
    isHarmlessInTests: true,
    confidence: 0.8,
    syntax: traversalChecks,
  },
  {
    id: 'unsafe-deserialization',
    summary:
      'Unsafe deserialization: loading the data can execute code (`yaml.load` without a ' +
      'loader, `pickle` of a request).',
    seeAlso: ['CWE-502', 'Ruff `S301`', 'Ruff `S506`'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    title: 'Unsafe deserialization: $CALLEE can execute code from the data',
    syntax: [
      {
        patterns: { python: ['yaml.load($DATA)'] },
        where: { DATA: (node) => !isConstant(node) },
        refine: isPyYaml,
        title: 'Unsafe deserialization: `yaml.load` can execute code from the data',
        body:
          'When an attacker controls the data, loading it calls functions of their choice. Use ' +
          '`yaml.safe_load`.',
      },
      {
        patterns: {
          python: [
            'yaml.load($DATA, Loader=$LOADER)',
            'yaml.load($DATA, $LOADER)',
            'yaml.$UNSAFE_LOAD($DATA)',
          ],
        },
        where: {
          DATA: (node) => !isConstant(node),
          LOADER: /^(?:yaml\.)?C?(?:Unsafe)?Loader$/,
          UNSAFE_LOAD: /^unsafe_load(?:_all)?$/,
        },
        refine: isPyYaml,
        title: 'Unsafe deserialization: `yaml` can execute code from the data with this loader',
        body:
          'When an attacker controls the data, loading it calls functions of their choice. Use ' +
          '`yaml.safe_load`.',
      },
      {
        patterns: { java: chosenTypes, kotlin: chosenTypes },
        where: { MAPPER: /^(?!SecurityJackson)/ },
        title: '$MATCH lets the data choose which types are created',
        body: deserializationBody,
      },
      ...loadChecks,
    ],
  },
]
