// Makes checks for dangers that are the same in many languages: weak hashes, random, TLS.
import type { Node } from 'web-tree-sitter'
import type { CodeSyntax } from './code-syntax.ts'
import { functionTextOf } from './local-values.ts'
import { isNamedLikeSecret, needsFastHash, passwordName, separateWords } from './secret-names.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { enclosingNode, field, firstLine, quoteCode } from './syntax-nodes.ts'

type Describe = (call: Node, args: readonly Node[], file: ParsedFile) => Partial<Hit> | boolean

interface CallCheck {
  /** Tests the callee as it is written. */
  readonly callee: RegExp
  readonly title: string
  readonly body: string
  /** Decides what the callee doesn't show, and returns what differs from the wording. */
  readonly when?: Describe
}

/** Reports calls of a function. In the title, `$CALL` is the code of the call. */
export function checkCalls(
  syntax: CodeSyntax,
  { callee, when, title, body }: CallCheck,
): SyntaxCheck {
  return {
    nodes: syntax.calls,
    check(call, file) {
      if (!callee.test(syntax.calleeOf(call).slice(-200))) return undefined
      const described = when?.(call, syntax.argumentsOf(call), file) ?? true
      if (described === false) return undefined
      const wording = { title: title.replace('$CALL', () => quoteCode(call.text)), body }
      return { at: firstLine(call), ...wording, ...(described === true ? {} : described) }
    },
  }
}

/** Reports a fast hash of what is named like a password. */
export function checkPasswordHash(syntax: CodeSyntax, callee: RegExp): SyntaxCheck {
  return checkCalls(syntax, {
    callee,
    title: '',
    body: passwordHashBody,
    when(call, args) {
      // Entity tags and Gravatar prescribe a fast hash.
      const around = enclosingNode(call, new Set(syntax.calls)) ?? call.parent
      // Old hashes have to be compared as they are.
      const isPrescribed =
        /etag|gravatar|hash_equals/i.test(around?.text.slice(0, 500) ?? '') ||
        needsFastHash.test(functionTextOf(call))
      const password = args.find((argument) => passwordName.test(argument.text.slice(0, 200)))
      if (!password || isPrescribed) return false
      const name = /[\w$]*(?:passw(?:or)?d|passphrase|pwd)\w*/i.exec(password.text)?.[0] ?? ''
      // A slow hash may be hashed again.
      if (/hash|digest/i.test(name)) return false
      const title = `${quoteCode(name)} is hashed with a function that is too fast for passwords`
      return { title }
    },
  })
}

/** Reports a predictable random value whose variable or function is named like a secret. */
export function checkRandom(
  syntax: CodeSyntax,
  callee: RegExp,
  when: (call: Node, file: ParsedFile) => boolean = () => true,
): SyntaxCheck {
  return checkCalls(syntax, {
    callee,
    title: '$CALL generates a predictable secret',
    body:
      'When an attacker sees a few outputs of this generator, or knows its seed, they can ' +
      'compute the next ones. Use a cryptographically secure generator.',
    when: (call, _args, file) => isNamedLikeSecret(nameOfResult(call, syntax)) && when(call, file),
  })
}

/** Values that others know or can try. */
const guessable = /e?mail|time|\bnow\b|Now\b|\bdate|uniqid|user_?name|login/i
const unknown = /rand|secret|key|salt|pepper|nonce|bytes|uuid|guid|secure|token/i

/** Whether a text is made of values that others know or can try. */
export function isGuessable(code: string): boolean {
  return guessable.test(code) && !unknown.test(code)
}

/** Reports a secret that is the hash of values that others know or can try. */
export function checkPredictable(syntax: CodeSyntax, callee: RegExp): SyntaxCheck {
  return checkCalls(syntax, {
    callee,
    title: '$CALL generates a predictable secret',
    body:
      'When an attacker knows or tries the values that are hashed, they can compute the same ' +
      'secret. Use a cryptographically secure generator.',
    when: (call, args) =>
      isNamedLikeSecret(nameOfResult(call, syntax)) &&
      isGuessable(
        args
          .map(({ text }) => text)
          .join()
          .slice(0, 500),
      ),
  })
}

