// Collects the symbols, imports and references of JavaScript, TypeScript and TSX for the code
// index.

import { none } from '../common/flat-tree.ts'
import type { IndexSpec, Visit } from '../common/index-spec.ts'
import { consumeField, declareField, referAs } from '../common/visits.ts'
import { visitAssignment } from './assignments.ts'
import { defineNamed, defineValue, visitNamespace, visitVariable } from './definitions.ts'
import {
  visitField,
  visitMethod,
  visitPair,
  visitParameter,
  visitParameters,
  visitPropertySignature,
} from './members.ts'
import { visitExport, visitImport, visitImportAlias } from './modules.ts'
import { declarePattern, visitReturn } from './parts.ts'
import {
  visitCall,
  visitDecorator,
  visitElement,
  visitMember,
  visitNestedType,
  visitNew,
} from './references.ts'

/** The own name of a function or class expression is local to it. */
const declareOwnName: Visit = declareField('name')

/** `for (const name of …)`; without `const` the loop assigns to an existing variable. */
const declareLoopVariable: Visit = (builder, node, tree) => {
  if (tree.field(node, 'kind') !== none) declarePattern(builder, tree.field(node, 'left'))
}

export const indexSpec: IndexSpec = {
  branches: `
    if_statement for_statement for_in_statement while_statement do_statement switch_case
    catch_clause ternary_expression && || ??
  `,
  functions: `
    function_declaration generator_function_declaration function_expression
    generator_function arrow_function method_definition function_signature method_signature
    abstract_method_signature function_type construct_signature call_signature
    constructor_type index_signature class_static_block
  `,
  blocks: `
    statement_block for_statement for_in_statement catch_clause switch_body
    mapped_type_clause conditional_type
  `,
  types: `
    class_declaration abstract_class_declaration class interface_declaration
    type_alias_declaration
  `,
  builtins: `
    Array ArrayBuffer BigInt Boolean Date Error Function Infinity Intl JSON Map Math NaN
    Number Object Omit Partial Pick Promise Proxy Readonly ReadonlyMap ReadonlySet Record
    Reflect RegExp Required Set String Symbol TypeError RangeError Uint8Array WeakMap
    WeakSet clearInterval clearTimeout console decodeURIComponent encodeURIComponent isNaN
    parseFloat parseInt queueMicrotask require setImmediate setInterval setTimeout
    structuredClone undefined
  `,
  visits: {
    import_statement: visitImport,
    import_alias: visitImportAlias,
    export_statement: visitExport,
    function_declaration: defineNamed('function'),
    generator_function_declaration: defineNamed('function'),
    function_signature: defineNamed('function'),
    function_expression: defineValue('function'),
    generator_function: defineValue('function'),
    arrow_function: defineValue('function'),
    class_declaration: defineNamed('class'),
    abstract_class_declaration: defineNamed('class'),
    class: defineValue('class'),
    interface_declaration: defineNamed('interface'),
    type_alias_declaration: defineNamed('type'),
    enum_declaration: defineNamed('enum'),
    internal_module: visitNamespace,
    module: visitNamespace,
    method_definition: visitMethod,
    method_signature: visitMethod,
    abstract_method_signature: visitMethod,
    field_definition: visitField,
    public_field_definition: visitField,
    property_signature: visitPropertySignature,
    variable_declarator: visitVariable,
    pair: visitPair,
    required_parameter: visitParameter,
    optional_parameter: visitParameter,
    formal_parameters: visitParameters,
    type_parameter: declareField('name'),
    mapped_type_clause: consumeField('name'),
    return_statement: visitReturn,
    call_expression: visitCall,
    new_expression: visitNew,
    decorator: visitDecorator,
    jsx_opening_element: visitElement,
    jsx_self_closing_element: visitElement,
    assignment_expression: visitAssignment,
    member_expression: visitMember,
    nested_type_identifier: visitNestedType,
    type_identifier: referAs('type'),
    identifier: referAs('value'),
    shorthand_property_identifier: referAs('value'),
  },
  scopeVisits: {
    function_expression: declareOwnName,
    generator_function: declareOwnName,
    class: declareOwnName,
    arrow_function: (builder, node, tree) => declarePattern(builder, tree.field(node, 'parameter')),
    catch_clause: (builder, node, tree) => declarePattern(builder, tree.field(node, 'parameter')),
    for_in_statement: declareLoopVariable,
  },
}
