// Indexes what a file declares by name, when a rule first needs it.
import type { Node } from 'web-tree-sitter'

export interface DeclarationIndex {
  /** Lists declarations of and assignments to a variable, in order. */
  variables(name: string): readonly Node[]
  /** Functions declared with the name, methods included. */
  functions(name: string): readonly Node[]
  /** Methods of classes and objects declared with the name, but for Python's. */
  methods(name: string): readonly Node[]
  classes(name: string): readonly Node[]
  /** Lists assignments to a field of the own object, such as `this.name` or `self.name`. */
  fields(name: string): readonly Node[]
  /** Properties of types and classes, and parameters, declared with the name. */
  properties(name: string): readonly Node[]
}

const variableTypes = ['variable_declarator', 'short_var_declaration', 'assignment', 'var_spec']

const functionTypes = [
  ...['function_declaration', 'function_definition', 'function_item'],
  ...['local_function_statement', 'method', 'singleton_method'],
]

const methodTypes = ['method_definition', 'method_declaration']

const classTypes = [
  ...['class_definition', 'class_declaration', 'class', 'record_declaration'],
  ...['struct_declaration'],
]

const propertyTypes = ['property_signature', 'public_field_definition', 'required_parameter']

const nameTypes = ['identifier', 'shorthand_property_identifier_pattern']

/** Returns an index that is valid until the tree is deleted. */
export function createDeclarationIndex(root: Node): DeclarationIndex {
  return {
    variables: createLookup(root, variableTypes, variableNames),
    functions: createLookup(root, functionTypes, ownName),
    methods: createLookup(root, methodTypes, ownName),
    classes: createLookup(root, classTypes, ownName),
    fields: createLookup(root, ['assignment', 'assignment_expression'], fieldNames),
    properties: createLookup(root, propertyTypes, (node) => [
      (node.childForFieldName('name') ?? node.childForFieldName('pattern'))?.text ?? '',
    ]),
  }
}

function ownName(node: Node): string[] {
  return [node.childForFieldName('name')?.text ?? '']
}

function createLookup(
  root: Node,
  types: string[],
  namesOf: (node: Node) => string[],
): (name: string) => readonly Node[] {
  let byName: Map<string, Node[]> | undefined
  return (name) => {
    byName ??= indexByName(root.descendantsOfType(types), namesOf)
    return byName.get(name) ?? []
  }
}

function indexByName(
  nodes: readonly Node[],
  namesOf: (node: Node) => string[],
): Map<string, Node[]> {
  const byName = new Map<string, Node[]>()
  for (const node of nodes) {
    for (const name of new Set(namesOf(node))) {
      const known = byName.get(name)
      if (known) known.push(node)
      else byName.set(name, [node])
    }
  }
  return byName
}

function fieldNames(assignment: Node): string[] {
  const target = assignment.childForFieldName('left')?.text.slice(0, 200) ?? ''
  const name = /^(?:this|self)\.(\w+)$/.exec(target)?.[1]
  return name === undefined ? [] : [name]
}

/** Lists the names that a declaration or assignment binds, also through a pattern. */
function variableNames(declaration: Node): string[] {
  const target = declaration.childForFieldName('name') ?? declaration.childForFieldName('left')
  if (!target || target.type === 'member_expression' || target.type === 'attribute') return []
  if (target.type === 'identifier') return [target.text]
  return target.descendantsOfType(nameTypes).map((node) => node.text)
}
