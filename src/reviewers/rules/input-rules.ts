// Rules about untrusted input in HTML (XSS), file paths (path traversal) and deserialization.

import type { Node } from 'web-tree-sitter'
import { isDeveloperTool } from '../../languages/rules/developer-tools.ts'
import { isConstant } from '../../languages/rules/literals.ts'
import type { Match } from '../../languages/rules/pattern-check.ts'
import { entryTraversalOf } from '../../languages/rules/request-checks.ts'
import {
  hasNoEntryCheck,
  isEntryName,
  isUploadedName,
  sentParametersOf,
} from '../../languages/rules/sent-values.ts'
import {
  argumentsOf,
  calleeOf,
  callTypes,
  enclosingFunction,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
  unwrap,
} from '../../languages/rules/syntax-nodes.ts'
import { allRuleLanguages, byLanguage, type Hit, type ParsedFile, type Rule } from './rule.ts'
import { builtTextOf, isSafeInsertion } from './text-building.ts'
import { isRequestInput, originOf } from './value-origins.ts'

/** Names of functions and variables that suggest clean HTML; `t(` translates. */
const cleanHtml =
  /sanitiz|purify|escape|encode|\bxss\b|trusted|safe|highlight|katex|translate|\bt\(/i

function describeHtml({ get }: Match, file: ParsedFile): Partial<Hit> | undefined {
  const value = unwrap(get('HTML'))
  if (isConstant(value) || cleanHtml.test(value.text.slice(0, 2_000))) return undefined
  const built = builtTextOf(value, file)
  const candidates = built ? built.insertions.map((insertion) => insertion.value) : [value]
  const fromRequest = candidates.find((candidate) => isRequestInput(candidate, file))
  const source = fromRequest ?? findUserText(candidates, file)
  if (!source || isSafeInsertion(source, file)) return undefined
  const code = quoteCode(source.text)
  return {
    at: firstLine(source),
    title: `Cross-site scripting (XSS): ${code} is inserted into the page as HTML`,
    body:
      `When ${code} contains a script, it runs in the browser of every visitor. Set ` +
      '`textContent`, or sanitize the value first.',
    ...(fromRequest && { severity: 'critical', confidence: 0.95 }),
  }
}

/** The first value that is named like text of users, in a file that doesn't produce HTML itself. */
function findUserText(candidates: readonly Node[], file: ParsedFile): Node | undefined {
  if (/dompurify|sanitize|codeToHtml|highlight|katex|mermaid/i.test(file.text)) return undefined
  return candidates.find((candidate) => isNamedLikeText(candidate))
}

/** Whether a value is named like text of users. Other values are mostly HTML of the page itself. */
function isNamedLikeText(node: Node): boolean {
  const last = /(\w+)\W*$/.exec(node.text.slice(0, 300))?.[1] ?? ''
  if (/^(?:__html|innerHTML|outerHTML)$/.test(last)) return false
  return /name|title|body|comment|message|content|description|text|bio|query|search|input|value|html|label|email|url/i.test(
    last,
  )
}

/** Code that keeps a path inside of a folder, or checks it. */
const pathCheck =
  /startsWith\(|\.startswith\(|basename|\brelative\(|secure_filename|safe_join|is_relative_to|HasPrefix|filepath\.Base|commonpath|isLocal|IsLocal|normalize\(\)|root:|\bwhitelist|\ballowed|sanitiz|\btest\(|(?:restrict|valid|check|inside|within|contain)\w*\(|replace(?:All)?\(\/\[\^|re\.sub\(r?['"]\[\^/i

/** Whether the file is really used, and the code around a call doesn't look at its path. */
function isUnchecked({ node }: Match): boolean {
  return !isExistenceCheck(node) && !pathCheck.test(scopeOf(node).text.slice(0, 20_000))
}

/** The function around a node, or the statement of the module that holds it. */
function scopeOf(node: Node): Node {
  let scope = node
  while (scope.parent?.parent && !/function|method|lambda|func_literal/.test(scope.type))
    scope = scope.parent
  return scope
}

/** Whether only the existence of the file is used: `os.Stat(filepath.Join(…))`. */
function isExistenceCheck(call: Node): boolean {
  let outer = call.parent
  while (outer && /argument|call|invocation/.test(outer.type)) {
    const isCall = /^call|invocation/.test(outer.type)
    if (isCall && existenceChecks.test(calleeOf(outer).name)) return true
    outer = outer.parent
  }
  return false
}

const existenceChecks = /^(?:L?[sS]tat|exists|existsSync|access|isfile|isdir)$/

/** Whether an argument is a value of a request that can hold a path. */
function isRequestPath(argument: Node, file: ParsedFile): boolean {
  const inner = unwrap(argument)
  if (!pathExpressions.has(inner.type)) return false
  if (isSafeInsertion(inner, file) || isConstant(inner)) return false
  // The request itself, its whole body and its fixed parts aren't paths.
  return (
    isSentTo(inner, file) &&
    !/\b(?:body|request|req|values|json|headers)\)?$/.test(inner.text) &&
    findNodes(inner, 'arrow_function').length === 0
  )
}

/** Whether a value is input of a request, also as a parameter that the framework fills. */
function isSentTo(node: Node, file: ParsedFile): boolean {
  const value = node.type === 'identifier' ? originOf(node.text, node, file)?.value : undefined
  if (isUploadedName(node.text) || (value && isUploadedName(value.text))) return true
  const fn = enclosingFunction(node)
  const isParameter = fn !== undefined && sentParametersOf(fn).includes(node.text)
  return isParameter || isRequestInput(node, file)
}

/** Reports the name of an entry of an archive that decides where a file is written. */
function checkEntry(node: Node, file: ParsedFile): Hit | undefined {
  const isJoin = joins.test(calleeOf(node).name)
  const isDivision = node.type === 'binary_operator' && field(node, 'operator')?.type === '/'
  const isFile = node.type === 'object_creation_expression' && fieldText(node, 'type') === 'File'
  if ((!isJoin && !isDivision && !isFile) || isDeveloperTool(file.path)) return undefined
  const right = field(node, 'right')
  const values = isDivision && right ? [right] : argumentsOf(node).slice(0, 4)
  const scope = scopeOf(node).text.slice(0, 20_000)
  const entry = values.find((value) => isEntryName(value, scope))
  if (!entry || !hasNoEntryCheck(scope)) return undefined
  return { at: firstLine(node), ...entryTraversalOf(entry.text) }
}

const joins = /^(?:join|Join|resolve|joinpath)$/

const pathExpressions: ReadonlySet<string> = new Set([
  'identifier',
  'member_expression',
  'attribute',
  'subscript',
  'subscript_expression',
  'call',
  'call_expression',
  'method_invocation',
  'selector_expression',
  'index_expression',
  'template_string',
  'binary_expression',
  'string',
])

/** Whether `yaml` is PyYAML: ruamel has `yaml = YAML()`, whose `load` only creates plain data. */
function isPyYaml(_: Match, { declarations, text }: ParsedFile): boolean {
  return declarations.variables('yaml').length === 0 && !/\bruamel\b/.test(text)
}

export const inputRules: readonly Rule[] = [
  {
    id: 'html-injection',
    summary:
      'Cross-site scripting (XSS): a value is inserted into a page as HTML. Critical if it ' +
      'comes from a request.',
    seeAlso: ['CWE-79'],
    severity: 'moderate',
    category: 'security',
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
    confidence: 0.8,
    title: 'Path traversal: $PATH comes from a request and is used as a path without a check',
    body:
      'When $PATH contains `../`, the path leaves its folder, and the client can reach any file ' +
      'that this program can. Resolve the path and check that it is still inside.',
    patterns: {
      javascript: ['$CALLEE($$$, $PATH, $$$)'],
      python: ['$CALLEE($$$, $PATH, $$$)'],
      go: ['$CALLEE($$$, $PATH, $$$)'],
      java: [
        'Paths.get($$$, $PATH, $$$)',
        'Path.of($$$, $PATH, $$$)',
        'Files.$_($$$, $PATH, $$$)',
        'new File($$$, $PATH)',
        '$_.resolve($PATH)',
      ],
    },
    where: {
      CALLEE: byLanguage({
        javascript:
          /^(?:path\.)?(?:join|resolve)$|^(?:fs\.|fsp\.|fs\.promises\.|res\.)?(?:readFile|readFileSync|writeFile|writeFileSync|createReadStream|createWriteStream|unlink|unlinkSync|rm|sendFile|download)$/,
        python:
          /^(?:os\.path\.join|open|send_file|os\.remove|os\.unlink|shutil\.rmtree|FileResponse)$/,
        go: /^(?:filepath\.Join|path\.Join|os\.(?:Open|ReadFile|Remove|Create|WriteFile)|http\.ServeFile)$/,
      }),
      PATH: isRequestPath,
    },
    refine: isUnchecked,
    syntax: [
      {
        languages: allRuleLanguages,
        nodes: [...callTypes, 'binary_operator', 'object_creation_expression'],
        check: checkEntry,
      },
    ],
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
        patterns: { java: ['new ObjectInputStream($DATA)'] },
        where: { DATA: /socket|request|http|body|payload|message|cookie|upload|decode/i },
        refine: ({ node }) => !/ObjectInputFilter|SerialFilter/.test(scopeOf(node).text),
        title: 'Unsafe deserialization: $MATCH creates objects of any type from its input',
        body:
          'When an attacker can change the data, creating the objects in it runs their code. Use ' +
          'a format that holds values only, such as JSON.',
      },
      {
        patterns: { python: ['$CALLEE($DATA, $$$)'] },
        where: { CALLEE: /^(?:pickle|cPickle|dill|marshal)\.loads$/, DATA: isRequestInput },
        body:
          'When an attacker controls the data, loading it calls functions of their choice. Use ' +
          'a format without code, such as JSON.',
        severity: 'critical',
      },
    ],
  },
]
