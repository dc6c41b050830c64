// Finds the function of the same file that a call runs.
import type { Node, Tree } from 'web-tree-sitter'
import { callAndNewTypes, isCall, readCall, valuesPassedTo } from './calls.ts'
import { functionAround, functionTypes, listParameters } from './functions.ts'
import { field, isWithin } from './syntax-nodes.ts'

/** By the tree, as every call asks for the same functions. */
const knownFunctions = new WeakMap<Tree, Map<string, Node[]>>()

/** Returns the functions of a file that have a name, or are the value of a variable that has it. */
export function functionsNamed(name: string, { tree }: Node): readonly Node[] {
  const functions = knownFunctions.get(tree) ?? listFunctions(tree)
  knownFunctions.set(tree, functions)
  return functions.get(name) ?? []
}

function listFunctions(tree: Tree): Map<string, Node[]> {
  const functions = new Map<string, Node[]>()
  for (const fn of tree.rootNode.descendantsOfType([...functionTypes])) {
    const name = nameOf(fn) ?? ''
    functions.set(name, [...(functions.get(name) ?? []), fn])
  }
  return functions
}

/** The name of a function, or of the variable that holds it. */
function nameOf(fn: Node): string | undefined {
  return (field(fn, 'name') ?? (fn.parent && field(fn.parent, 'name')))?.text
}

/** The own object, or Go's receivers, which have short names. */
const ownObject = /^(?:\$?this|self|Self|static|cls|@\w+|[a-z]{1,2})$/

let last: { readonly call: Node; readonly fn: Node | undefined } | undefined

/** Returns the only function with the name that is called, on the same object or on none. */
export function ownFunctionOf(call: Node): Node | undefined {
  // Several checks ask for the same call, one directly after the other.
  if (last?.call !== call) last = { call, fn: findOwnFunction(call) }
  return last.fn
}

function findOwnFunction(call: Node): Node | undefined {
  const { name, receiver, isNew } = readCall(call)
  if (isNew || name === '' || (receiver && !ownObject.test(receiver.text))) return undefined
  const [found, ...others] = functionsNamed(name, call)
  return others.length === 0 ? found : undefined
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
  takes: (inner: Node) => readonly Node[],
): boolean {
  const fn = ownFunctionOf(call)
  if (!fn || isWithin(call, fn)) return false
  const args = valuesPassedTo(call)
  const parameter = listParameters(fn)[args.findIndex(({ id }) => id === argument.id)]
  const name = parameter && nameOfParameter(parameter)
  // With more arguments, a list of parts is passed on.
  if (!name || (/^(?:\*|\.\.\.|vararg|params)/.test(parameter.text) && args.length > 1))
    return false
  const word = new RegExp(String.raw`(?<![\w$@])${RegExp.escape(name)}(?!\w)`)
  return fn
    .descendantsOfType([...callAndNewTypes])
    .some((inner) => takes(inner).some(({ text }) => word.test(text.slice(0, 500))))
}

const maxCallers = 6

/** Returns what the calls in the file pass as the parameter at an index of a function. */
export function argumentsPassedTo(fn: Node, index: number): Argument[] {
  const name = nameOf(fn)
  const root = fn.tree.rootNode
  if (!name || !/^\w{2,60}$/.test(name) || root.endIndex > 100_000) return []
  const places = [...root.text.matchAll(new RegExp(String.raw`\b${name}\b(?=\s?[(?:\w@"'])`, 'g'))]
  return places.slice(0, maxCallers).flatMap((place) => {
    if (place.index >= fn.startIndex && place.index < fn.endIndex) return []
    const call = callAt(root.descendantForIndex(place.index), name)
    const argument = call && valuesPassedTo(call)[index]
    return argument ? [{ call, argument }] : []
  })
}

/** The call of a function of the file in which its name is. */
function callAt(called: Node | null, name: string): Node | undefined {
  let call = called
  for (let depth = 0; call && depth < 3 && !isCall(call); depth++) call = call.parent
  if (!call || !isCall(call)) return undefined
  const { name: callee, receiver } = readCall(call)
  // The response of a framework may have a method of the same name.
  return callee === name && !/^res(?:ponse)?$/.test(receiver?.text ?? '') ? call : undefined
}

interface Argument {
  readonly call: Node
  readonly argument: Node
}

/** Returns what the file passes as the parameter that a variable is. */
export function passedArguments(variable: Node): Node[] {
  const fn = functionAround(variable)
  const parameters = fn ? listParameters(fn) : []
  const index = parameters.findIndex((each) => nameOfParameter(each) === variable.text)
  return fn && index >= 0 ? argumentsPassedTo(fn, index).map(({ argument }) => argument) : []
}
