// Lists the definitions of a source file from its syntax tree, in worker threads.
import type { Node } from 'web-tree-sitter'
import type { DefinitionKind } from '../languages/code-index.ts'

/** A definition in a file. Lines are 1-based, both ends included. */
export interface Definition {
  readonly name: string
  readonly kind: DefinitionKind
  readonly startLine: number
  readonly endLine: number
  /** The text before the body, joined into one line and cut to 300 characters. */
  readonly signature: string
  /** The enclosing definitions, outermost first, joined by dots; empty at the top level. */
  readonly container: string
}

/** No handwritten file has more definitions. */
const maxDefinitions = 5_000
const maxSignatureLength = 300

/** Kinds of nodes that define something. */
type NodeKinds = Readonly<Record<string, DefinitionKind>>

const scriptKinds: NodeKinds = {
  function_declaration: 'function',
  generator_function_declaration: 'function',
  class_declaration: 'class',
  method_definition: 'method',
  variable_declarator: 'value',
  field_definition: 'value',
}

const typedScriptKinds: NodeKinds = {
  ...scriptKinds,
  abstract_class_declaration: 'class',
  interface_declaration: 'interface',
  type_alias_declaration: 'type',
  enum_declaration: 'enum',
  internal_module: 'module',
  public_field_definition: 'value',
  function_signature: 'function',
  abstract_method_signature: 'method',
}

const kindsOf: Readonly<Record<string, NodeKinds>> = {
  javascript: scriptKinds,
  typescript: typedScriptKinds,
  tsx: typedScriptKinds,
  python: { function_definition: 'function', class_definition: 'class' },
  go: {
    function_declaration: 'function',
    method_declaration: 'method',
    type_spec: 'type',
    type_alias: 'type',
    const_spec: 'value',
  },
  java: {
    class_declaration: 'class',
    interface_declaration: 'interface',
    enum_declaration: 'enum',
    record_declaration: 'class',
    method_declaration: 'method',
    constructor_declaration: 'method',
  },
  'c-sharp': {
    namespace_declaration: 'module',
    class_declaration: 'class',
    struct_declaration: 'class',
    record_declaration: 'class',
    interface_declaration: 'interface',
    enum_declaration: 'enum',
    method_declaration: 'method',
    constructor_declaration: 'method',
    property_declaration: 'value',
  },
  ruby: { module: 'module', class: 'class', method: 'method', singleton_method: 'method' },
  rust: {
    mod_item: 'module',
    struct_item: 'class',
    enum_item: 'enum',
    trait_item: 'interface',
    impl_item: 'class',
    type_item: 'type',
    function_item: 'function',
    function_signature_item: 'function',
    const_item: 'value',
    static_item: 'value',
    macro_definition: 'function',
  },
  php: {
    namespace_definition: 'module',
    class_declaration: 'class',
    interface_declaration: 'interface',
    trait_declaration: 'class',
    enum_declaration: 'enum',
    function_definition: 'function',
    method_declaration: 'method',
  },
  cpp: {
    namespace_definition: 'module',
    class_specifier: 'class',
    struct_specifier: 'class',
    union_specifier: 'class',
    enum_specifier: 'enum',
    function_definition: 'function',
    type_definition: 'type',
    preproc_function_def: 'function',
  },
}

const functionValues = new Set([
  'arrow_function',
  'function_expression',
  'generator_function',
  'function',
])

/** The definitions of a parsed file, in the order of their beginnings. */
export function outlineTree(root: Node, grammar: string, text: string): Definition[] {
  const kinds = kindsOf[grammar] ?? {}
  const open: { name: string; end: number }[] = []
  const found: Definition[] = []
  for (const node of root.descendantsOfType(Object.keys(kinds))) {
    const definition = node && readDefinition(node, kinds[node.type]!, text)
    if (!definition) continue
    while (open.length > 0 && open.at(-1)!.end <= node.startIndex) open.pop()
    found.push({ ...definition, container: open.map(({ name }) => name).join('.') })
    if (found.length === maxDefinitions) break
    if (node.endIndex > node.startIndex) open.push({ name: definition.name, end: node.endIndex })
  }
  return found
}

function readDefinition(
  node: Node,
  kind: DefinitionKind,
  text: string,
): Omit<Definition, 'container'> | undefined {
  const value = node.childForFieldName('value')
  const isFunction = value !== null && functionValues.has(value.type)
  const body = isFunction ? value.childForFieldName('body') : node.childForFieldName('body')
  // Values inside of functions are local, so only functions among them are definitions.
  if (node.type === 'variable_declarator' && !isFunction && !isTopLevel(node)) return undefined
  if (node.type.endsWith('_specifier') && body === null) return undefined
  const name = nameOf(node)
  if (name === undefined) return undefined
  return {
    name,
    kind: isFunction ? 'function' : kind,
    startLine: node.startPosition.row + 1,
    endLine: node.endPosition.row + 1,
    signature: shorten(text.slice(node.startIndex, body?.startIndex ?? node.endIndex)),
  }
}

function isTopLevel(node: Node): boolean {
  const place = node.parent?.parent
  return place?.type === 'program' || place?.type === 'export_statement'
}

function nameOf(node: Node): string | undefined {
  let named =
    node.childForFieldName('name') ??
    node.childForFieldName('property') ??
    node.childForFieldName('type')
  // In C a name lies inside of what says how it is used: `*name(int)`, `Class::name`.
  let declarator = node.childForFieldName('declarator')
  while (declarator !== null) {
    named = declarator
    declarator = declarator.childForFieldName('declarator') ?? declarator.childForFieldName('name')
  }
  const name = named?.text.slice(0, 200)
  return name === undefined || name === '' || name.includes('\n') ? undefined : name
}

function shorten(text: string): string {
  return text
    .slice(0, 4 * maxSignatureLength)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxSignatureLength)
}