/** The variable that gets a value, or the function that returns it. */
function nameOfResult(node: Node, syntax: CodeSyntax): string {
  const functions = new Set(syntax.functions)
  const binding = enclosingNode(node, new Set([...syntax.bindings, 'pair', ...functions]))
  if (!binding) return ''
  const isFunction = functions.has(binding.type)
  const name = isFunction
    ? (field(binding, 'name') ?? field(binding, 'declarator'))?.text.replace(/\([\s\S]*$/, '')
    : (syntax.bindingOf(binding)?.name ?? binding.namedChild(0)?.text)
  return separateWords((name ?? '').replace(/^.*[.>:]/s, ''))
}

/** Reports code that a pattern finds in nodes of some types and that disables TLS verification. */
export function checkTls(
  syntax: CodeSyntax,
  nodes: readonly string[],
  pattern: RegExp,
): SyntaxCheck {
  return checkText(nodes, pattern, {
    title: 'TLS certificate verification is disabled',
    body: tlsBody,
    unless: (node) => isChosen(node, syntax),
  })
}

const optionNames = /verif|insecure|ssl|tls|skip|self.?signed|accept|cert|trust|dev|local|unsafe/i

/** Whether a condition or the name of the function shows that someone chooses to be insecure. */
export function isChosen(node: Node, syntax: CodeSyntax): boolean {
  const functions = new Set(syntax.functions)
  for (let around = node.parent; around; around = around.parent) {
    const isCondition = /^(?:if|unless|conditional|ternary|match|when|switch)/.test(around.type)
    const header = isCondition
      ? (field(around, 'condition') ?? around.namedChild(0))
      : functions.has(around.type) && field(around, 'name')
    const names = isCondition ? optionNames : /insecure|unsafe|trust_?all|accept_?all/i
    if (header && names.test(header.text.slice(0, 300))) return true
  }
  return false
}

interface TextCheck extends Pick<Hit, 'title' | 'body'> {
  readonly unless?: (node: Node) => boolean
}

/** Reports code that a pattern finds in nodes of some types. */
export function checkText(
  nodes: readonly string[],
  pattern: RegExp,
  { title, body, unless }: TextCheck,
): SyntaxCheck {
  return {
    nodes,
    check(node) {
      const text = node.text.slice(0, 500)
      const match = pattern.exec(text)
      if (!match || unless?.(node)) return undefined
      // A chain of calls ends on another line than it starts.
      const line = firstLine(node).startLine + text.slice(0, match.index).split('\n').length - 1
      const at = { startLine: line, endLine: line }
      return { at, title: title.replace('$CODE', () => quoteCode(text)), body }
    },
  }
}

export const passwordHashBody =
  'When the stored hashes leak, an attacker can try billions of passwords a second. Use a ' +
  'password hash: Argon2id, scrypt or bcrypt.'

export const tlsBody =
  'When an attacker intercepts the connection, they can present any certificate, and read and ' +
  'change everything. Trust the right certificate authority instead.'

export const deserializationBody =
  'When an attacker can change the data, creating the objects in it runs their code. Use a ' +
  'format that holds values only, such as JSON.'

/** Settings of libraries on the JVM with which data names the types of its objects. */
export const chosenTypes =
  /\.(?:enableDefaultTyping\(|activateDefaultTyping\(\s*LaissezFaire|setAutoTypeSupport\(\s*true|setRegistrationRequired\(\s*false)[^()]*(?:\([^()]*\)[^()]*)*\)$/

export const chosenTypesWording = {
  title: '$CODE lets the data choose which types are created',
  body: deserializationBody,
}

export const codeInjectionBody =
  'When an attacker controls the value, they can run any code with the rights of this program. ' +
  'Parse the data, or choose from a fixed set of functions.'
