// Makes checks for paths and addresses that a client chooses, the same for many languages.
import type { Node } from 'web-tree-sitter'
import { boundValueOf, builtTextOf, type CodeSyntax } from './code-syntax.ts'
import { isDeveloperTool } from './developer-tools.ts'
import {
  hasNoEntryCheck,
  hasNoHostCheck,
  hasNoPathCheck,
  isEntryName,
  isSent,
} from './sent-values.ts'
import type { Hit, SyntaxCheck } from './syntax-check.ts'
import { enclosingNode, firstLine, quoteCode } from './syntax-nodes.ts'

/** Reports a path that a client, or the maker of an archive, can lead out of its folder. */
export function checkPath(syntax: CodeSyntax, callee: RegExp): SyntaxCheck {
  return {
    nodes: syntax.calls,
    wholeFunction: true,
    check(call, file) {
      if (!callee.test(syntax.calleeOf(call).slice(-200)) || isDeveloperTool(file.path))
        return undefined
      const scope = scopeOf(call, syntax)
      const args = syntax.argumentsOf(call).slice(0, 4)
      const entry = args.find((argument) => isEntryName(argument, scope))
      const path = entry ?? args.find((argument) => isSent(argument, syntax))
      if (!path || !(entry ? hasNoEntryCheck(scope) : hasNoPathCheck(scope))) return undefined
      return {
        ...placeOf(path, call, syntax),
        ...(entry ? entryTraversalOf(entry.text) : sentTraversalOf(path.text)),
      }
    },
  }
}

function sentTraversalOf(path: string): Pick<Hit, 'title' | 'body'> {
  const code = quoteCode(path)
  return {
    title: `Path traversal: ${code} comes from a request and is used as a path without a check`,
    body:
      `When ${code} contains \`../\`, the path leaves its folder, and the client can reach any ` +
      'file that this program can. Resolve the path and check that it is still inside.',
  }
}

/** The words about the name of an entry of an archive that decides where a file is written. */
export function entryTraversalOf(path: string): Pick<Hit, 'title' | 'body'> {
  const code = quoteCode(path)
  return {
    title: `Path traversal: the archive chooses where ${code} is written`,
    body:
      `When ${code} contains \`../\`, extracting the archive replaces files outside of the ` +
      'folder. Resolve the path and check that it is still inside.',
  }
}

/** Reports a redirect whose target a client chooses. */
export function checkRedirect(syntax: CodeSyntax, callee: RegExp): SyntaxCheck {
  return {
    nodes: syntax.calls,
    wholeFunction: true,
    check(call) {
      if (!callee.test(syntax.calleeOf(call).slice(-200))) return undefined
      const address = syntax.argumentsOf(call)[0]
      if (!address || !isSent(address, syntax) || !choosesHost(address, syntax)) return undefined
      if (!hasNoHostCheck(scopeOf(call, syntax), address.text)) return undefined
      const code = quoteCode(address.text)
      return {
        ...placeOf(address, call, syntax),
        at: firstLine(call),
        title: `Open redirect: ${code} comes from a request and decides where the browser goes`,
        body:
          'When someone sends a link to this site with their own URL in it, visitors end up ' +
          'there and take it for this site. Allow only paths of this site, or a fixed list of ' +
          'hosts.',
      }
    },
  }
}

/** Whether nothing fixed stands before the value, such as a path of this site. */
function choosesHost(address: Node, syntax: CodeSyntax): boolean {
  const text = builtTextOf(address, syntax)?.text ?? '\0'
  return /^(?:Location:\s*|redirect:)?\0/i.test(text)
}

/** The function around a node, or all of the file. */
function scopeOf(node: Node, syntax: CodeSyntax): string {
  return (enclosingNode(node, new Set(syntax.functions)) ?? node.tree.rootNode).text
}

function placeOf(value: Node, use: Node, syntax: CodeSyntax): Pick<Hit, 'at' | 'fallback'> {
  const inner = syntax.unwrap?.(value) ?? value
  return { at: firstLine(boundValueOf(inner, syntax) ?? value), fallback: firstLine(use) }
}
