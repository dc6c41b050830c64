// The rule about guards that leave a function in the opposite case of what they say.
import type { Node } from 'web-tree-sitter'
import {
  codeChildren,
  field,
  firstLine,
  lineOf,
  negatedOperand,
  quoteCode,
  unwrap,
} from '../../languages/rules/syntax-nodes.ts'
import type { Hit, Rule } from './rule.ts'

const branchTypes = [
  'if_statement',
  'if_expression',
  'if',
  'unless',
  'if_modifier',
  'unless_modifier',
]

/** A branch without alternative that leaves its function. */
interface Guard {
  readonly node: Node
  /** The test without negations, as written. */
  readonly test: string
  /** Whether the branch runs if the test doesn't hold. */
  readonly negated: boolean
  readonly branch: string
  /** The statements behind the branch in the same block. */
  readonly rest: string
}

const maxBranch = 600
const maxRest = 1_500

function guardOf(node: Node): Guard | undefined {
  const condition = field(node, 'condition')
  const branch = branchOf(node)
  if (!condition || !branch || hasAlternative(node) || branch.text.length > maxBranch)
    return undefined
  if (!exits.test(lastStatement(branch))) return undefined
  let negated = /^unless/.test(node.type)
  let test = unwrap(condition)
  for (let inner = negatedOperand(test); inner; inner = negatedOperand(test)) {
    test = unwrap(inner)
    negated = !negated
  }
  const text = test.text
  // In Kotlin's grammar, `!` is a part of the first name.
  const isMarked = /^!(?!=)[^&|=<>]*$/.test(text)
  return {
    node,
    test: isMarked ? text.slice(1) : text,
    negated: isMarked !== negated,
    branch: branch.text,
    rest: restOf(node),
  }
}

function branchOf(node: Node): Node | undefined {
  const named = field(node, 'consequence') ?? field(node, 'body')
  if (named) return named
  const condition = field(node, 'condition')
  return codeChildren(node).find(({ startIndex }) => condition && startIndex >= condition.endIndex)
}

function hasAlternative(node: Node): boolean {
  if (field(node, 'alternative')) return true
  const parts = node.children.map((each) => each?.type)
  return parts.includes('else') || node.parent?.type === 'else_clause'
}

