// The rule about arguments that are passed in each other's places.
import type { Node } from 'web-tree-sitter'
import { type CallSyntax, swappedArguments } from '../../languages/rules/argument-order.ts'
import {
  argumentsOf,
  calleeOf,
  callTypes,
  enclosingFunction,
  enclosingNode,
  field,
  functionTypes,
} from '../../languages/rules/syntax-nodes.ts'
import { parameterNamesOf } from './call-shapes.ts'
import { allRuleLanguages, type ParsedFile, type Rule } from './rule.ts'
import { findOnlyFunction, parameterOf } from './value-origins.ts'

/** The only function of the file that a call without another receiver can run. */
function findDefinition(call: Node, file: ParsedFile): Node | undefined {
  const { receiver, name } = calleeOf(call)
  if (receiver && !/^(?:this|self|cls)$/.test(receiver.text)) return undefined
  for (let fn = enclosingFunction(call); fn; fn = enclosingFunction(fn))
    if (parameterOf(fn, name)) return undefined
  const definition = findOnlyFunction(name, file)
  return definition && canBeCalled(definition, receiver !== undefined) ? definition : undefined
}

/** Only Java can call a method without the object that has it. */
function canBeCalled(definition: Node, hasReceiver: boolean): boolean {
  const isJava = definition.type === 'method_declaration' && !field(definition, 'receiver')
  return isJava || isMethod(definition) === hasReceiver
}

function isMethod(definition: Node): boolean {
  if (/^method_/.test(definition.type)) return true
  const owner = enclosingNode(definition, new Set(['class_definition', 'function_definition']))
  return definition.type === 'function_definition' && owner?.type === 'class_definition'
}

const syntax: CallSyntax = {
  calls: callTypes,
  functions: functionTypes,
  argumentsOf,
  nameOf: (call) => calleeOf(call).name,
  definitionOf: findDefinition,
  parametersOf: parameterNamesOf,
}

export const argumentRules: readonly Rule[] = [
  {
    id: 'swapped-arguments',
    summary: 'Two arguments are passed in the order opposite to the parameters of their names.',
    seeAlso: ['CWE-683', 'SonarSource `S2234`', 'Error Prone `ArgumentSelectionDefectChecker`'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.9,
    syntax: [{ languages: allRuleLanguages, ...swappedArguments(syntax) }],
  },
]
