// Checks C# for the rules of the static reviewer.
import type { Node } from 'web-tree-sitter'
import { callees } from '../rules/callee-words.ts'
import { readCall } from '../rules/calls.ts'
import { misnamedArgument } from '../rules/copied-messages.ts'
import { checkCalls, deserializationBody } from '../rules/danger-checks.ts'
import { functionAround, functionTypes } from '../rules/functions.ts'
import type { LanguageRules } from '../rules/language-rules.ts'
import { shellHit } from '../rules/shell-checks.ts'
import type { Hit, ParsedFile } from '../rules/syntax-check.ts'
import { enclosingNode, fieldText, firstLine, quoteCode } from '../rules/syntax-nodes.ts'
import { ownProperty } from '../rules/unchanged-counter.ts'

function modifiersOf(node: Node): string[] {
  return node.namedChildren.filter(({ type }) => type === 'modifier').map(({ text }) => text)
}

/** Reports async methods whose errors nobody can handle; handlers of events have to be so. */
function checkAsyncVoid(method: Node): Hit | undefined {
  const modifiers = modifiersOf(method)
  const isVoid = fieldText(method, 'returns') === 'void' || fieldText(method, 'type') === 'void'
  if (!modifiers.includes('async') || modifiers.includes('override') || !isVoid) return undefined
  const parameters = fieldText(method, 'parameters')
  const name = fieldText(method, 'name')
  if (/\bsender\b|Event\w*\s|Args\b/.test(parameters)) return undefined
  if (/^On[A-Z]|_|Handler$|Callback$|Command$/.test(name)) return undefined
  return {
    at: firstLine(method),
    title: `${quoteCode(name)} is \`async void\`, so nobody can wait for it or handle its errors`,
    body:
      'When something in it fails, the exception reaches no caller and ends the process. Return ' +
      '`Task`.',
  }
}

/** Reports `throw e;` for the caught `e`, which replaces its stack trace. */
function checkRethrow(node: Node): Hit | undefined {
  const thrown = node.namedChild(0)
  const clause = enclosingNode(node, new Set(['catch_clause', ...functionTypes]))
  const declaration = clause?.namedChildren.find(({ type }) => type === 'catch_declaration')
  if (thrown?.type !== 'identifier' || !declaration) return undefined
  if (fieldText(declaration, 'name') !== thrown.text) return undefined
  if (new RegExp(`\\b${thrown.text}\\s*=[^=]`).test(clause!.text)) return undefined
  return {
    at: firstLine(node),
    title: `\`throw ${thrown.text}\` replaces the stack trace of the caught exception`,
    body:
      'When this is debugged, the trace begins here and not where the error happened. Use ' +
      '`throw;`.',
    severity: 'minor',
  }
}

/** Reports `store.SaveAsync();` in an async method, which doesn't wait for it. */
function checkUnawaited(statement: Node, { text }: ParsedFile): Hit | undefined {
  const call = statement.namedChild(0)
  if (call?.type !== 'invocation_expression' || statement.childCount > 2) return undefined
  const callee = fieldText(call, 'function').slice(-200)
  if (!/(?:^|\.)\w+Async(?:<[^<>]*>)?$|^Task\.(?:WhenAll|WhenAny|Delay)$/.test(callee))
    return undefined
  const fn = functionAround(statement)
  if (!fn || !modifiersOf(fn).includes('async')) return undefined
  if (/^\w+$/.test(callee) && text.includes(` void ${callee}(`)) return undefined
  // Nothing depends on when a sound has ended.
  if (/(?:^|\.)Play\w*$/.test(callee)) return undefined
  return {
    at: firstLine(statement),
    title: `Missing await: nothing waits for ${quoteCode(call.text)}`,
    body:
      'When this runs, the method goes on before the work is done, and its errors are lost. Use ' +
      '`await`, or assign the task to `_` to show that nothing has to wait.',
    confidence: 0.85,
  }
}

/** Reports the time of the machine where the code has the zone that is meant. */
function checkMachineTime(node: Node, { text }: ParsedFile): Hit | undefined {
  if (!/^DateTime\.(?:Now|Today)$/.test(node.text)) return undefined
  if (!/\bTimeZoneInfo _?\w+\s*[;,){=]/.test(text)) return undefined
  return {
    at: firstLine(node),
    title: `${quoteCode(node.text)} is in the zone of the machine, not of this code`,
    body:
      'When that zone differs, everything that is compared with this time is off by hours. Use ' +
      '`TimeZoneInfo.ConvertTime(DateTimeOffset.UtcNow, zone)`.',
    severity: 'moderate',
    confidence: 0.85,
  }
}

/** Reports `info.ArgumentList.Add($"…")`, where an earlier argument is that of a shell. */
function checkShellArgument(call: Node, file: ParsedFile): Hit | undefined {
  const { written: list, args } = readCall(call)
  if (!list.endsWith('.ArgumentList.Add')) return undefined
  const before = file.text.slice(Math.max(0, call.startIndex - 300), call.startIndex)
  const isCommand =
    before.trimEnd().endsWith(`${list}("-c");`) || before.trimEnd().endsWith(`${list}("/c");`)
  const command = isCommand ? args[0] : undefined
  return command && shellHit(command, call, file)
}

/** Reports settings of Json.NET with which data names the types of its objects. */
function checkTypeNames(assignment: Node): Hit | undefined {
  const code = assignment.text.slice(0, 500)
  if (!/TypeNameHandling\s*=\s*(?:\w+\.)*TypeNameHandling\.(?:All|Auto|Objects)$/.test(code))
    return undefined
  return {
    at: firstLine(assignment),
    title: `${quoteCode(code)} lets the data choose which types are created`,
    body: deserializationBody,
  }
}

export const rules: LanguageRules = {
  checks: {
    'unawaited-promise': [{ nodes: ['expression_statement'], check: checkUnawaited }],
    'time-without-zone': [{ nodes: ['member_access_expression'], check: checkMachineTime }],
    'infinite-recursion': [ownProperty],
    'incomplete-copy': [misnamedArgument],
    'command-injection': [{ nodes: ['invocation_expression'], check: checkShellArgument }],
    'unsafe-deserialization': [
      { nodes: ['assignment_expression'], check: checkTypeNames },
      checkCalls({
        callees: callees(
          '**.{BinaryFormatter,NetDataContractSerializer,SoapFormatter,LosFormatter}.new',
          '**.ObjectStateFormatter.new',
        ),
        title: '$CALL creates objects of any type from its input',
        body: deserializationBody,
      }),
    ],
    'async-void': [{ nodes: ['method_declaration'], check: checkAsyncVoid }],
    'rethrown-copy': [{ nodes: ['throw_statement'], check: checkRethrow }],
  },
}