const exits =
  /^\(?(?:return|throw|raise|panic!?\(|bail!|abort\(|continue|break|next\b|die\b|exit\b|log\.Fatal)/

function lastStatement(branch: Node): string {
  let last = branch
  while (
    /^(?:block|statement_block|compound_statement|statement_list|then|expression_statement)$/.test(
      last.type,
    )
  ) {
    const inner = codeChildren(last).at(-1)
    if (!inner) break
    last = inner
  }
  return last.text
}

/** In Rust, a branch is an expression in a statement. */
function restOf(node: Node): string {
  const statement = node.parent?.type === 'expression_statement' ? node.parent : node
  let rest = ''
  let next = statement.nextNamedSibling
  for (; next && rest.length < maxRest; next = next.nextNamedSibling) rest += `${next.text}\n`
  return rest.slice(0, maxRest)
}

const path = String.raw`\$?[A-Za-z_]\w*(?:(?:\.|->|\?\.)\w+)*`

/** Tests that a value is there. Those that only some languages have are the last ones. */
const presence: readonly RegExp[] = [
  new RegExp(`^(${path})\\s*(?:!==?|is not)\\s*(?:null|nil|None|undefined)$`),
  new RegExp(`^(${path})\\.(?:isPresent|is_some|HasValue|present\\?|is_ok)(?:\\(\\))?$`),
  new RegExp(`^isset\\((${path})\\)$`),
]

const absence: readonly RegExp[] = [
  new RegExp(`^(${path})\\s*(?:===?|is)\\s*(?:null|nil|None|undefined)$`),
  new RegExp(
    `^(${path})\\.(?:isEmpty|is_none|isBlank|is_empty|nil\\?|blank\\?|empty\\?|is_err)(?:\\(\\))?$`,
  ),
  new RegExp(`^(?:[sS]tring\\.IsNullOr(?:Empty|WhiteSpace)|empty|is_null)\\((${path})\\)$`),
]

const truthy = new RegExp(`^(${path})$`)

/** What a guard says about a value: that it is there, or that it isn't. */
function presenceOf(
  guard: Guard,
  isTruthTest: boolean,
): { name: string; isThere: boolean } | undefined {
  for (const [patterns, isThere] of [
    [presence, true],
    [absence, false],
  ] as const)
    for (const pattern of patterns) {
      const name = pattern.exec(guard.test)?.[1]
      if (name) return { name, isThere: isThere !== guard.negated }
    }
  const name = isTruthTest ? truthy.exec(guard.test)?.[1] : undefined
  return name ? { name, isThere: !guard.negated } : undefined
}

const truthLanguages: ReadonlySet<string> = new Set([
  ...['javascript', 'typescript', 'tsx', 'python', 'php', 'ruby'],
])

const claimsAbsence =
  /not[\s_]?found|\bmissing\b|Missing|does(?:n't|\snot)\sexist|no\ssuch\b|NoSuch|\bis\srequired\b|RequiredE|must\snot\sbe\s(?:null|empty|blank)|can(?:'t|not)\sbe\s(?:null|empty|blank)/i
const claimsPresence =
  /already (?:exists?|in use|taken|registered|used)|AlreadyExists|Duplicate|\bConflict/i
const conditional = /\b(?:when|if|with|unless|because|together|both|instead|only)\b/i

/** `if (user) throw new NotFoundError()`, and `if (user != null) return` before `user.name`. */
function checkPresence(guard: Guard, isTruthTest: boolean): Hit | undefined {
  const known = presenceOf(guard, isTruthTest)
  if (!known) return checkExistence(guard)
  const { name, isThere } = known
  // What was caught or returned as an error says itself what is missing.
  if (/err|exception|^ex?$/i.test(name)) return undefined
  const said = reportOf(guard).replaceAll(name, '')
  if (!isThere) return claimsOnlyPresence(said) ? claimHit(guard) : undefined
  const isUsed = readsMember(guard.rest, name)
  const isClaimed = claimsAbsence.test(said) && !conditional.test(said)
  if (isClaimed && (isUsed || namesValue(guard.branch, name))) return claimHit(guard)
  // Loose tests of truth also hold for values whose members can be read.
  const isExact = !truthy.test(guard.test)
  return isUsed && isExact && !guard.branch.includes(name) ? goneHit(guard, name) : undefined
}

function claimsOnlyPresence(said: string): boolean {
  return claimsPresence.test(said) && !/unknown|invalid|expired|\bor\b|\bno\b|not/i.test(said)
}

/** What a branch reports as an error; empty if it reports none. */
function reportOf({ branch }: Guard): string {
  const at = branch.search(
    /\b(?:throw|raise|Err|panic|bail|abort|fmt\.Errorf|errors\.|reject)\b|return .*(?:Error|Err\w|Exception|NotFound|Conflict|40\d)/,
  )
  return at < 0 ? '' : branch.slice(at)
}

/** Whether code reads a member of a value before it sets the value. */
function readsMember(rest: string, name: string): boolean {
  const own = String.raw`(?<![\w.$>])${RegExp.escape(name)}`
  const read = new RegExp(`${own}(?:\\.|->|!!\\.)\\w`).exec(rest)
  const tested = new RegExp(
    `${own}\\s*(?:\\|?\\|?\\?{0,2}=(?!=)|:=|[=!]==?|is\\b|\\?[.:]|\\?->|\\|\\||&&|\\?\\?)|!${own}|${own}\\)`,
  ).exec(rest)
  return read !== null && (tested === null || read.index < tested.index)
}

/** Whether what a branch says is about a value. */
function namesValue(branch: string, name: string): boolean {
  const word = /([A-Z]?[a-z]+)\d*$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const said = branch.replaceAll(new RegExp(`(?<![\\w])${RegExp.escape(name)}(?!\\w)`, 'g'), '')
  return word.length >= 3 && said.toLowerCase().includes(word)
}

const existence = /(?:^|[.>:])(?:exists|has|contains|includes|isTaken|is_taken)\w*\??\([\s\S]*\)$/i

/** `if (!users.existsByEmail(email)) throw new ConflictError()`. */
function checkExistence(guard: Guard): Hit | undefined {
  if (!existence.test(guard.test) || /&&|\|\||\band\b|\bor\b/.test(guard.test)) return undefined
  return guard.negated && claimsOnlyPresence(reportOf(guard)) ? claimHit(guard) : undefined
}

/** States whose name a message gives as its reason. */
const reasons =
  'expired|locked|disabled|deleted|closed|banned|archived|revoked|suspended|cancell?ed|blocked|exceeded|completed|finished|shipped|refunded|frozen'
/** States without which something can't go on. */
const demands =
  'active|enabled|verified|confirmed|approved|published|authorized|authenticated|allowed'
const stateTest = new RegExp(
  `(?:^|[.>_]|\\bis|Is|has|Has)_?(${reasons}|${demands})\\??(?:\\(\\w*\\))?$`,
  'i',
)
const stateName = new RegExp(`^(?:${reasons})$`, 'i')

/** `if (!token.isExpired()) throw new Error('The token has expired')`. */
function checkState(guard: Guard): Hit | undefined {
  if (guard.test.length > 100 || /[&|]{2}|\band\b|\bor\b/.test(guard.test)) return undefined
  const state = stateTest.exec(guard.test)?.[1]?.toLowerCase()
  if (
    !state ||
    /(?:can|may|must|should|will|be|not|ever)_?\w+(?:\(\w*\))?$/i.test(
      guard.test.replace(/^[\s\S]*[.>]/, '').replace(/^is_?/i, ''),
    )
  )
    return undefined
  const claims = claimsOf(reportOf(guard), state)
  const [claim, ...others] = new Set(claims)
  return claim !== undefined && others.length === 0 && claim === guard.negated
    ? claimHit(guard)
    : undefined
}

/** What a branch says about a state: true that it holds, and false that it doesn't. */
function claimsOf(branch: string, state: string): boolean[] {
  const stem = state.replace(/^cancell?ed$/, 'cancell?ed')
  const isReason = stateName.test(state)
  const found = branch.matchAll(
    new RegExp(`([\\w' ]{0,30}?)(?<before>(?<![a-z])(?:un|in)|not_?)?${stem}`, 'gi'),
  )
  return [...found].flatMap(({ 0: text, groups }) => {
    const isDenied =
      groups?.before !== undefined ||
      /\b(?:not|no longer|isn't|hasn't|wasn't|never|must|should|need|needs|only|unless|until|require\w*)\b[^.]*$/i.test(
        text,
      )
    if (isDenied) return false
    return isReason || /already/i.test(text) ? true : []
  })
}

const errorTest =
  /^(\w*[eE]rr(?:or)?|ex|exception)(?:\s*(===?|is|!==?|is not)\s*(?:nil|null|None|undefined))?$/

/** `if err == nil { return fmt.Errorf("load: %w", err) }`. */
function checkMissingError(guard: Guard): Hit | undefined {
  const [, name, operator = '!='] = errorTest.exec(guard.test) ?? []
  if (!name || /^(?:=|is$)/.test(operator) === guard.negated) return undefined
  const isReported = new RegExp(
    `(?:throw|raise) ${name}\\b|\\b\\w*(?:err|wrap|fatal|reject|panic|fail)\\w*!?\\((?:[^()]|\\([^()]*\\))*\\b${name}\\)|\\b(?:next|callback|cb)\\(${name}\\)`,
    'i',
  ).test(guard.branch)
  return isReported ? claimHit(guard) : undefined
}

function claimHit({ node, test, negated }: Guard): Hit {
  const condition = quoteCode(test)
  const outcome = negated ? "doesn't hold" : 'holds'
  return {
    at: firstLine(node),
    title: `Inverted condition: this branch runs if ${condition} ${outcome}`,
    body:
      'When it runs, it reports the opposite of what the condition has tested, and the real case ' +
      'goes on unnoticed. Negate the condition.',
  }
}

function goneHit({ node, test, rest }: Guard, name: string): Hit {
  const value = quoteCode(name)
  const row = rest
    .slice(0, rest.search(new RegExp(`${RegExp.escape(name)}(?:\\.|->)`)))
    .split('\n').length
  return {
    at: firstLine(node),
    title: `Inverted condition: the code after it uses ${value}, which has no value there`,
    body:
      `When ${quoteCode(test)} holds, this leaves; otherwise the code below reads a member of ` +
      `${value} that isn't there. Negate the condition.`,
    evidence: [{ line: lineOf(node) + row, note: 'the code that runs without a value' }],
  }
}

export const guardRules: readonly Rule[] = [
  {
    id: 'inverted-guard',
    summary:
      'A condition is inverted: its branch throws "not found" for what was found, or the code ' +
      'after it uses a value that was tested to be missing.',
    seeAlso: ['CWE-670'],
    severity: 'moderate',
    category: 'correctness',
    confidence: 0.85,
    syntax: [
      {
        languages: 'all',
        nodes: branchTypes,
        check(node, file) {
          const guard = guardOf(node)
          return (
            guard &&
            (checkMissingError(guard) ??
              checkState(guard) ??
              checkPresence(guard, truthLanguages.has(file.language)))
          )
        },
      },
    ],
  },
]
