// Visits that the specs of many languages share.
import type { CodeReference, CodeSymbol } from '../code-index.ts'
import type { Visit } from './index-spec.ts'

/** Defines what the node is, with its fields as they are in most languages. */
export function define(
  kind: CodeSymbol['kind'],
  more: { readonly exported?: true; readonly isLeaf?: true } = {},
): Visit {
  return (builder, node) => {
    builder.define(node, { kind, ...more })
  }
}

/** Refers to the name that the node is. */
export function referAs(kind: CodeReference['kind']): Visit {
  return (builder, node) => builder.addReference({ kind, name: node })
}

/** Declares the name in a field of the node. */
export function declareField(field: string): Visit {
  return (builder, node, tree) => builder.declare(tree.field(node, field))
}

/** Consumes the name in a field of the node, which refers to nothing. */
export function consumeField(field: string): Visit {
  return (builder, node, tree) => builder.consume(tree.field(node, field))
}
