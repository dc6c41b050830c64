// Tells whether a file has a name that others can import from it, and knows when it can't tell.
import type { FileIndex } from '../../code/code-index.ts'
import type { CodeView } from '../resolution/code-view.ts'

/** Files that pass names on from file to file at most. */
const maxSteps = 8

const scriptFile = /\.[cm]?[jt]sx?$/
const pythonFile = /\.pyi?$/
/** Types alone: what they speak of is defined elsewhere. */
const declarationFile = /\.d\.[cm]?ts$/

/** Whether names of what a file imports can be checked against what is there. */
export function canCheckExports(path: string): boolean {
  return scriptFile.test(path) || pythonFile.test(path)
}

/**
 * Whether a name can be imported from a file.
 *
 * @param name as it is called over there; `default` can't be told
 * @returns undefined where it can't be told: the file wasn't read or is damaged, or passes on all names of one that wasn't
 */
export function hasExport(view: CodeView, path: string, name: string): boolean | undefined {
  return findExport(view, path, name, new Set())
}

function findExport(
  view: CodeView,
  path: string,
  name: string,
  seen: Set<string>,
): boolean | undefined {
  if (seen.has(path)) return false
  seen.add(path)
  const facts = view.fileIndex(path)
  if (facts === undefined || seen.size > maxSteps || name === '*' || name === 'default')
    return undefined
  if (scriptFile.test(path)) {
    if (declarationFile.test(path)) return undefined
    if (hasScriptName(facts, name)) return true
    const passesOn = facts.imports.filter(({ kind }) => kind === 'reexport')
    const exportsAny =
      passesOn.length > 0 || facts.symbols.some(({ exported, within }) => exported && within === -1)
    // Damaged, or exports the CommonJS way, which only a running program knows.
    if (facts.incomplete || !exportsAny) return undefined
    return findInReexports(
      view,
      path,
      name,
      seen,
      passesOn.filter(({ names }) => names.some(({ local }) => local === '*')),
    )
  }
  if (!pythonFile.test(path)) return undefined
  if (hasPythonName(facts, name)) return true
  if (facts.incomplete || facts.symbols.some((symbol) => symbol.name === '__getattr__'))
    return undefined
  return findInReexports(
    view,
    path,
    name,
    seen,
    facts.imports.filter(({ kind }) => kind === 'all'),
  )
}

function hasScriptName({ symbols, imports }: FileIndex, name: string): boolean {
  return (
    symbols.some((symbol) => symbol.exported && symbol.within === -1 && symbol.name === name) ||
    imports.some(
      ({ kind, names }) => kind === 'reexport' && names.some(({ local }) => local === name),
    )
  )
}

function hasPythonName({ symbols, imports, bindings }: FileIndex, name: string): boolean {
  return (
    symbols.some((symbol) => symbol.within === -1 && symbol.name === name) ||
    imports.some(({ names }) => names.some(({ local }) => local === name)) ||
    bindings.some((binding) => binding.within === -1 && binding.name === name)
  )
}

/** In all that a file passes on as a whole. */
function findInReexports(
  view: CodeView,
  path: string,
  name: string,
  seen: Set<string>,
  imports: FileIndex['imports'],
): boolean | undefined {
  let answer: boolean | undefined = false
  for (const item of imports) {
    const { kind, paths } = view.imports.resolve(path, item)
    const found =
      kind === 'inside' ? paths.map((target) => findExport(view, target, name, seen)) : [undefined]
    if (found.includes(true)) return true
    if (found.includes(undefined)) answer = undefined
  }
  return answer
}
