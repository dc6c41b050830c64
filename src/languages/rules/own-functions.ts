// Finds the function of the same file that a call runs.
import type { Node } from 'web-tree-sitter'
import type { CodeSyntax } from './code-syntax.ts'
import { enclosingNode, field } from './syntax-nodes.ts'

/** By the tree, as every call asks for the same functions. */
const knownFunctions = new WeakMap<object, Map<string, Node[]>>()

function functionsOf({ tree }: Node, syntax: CodeSyntax): Map<string, Node[]> {
  const known = knownFunctions.get(tree)
  if (known) return known
  const functions = new Map<string, Node[]>()
  for (const fn of tree.rootNode.descendantsOfType([...syntax.functions])) {
    const name = (field(fn, 'name') ?? (fn.parent && field(fn.parent, 'name')))?.text ?? ''
    functions.set(name, [...(functions.get(name) ?? []), fn])
  }
  knownFunctions.set(tree, functions)
  return functions
}

const ownCallee = /^(?:await )?(?:(?:\$?this|self|Self|static|cls|@\w+)(?:\.|->|::))?(\w+[?!]?)$/

let last: { readonly call: Node; readonly fn: Node | undefined } | undefined

/** Returns the only function with the name that is called, on the same object or on none. */
export function ownFunctionOf(call: Node, syntax: CodeSyntax): Node | undefined {
  // Several checks ask for the same call, one directly after the other.
  if (last?.call !== call) last = { call, fn: findOwnFunction(call, syntax) }
  return last.fn
}

function findOwnFunction(call: Node, syntax: CodeSyntax): Node | undefined {
  const callee = syntax.calleeOf(call).slice(-80)
  const name = ownCallee.exec(callee)?.[1] ?? goMethod.exec(callee)?.[1]
  const found = name ? functionsOf(call, syntax).get(name) : undefined
  return found?.length === 1 ? found[0] : undefined
}

/** Receivers have short names in Go. */
const goMethod = /^[a-z]{1,2}\.(\w+)$/

export function parametersOf(fn: Node): Node[] {
  const list =
    field(fn, 'parameters') ?? fn.namedChildren.find(({ type }) => /parameters$/.test(type))
  return (list?.namedChildren ?? [])
    .filter(
      ({ type, text }) => !/comment|self_parameter/.test(type) && !/^(?:self|cls)$/.test(text),
    )
    .flatMap((parameter) => {
      // Go's parameters share a type: `tenant, name string`.
      const names = parameter.childrenForFieldName('name')
      return names.length > 1 ? names : [parameter]
    })
}

/** Returns the name that a parameter declares, such as `$command` of `string ...$command`. */
function nameOfParameter(parameter: Node): string {
  const name = field(parameter, 'name') ?? field(parameter, 'pattern')
  return name?.text ?? /[$@]?[A-Za-z_]\w*/.exec(parameter.text)?.[0] ?? ''
}

/**
 * Whether the function of the file that a call runs passes one of its arguments on.
 *
 * @param takes returns the code that a call inside of the function uses in the way that matters
 */
export function passesOn(
  call: Node,
  argument: Node,
  syntax: CodeSyntax,
  takes: (inner: Node) => readonly Node[],
): boolean {
  const fn = ownFunctionOf(call, syntax)
  if (!fn || (call.startIndex >= fn.startIndex && call.endIndex <= fn.endIndex)) return false
  const args = syntax.argumentsOf(call)
  const parameter = parametersOf(fn)[args.findIndex(({ id }) => id === argument.id)]
  const name = parameter && nameOfParameter(parameter)
  // With more arguments, a list of parts is passed on.
  if (!name || (/^(?:\*|\.\.\.|vararg|params)/.test(parameter.text) && args.length > 1))
    return false
  const word = new RegExp(String.raw`(?<![\w$@])${RegExp.escape(name)}(?!\w)`)
  return fn
    .descendantsOfType([...syntax.calls])
    .some((inner) => takes(inner).some(({ text }) => word.test(text.slice(0, 500))))
}

const maxCallers = 6

/** Returns what the calls in the file pass as the parameter at an index of a function. */
export function argumentsPassedTo(fn: Node, index: number, syntax: CodeSyntax): Argument[] {
  const name = (field(fn, 'name') ?? (fn.parent && field(fn.parent, 'name')))?.text
  const root = fn.tree.rootNode
  if (!name || !/^\w{2,60}$/.test(name) || root.endIndex > 100_000) return []
  const places = [...root.text.matchAll(new RegExp(String.raw`\b${name}\b(?=\s?[(?:\w@"'])`, 'g'))]
  return places.slice(0, maxCallers).flatMap((place) => {
    if (place.index >= fn.startIndex && place.index < fn.endIndex) return []
    let call = root.descendantForIndex(place.index)
    for (let depth = 0; call && depth < 3 && !syntax.calls.includes(call.type); depth++)
      call = call.parent
    const callee = call && syntax.calls.includes(call.type) ? syntax.calleeOf(call) : ''
    // The response of a framework may have a method of the same name.
    const isCall = new RegExp(`(?<!^res(?:ponse)?\\.)\\b${name}$`).test(callee.slice(-80))
    const argument = isCall && syntax.argumentsOf(call!)[index]
    return argument ? [{ call: call!, argument }] : []
  })
}

interface Argument {
  readonly call: Node
  readonly argument: Node
}

/** Returns what the file passes as the parameter that a variable is. */
export function passedArguments(variable: Node, syntax: CodeSyntax): Node[] {
  const fn = enclosingNode(variable, new Set(syntax.functions))
  const parameters = fn ? parametersOf(fn) : []
  const index = parameters.findIndex((each) => nameOfParameter(each) === variable.text)
  return fn && index >= 0
    ? argumentsPassedTo(fn, index, syntax).map(({ argument }) => argument)
    : []
}
