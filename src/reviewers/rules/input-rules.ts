// Rules about what others send and where it ends up: in a page, in a path, in a loader.
import type { Node } from 'web-tree-sitter'
import { isConstant } from './literals.ts'
import {
  allRuleLanguages,
  grammarFamilyOf,
  type Hit,
  javascriptFamily,
  type ParsedFile,
  type Rule,
} from './rule.ts'
import {
  argumentsOf,
  calleeOf,
  callTypes,
  field,
  fieldText,
  findNodes,
  firstLine,
  quoteCode,
  unwrap,
} from './syntax-nodes.ts'
import { builtTextOf, isSafeInsertion } from './text-building.ts'
import { isRequestInput } from './value-origins.ts'

const cleanHtml =
  /sanitiz|purify|escape|encode|\bxss\b|trusted|safe|highlight|katex|translate|\bt\(/i

function checkHtml(node: Node, file: ParsedFile): Hit | undefined {
  const value = htmlValueOf(node)
  if (!value || isConstant(value) || cleanHtml.test(value.text.slice(0, 2_000))) return undefined
  const built = builtTextOf(value, file)
  const origin = built ? built.insertions.map((insertion) => insertion.value) : [value]
  const fromRequest = origin.find((candidate) => isRequestInput(candidate, file))
  const named = /dompurify|sanitize|codeToHtml|highlight|katex|mermaid/i.test(file.text)
    ? undefined
    : origin.find((candidate) => looksLikeText(candidate))
  const source = fromRequest ?? named
  if (!source || isSafeInsertion(source, file)) return undefined
  return {
    at: firstLine(source),
    title: `${quoteCode(source.text)} is put into the page as HTML`,
    body: `When ${quoteCode(source.text)} holds a tag with a script, it runs in the page of whoever looks at it. Set \`textContent\`, or sanitise the value first.`,
    severity: fromRequest ? 'critical' : 'moderate',
    confidence: fromRequest ? 0.95 : 0.7,
  }
}

/** What is written as HTML: `x.innerHTML = …`, `__html: …`, `document.write(…)`. */
function htmlValueOf(node: Node): Node | undefined {
  if (node.type === 'pair')
    return fieldText(node, 'key') === '__html' ? unwrapped(node, 'value') : undefined
  if (node.type === 'call_expression') {
    const { receiver, name } = calleeOf(node)
    if (receiver?.text === 'document' && /^writeln?$/.test(name)) return argumentsOf(node)[0]
    return name === 'insertAdjacentHTML' ? argumentsOf(node)[1] : undefined
  }
  const left = field(node, 'left')
  if (
    left?.type !== 'member_expression' ||
    !/^(?:innerHTML|outerHTML)$/.test(fieldText(left, 'property'))
  )
    return undefined
  return unwrapped(node, 'right')
}

function unwrapped(node: Node, name: string): Node | undefined {
  const value = field(node, name)
  return value && unwrap(value)
}

/** Whether a value is named like something people write: without that, `innerHTML` is mostly the page's own markup. */
function looksLikeText(node: Node): boolean {
  const last = /(\w+)\W*$/.exec(node.text.slice(0, 300))?.[1] ?? ''
  if (last === '__html') return false
  return /name|title|body|comment|message|content|description|text|bio|query|search|input|value|html|label|email|url/i.test(
    last,
  )
}

const pathSinks: Readonly<Record<string, RegExp>> = {
  javascript:
    /^(?:path\.)?(?:join|resolve)$|^(?:fs\.|fsp\.|fs\.promises\.|res\.)?(?:readFile|readFileSync|writeFile|writeFileSync|createReadStream|createWriteStream|unlink|unlinkSync|rm|sendFile|download)$/,
  python: /^(?:os\.path\.join|open|send_file|os\.remove|os\.unlink|shutil\.rmtree|FileResponse)$/,
  go: /^(?:filepath\.Join|path\.Join|os\.(?:Open|ReadFile|Remove|Create|WriteFile)|http\.ServeFile)$/,
  java: /^(?:Paths\.get|Path\.of|Files\.\w+)$/,
}

const confined =
  /startsWith\(|\.startswith\(|basename|\brelative\(|secure_filename|safe_join|is_relative_to|HasPrefix|filepath\.Base|commonpath|isLocal|IsLocal|normalize\(\)|root:|\bwhitelist|\ballowed|sanitiz|\btest\(|(?:restrict|valid|check|inside|within|contain)\w*\(/i

function checkPath(call: Node, file: ParsedFile): Hit | undefined {
  const callee =
    fieldText(call, 'function') || `${fieldText(call, 'object')}.${fieldText(call, 'name')}`
  if (!pathSinks[grammarFamilyOf(file.language)]!.test(callee)) return undefined
  const tainted = argumentsOf(call).find((argument) => carriesPath(argument, file))
  if (!tainted || isExistenceCheck(call)) return undefined
  let scope: Node = call
  while (scope.parent?.parent && !/function|method|lambda|func_literal/.test(scope.type))
    scope = scope.parent
  if (confined.test(scope.text.slice(0, 20_000))) return undefined
  const value = quoteCode(tainted.text)
  return {
    at: firstLine(call),
    title: `${value} comes from a request and is used as a path without a check`,
    body: `When ${value} holds \`../\`, the path leaves its folder, and any file that this program can reach is within reach of the client. Resolve the path and check that it is still inside.`,
  }
}

/** `os.Stat(filepath.Join(…))`: whether it exists is all that the client learns. */
function isExistenceCheck(call: Node): boolean {
  for (
    let outer = call.parent;
    outer && /argument|call|invocation/.test(outer.type);
    outer = outer.parent
  ) {
    if (
      /^call|invocation/.test(outer.type) &&
      /^(?:L?[sS]tat|exists|existsSync|access|isfile|isdir)$/.test(calleeOf(outer).name)
    )
      return true
  }
  return false
}

function carriesPath(argument: Node, file: ParsedFile): boolean {
  const inner = unwrap(argument)
  if (
    !/^(?:identifier|member_expression|attribute|subscript|subscript_expression|call|call_expression|method_invocation|selector_expression|index_expression|template_string|binary_expression|string)$/.test(
      inner.type,
    )
  ) {
    return false
  }
  if (isSafeInsertion(inner, file) || isConstant(inner)) return false
  // Not a whole body, a handle on the request, or its fixed parts.
  return (
    isRequestInput(inner, file) &&
    !/\b(?:body|request|req|values|json|headers)\)?$/.test(inner.text) &&
    findNodes(inner, 'arrow_function').length === 0
  )
}

function checkDeserialize(call: Node, file: ParsedFile): Hit | undefined {
  const callee = fieldText(call, 'function')
  const args = argumentsOf(call)
  // `yaml = YAML()` is another library, whose `load` only makes plain data.
  const isModule =
    callee === 'yaml.load' &&
    file.declarations.variables('yaml').length === 0 &&
    !/\bruamel\b/.test(file.text)
  const isYaml = isModule && args.length === 1 && !isConstant(args[0]!)
  const isPickle =
    /^(?:pickle|cPickle|dill|marshal)\.loads$/.test(callee) &&
    args[0] !== undefined &&
    isRequestInput(args[0], file)
  if (!isYaml && !isPickle) return undefined
  return {
    at: firstLine(call),
    title: `${quoteCode(callee)} can run code that the data names`,
    body: `When someone else wrote the data, loading it calls functions of their choice. Use ${isYaml ? '`yaml.safe_load`' : 'a format without code, such as JSON'}.`,
    severity: isPickle ? 'critical' : 'moderate',
  }
}

export const inputRules: readonly Rule[] = [
  {
    id: 'html-injection',
    summary: 'A text is put into a page as HTML. Critical when it comes from a request.',
    severity: 'moderate',
    category: 'security',
    confidence: 0.7,
    syntax: [
      {
        languages: javascriptFamily,
        nodes: ['assignment_expression', 'pair', 'call_expression'],
        check: checkHtml,
      },
    ],
  },
  {
    id: 'path-traversal',
    summary:
      'A value from a request is used as a path without a check that it stays in its folder.',
    severity: 'critical',
    category: 'security',
    confidence: 0.8,
    syntax: [{ languages: allRuleLanguages, nodes: callTypes, check: checkPath }],
  },
  {
    id: 'unsafe-deserialization',
    summary:
      'Python: data is loaded in a way that can run code (`yaml.load` without a loader, `pickle` of a request).',
    severity: 'moderate',
    category: 'security',
    confidence: 0.9,
    syntax: [{ languages: ['python'], nodes: ['call'], check: checkDeserialize }],
  },
]
