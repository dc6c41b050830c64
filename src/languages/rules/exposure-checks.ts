// Checks for files with secrets that everyone can read, and for origins that all are accepted.
import type { Node } from 'web-tree-sitter'
import { callTypes, readCall } from './calls.ts'
import { isDeveloperTool } from './developer-tools.ts'
import { functionTypes } from './functions.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { enclosingNode, fieldText, firstLine, quoteCode } from './syntax-nodes.ts'

/** A mode whose last digit lets everyone read or write, but not list a folder. */
const openMode =
  /^(?:\w{1,10}\s?[:=]\s?)?0o?\d?[0-7]{2}([2467])$|^["']r[w-][x-]r?[w-]?-?r?[w-]?-?["']$/

const secretFile =
  /(?:private|secret|signing|host|device|ssh|api|encryption|identity)_?key|\.(?:key|pem|p12|pfx)["'\x60]|\bkey_?(?:file|path)|secret|credential|(?<!l)token(?!i[sz])|\bid_(?:rsa|ed25519)|passw(?:or)?d|\.netrc|\.secret/i

const publicFile = /public|\.pub\b|\bpub\b|cert|\.crt|lock|tokenizer|tokens?_?(?:count|usage)/i

/** Functions whose only purpose is to write a key. */
const writesKey =
  /^(?:create|generate|save|write|store|persist)\w{0,20}(?:Key|Secret|Token|Credentials|_key|_secret|_token|_credentials)s?(?:File|_file)?$/

function checkMode(call: Node, file: ParsedFile): Hit | undefined {
  const mode = readCall(call).args.find(({ text }) => text.length < 20 && openMode.test(text))
  if (!mode || isDeveloperTool(file.path)) return undefined
  const { startIndex, endIndex } = outermostCall(call)
  const code = file.text.slice(startIndex, Math.min(endIndex, startIndex + 600))
  const fn = enclosingNode(call, functionTypes)
  const isSecret = secretFile.test(code) || writesKey.test(fn ? fieldText(fn, 'name') : '')
  if (!isSecret || publicFile.test(code) || /mkdir/i.test(code)) return undefined
  return {
    at: firstLine(mode),
    title: `The mode ${quoteCode(mode.text)} lets every user of the system read a secret`,
    body:
      'When another account or a broken service runs on the same system, it can read the secret. ' +
      'Create the file with the mode `0600`.',
  }
}

/** The call that a call is an argument of, which may name the file. */
function outermostCall(call: Node): Node {
  let outer = call
  for (
    let depth = 0;
    depth < 6 && outer.parent && /call|invocation|argument/.test(outer.parent.type);
    depth++
  )
    outer = outer.parent
  return outer
}

/** Reports a file with a secret that is created so that everyone can read it. */
export const checkSecretFile: SyntaxCheck = { nodes: callTypes, check: checkMode }

/** Accepts every origin by a function or pattern, and not by a list. */
const anyOrigin =
  /(?:^|\.|::)(?:SetIsOriginAllowed\(\s?\w+\s?=>\s?true\s?\)|allowedOriginPatterns\(\s?"\*"\s?\)|addAllowedOriginPattern\(\s?"\*"\s?\)|setAllowedOriginPatterns\(\s?List\.of\(\s?"\*"\s?\)\s?\)|mirror_request\(\)|anyHost\(\)|origins\s?\(?["']\*["']\)?)$/

const credentials =
  /AllowCredentials\(\)|[aA]llowCredentials\(\s?true|allowCredentials\s?=\s?true|allow_credentials\(\s?true|credentials:\s?true/

function checkOrigin(call: Node, file: ParsedFile): Hit | undefined {
  const end = file.text.slice(Math.max(call.startIndex, call.endIndex - 120), call.endIndex)
  if (!anyOrigin.test(end)) return undefined
  let around = call
  while (around.parent && around.parent.endIndex - around.parent.startIndex < 1_500)
    around = around.parent
  if (!credentials.test(around.text)) return undefined
  return {
    at: { startLine: call.endPosition.row + 1, endLine: call.endPosition.row + 1 },
    title: 'CORS allows every origin to send requests with credentials',
    body:
      "When a signed-in user opens an attacker's page, that page can read and do here " +
      'whatever the user can. List the allowed origins.',
  }
}

/** Reports an origin of any name that may send credentials. */
export const checkAnyOrigin: SyntaxCheck = { nodes: callTypes, check: checkOrigin }
