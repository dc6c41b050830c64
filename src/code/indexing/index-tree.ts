// Builds the index of a parsed file in one pass over its flattened tree. Runs in worker threads.
import type { Tree } from 'web-tree-sitter'
import type { FileIndex } from '../../languages/code-index.ts'
import { FileIndexBuilder } from '../../languages/common/file-index-builder.ts'
import { type FlatColumns, FlatTree } from '../../languages/common/flat-tree.ts'
import { type IndexSpec, splitList, type Visit } from '../../languages/common/index-spec.ts'
import { parserMemory } from '../grammars.ts'
import { createFlattener } from './flatten-tree.ts'

type Grammar = Tree['language']

/** A language's spec by the numbers that its grammar gives to types and fields. */
interface IndexPlan {
  readonly flatten: (tree: Tree) => FlatColumns
  readonly typeNames: readonly string[]
  readonly fieldIds: ReadonlyMap<string, number>
  readonly builtins: ReadonlySet<string>
  /** By type number; undefined for types that the spec doesn't mention. */
  readonly steps: readonly (Step | undefined)[]
}

interface Step {
  readonly visit: Visit | undefined
  readonly scope: 'function' | 'block' | 'type' | undefined
  readonly scopeVisit: Visit | undefined
  readonly isBranch: boolean
}

// Plans never change, so each thread creates them once. Several grammars share a spec.
const plans = new Map<Grammar, IndexPlan>()

/**
 * Builds the index of a file.
 *
 * @param isTooLate called every few thousand nodes
 * @returns undefined if `isTooLate` returned true
 */
export function indexTree(
  tree: Tree,
  spec: IndexSpec,
  text: string,
  isTooLate: () => boolean = () => false,
): FileIndex | undefined {
  const plan = plans.get(tree.language) ?? createPlan(tree.language, spec)
  plans.set(tree.language, plan)
  const flat = new FlatTree(text, plan.flatten(tree), plan, tree.rootNode.hasError)
  const builder = new FileIndexBuilder(flat, plan.builtins, spec)
  for (let node = 0; node < flat.count; node++) {
    if ((node & 4095) === 0 && isTooLate()) return undefined
    const step = plan.steps[flat.types[node]!]
    if (step !== undefined) runStep(builder, node, step)
  }
  spec.finish?.(builder)
  return builder.finish()
}

function runStep(builder: FileIndexBuilder, node: number, step: Step): void {
  builder.moveTo(node)
  if (step.isBranch) builder.addBranch()
  if (builder.isConsumed(node)) return
  step.visit?.(builder, node, builder.tree)
  if (step.scope === undefined) return
  builder.openScope(node, step.scope)
  step.scopeVisit?.(builder, node, builder.tree)
}

function createPlan(language: Grammar, spec: IndexSpec): IndexPlan {
  const typeNames = nameTypes(language)
  const scopes = new Map([
    ...splitList(spec.functions).map((type) => [type, 'function'] as const),
    ...splitList(spec.blocks).map((type) => [type, 'block'] as const),
    ...splitList(spec.types).map((type) => [type, 'type'] as const),
  ])
  const branches = new Set(splitList(spec.branches))
  return {
    flatten: createFlattener(parserMemory),
    typeNames,
    builtins: new Set(splitList(spec.builtins ?? '')),
    fieldIds: new Map(language.fields.flatMap((name, id) => (name === null ? [] : [[name, id]]))),
    steps: typeNames.map((name) => {
      const step = {
        visit: spec.visits[name],
        scope: scopes.get(name),
        scopeVisit: spec.scopeVisits?.[name],
        isBranch: branches.has(name),
      }
      return step.visit || step.scope || step.isBranch ? step : undefined
    }),
  }
}

/** Puts a keyword in quotation marks if a named node has the same type name (Ruby's `class`). */
function nameTypes(language: Grammar): string[] {
  const names = Array.from(language.types, (name: string | undefined) => name ?? '')
  const named = new Set(names.filter((_, id) => language.nodeTypeIsNamed(id)))
  return names.map((name, id) =>
    named.has(name) && !language.nodeTypeIsNamed(id) ? `"${name}"` : name,
  )
}
