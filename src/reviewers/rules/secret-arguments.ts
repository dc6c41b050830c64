// Finds secrets that calls pass as arguments, by the names of parameters and functions.
import type { Node } from 'web-tree-sitter'
import { looksLikeSecret } from '../../code/find-secrets.ts'
import { callTypes, readCall } from '../../languages/rules/calls.ts'
import { isPlainString, stringText } from '../../languages/rules/literals.ts'
import { isNamedLikeSecret, passwordName } from '../../languages/rules/secret-names.ts'
import { codeChildren, field, fieldText } from '../../languages/rules/syntax-nodes.ts'
import { isTestPath } from '../../languages/test-paths.ts'
import { parameterNamesOf } from './call-shapes.ts'
import type { ParsedFile } from './rule.ts'
import { findOnlyFunction } from './value-origins.ts'

export const callsWithSecrets = [...callTypes, 'new_expression', 'object_creation_expression']

/** A string that is passed as a secret. */
interface SecretArgument {
  readonly node: Node
  /** What it is passed as: the name of the parameter or function. */
  readonly name: string
}

/** Functions of libraries, with the position of the argument that is a password. */
const passwordPositions: readonly { readonly callee: RegExp; readonly index: number }[] = [
  { callee: /^smtp\.PlainAuth$/, index: 2 },
  { callee: /^DriverManager\.getConnection$/, index: 2 },
  { callee: /\.SetBasicAuth$/, index: 1 },
  { callee: /(?:^|\.)(?:HTTPBasicAuth|BasicAuth|UsernamePasswordCredentials)$/, index: 1 },
  { callee: /^PasswordAuthentication$|^(?:smtp|server|session|ftp)\.login$/, index: 1 },
]

/** Finds the first secret among the arguments of a call. */
export function findSecretArgument(call: Node, file: ParsedFile): SecretArgument | undefined {
  const { args } = readCall(call)
  const candidates = args.filter(
    (argument) => isPlainString(argument) && looksLikeSecret(stringText(argument)),
  )
  if (candidates.length === 0 || isTestPath(file.path)) return undefined
  for (const node of candidates) {
    const name = nameOfArgument(call, args.indexOf(node), file)
    if (name) return { node, name }
  }
  return undefined
}

/** The name that shows that an argument is a secret. */
function nameOfArgument(call: Node, index: number, file: ParsedFile): string | undefined {
  const called = readCall(call).callee
  const setter = /(?:^|\.)(?:set|with)_?(\w+)$/i.exec(called)?.[1]
  if (setter && index === 0 && isSecretName(setter)) return setter
  if (passwordPositions.some((known) => known.index === index && known.callee.test(called)))
    return 'password'
  const parameter = parameterNames(called, file)[index]
  return parameter !== undefined && isSecretName(parameter) ? parameter : undefined
}

/** Whether a parameter holds a secret itself, and not where one is found. */
function isSecretName(name: string): boolean {
  if (/name|file|path|header|field|param|hash|prefix|ur[il]$|id$/i.test(name)) return false
  return isNamedLikeSecret(name) || passwordName.test(name)
}

/** The parameters that the only function or class of the name has in the file. */
function parameterNames(called: string, file: ParsedFile): string[] {
  const name = called.split('.').at(-1) ?? ''
  const isOwn = !called.includes('.') || /^(?:this|self|cls)\.\w+$/.test(called)
  if (!isOwn || name === '') return []
  const [owner, ...others] = file.declarations.classes(name)
  if (others.length > 0) return []
  const definition = owner ? findConstructor(owner) : findOnlyFunction(name, file)
  return (definition && parameterNamesOf(definition)) ?? []
}

function findConstructor(owner: Node): Node | undefined {
  const constructors = codeChildren(field(owner, 'body') ?? owner).filter(
    (node) =>
      node.type === 'constructor_declaration' ||
      /^(?:__init__|constructor)$/.test(fieldText(node, 'name')),
  )
  return constructors.length === 1 ? constructors[0] : undefined
}
