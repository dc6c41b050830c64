// Reads the facts of a parsed file: lays its tree out flat and goes through it once. Runs in worker threads.
import type { Tree } from 'web-tree-sitter'
import type { FileIndex } from '../code-index.ts'
import { type GrammarName, parserMemory } from '../grammars.ts'
import { FileIndexBuilder } from './file-index-builder.ts'
import { type FlatColumns, FlatTree } from './flat-tree.ts'
import { createFlattener } from './flatten-tree.ts'
import type { LanguageSpec, Visit } from './language-spec.ts'
import { languageSpecs } from './languages/index.ts'

type Grammar = Tree['language']

/** A language's spec, looked up by the numbers that its grammar gives to types and fields. */
interface IndexPlan {
  readonly flatten: (tree: Tree) => FlatColumns
  readonly typeNames: readonly string[]
  readonly fieldIds: ReadonlyMap<string, number>
  readonly builtins: ReadonlySet<string>
  /** By number of type; undefined for types of no interest. */
  readonly steps: readonly (Step | undefined)[]
}

interface Step {
  readonly visit: Visit | undefined
  readonly scope: 'function' | 'block' | 'type' | undefined
  readonly inside: Visit | undefined
  readonly isBranch: boolean
}

// Constant once made, and of the thread.
const plans = new Map<GrammarName, IndexPlan>()

/**
 * The facts of a file.
 *
 * @param isTooLate asked now and then
 * @returns undefined where it got too late
 */
export function indexTree(
  tree: Tree,
  grammar: GrammarName,
  text: string,
  isTooLate: () => boolean = () => false,
): FileIndex | undefined {
  const spec = languageSpecs[grammar]
  const plan = plans.get(grammar) ?? createPlan(tree.language, spec)
  plans.set(grammar, plan)
  const flat = new FlatTree(text, plan.flatten(tree), plan, tree.rootNode.hasError)
  const walk = new FileIndexBuilder(flat, plan.builtins)
  for (let node = 0; node < flat.count; node++) {
    if ((node & 4095) === 0 && isTooLate()) return undefined
    const step = plan.steps[flat.types[node]!]
    if (step === undefined) continue
    walk.moveTo(node)
    if (step.isBranch) walk.addBranch()
    if (walk.isConsumed(node)) continue
    step.visit?.(walk, node)
    if (step.scope === undefined) continue
    walk.openScope(node, step.scope)
    step.inside?.(walk, node)
  }
  spec.finish?.(walk)
  return walk.finish()
}

function createPlan(language: Grammar, spec: LanguageSpec): IndexPlan {
  const typeNames = nameTypes(language)
  const scopes = new Map([
    ...spec.functions.split(' ').map((type) => [type, 'function'] as const),
    ...spec.blocks.split(' ').map((type) => [type, 'block'] as const),
    ...spec.types.split(' ').map((type) => [type, 'type'] as const),
  ])
  const branches = new Set(spec.branches.split(' '))
  return {
    flatten: createFlattener(parserMemory),
    typeNames,
    builtins: new Set(spec.builtins?.split(' ')),
    fieldIds: new Map(language.fields.flatMap((name, id) => (name === null ? [] : [[name, id]]))),
    steps: typeNames.map((name) => {
      const step = {
        visit: spec.visits[name],
        scope: scopes.get(name),
        inside: spec.scopeVisits?.[name],
        isBranch: branches.has(name),
      }
      return step.visit || step.scope || step.isBranch ? step : undefined
    }),
  }
}

/** Where a keyword is called like a node with a name (Ruby's `class`), the keyword stands in quotation marks. */
function nameTypes(language: Grammar): string[] {
  const names = Array.from(language.types, (name: string | undefined) => name ?? '')
  const named = new Set(names.filter((_, id) => language.nodeTypeIsNamed(id)))
  return names.map((name, id) =>
    named.has(name) && !language.nodeTypeIsNamed(id) ? `"${name}"` : name,
  )
}
