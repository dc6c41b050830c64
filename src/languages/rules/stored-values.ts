// Finds stored values that are read or tested and then written, while other runs may do the same.
import {
  type BoundText,
  checkFunctions,
  type FunctionCode,
  listBindings,
  wordPattern,
} from './function-code.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { quoteCode } from './syntax-nodes.ts'

/** Protects a value from other writers. A transaction alone doesn't lock what it reads. */
const guard =
  /(?<![bc])lock(?!s?_?out)|mutex|synchronized|semaphore|for_?\s?update|serializable|\batomic|compare_?and|compare_?exchange|interlocked|\b(?:row_?)?version\b|optimistic|if_?match|\bwatch\(|\bmulti\(|\bF\(|\bcas\b|single_?flight/i

/** Shows that the code expects that another run was first. */
const handledConflict =
  /unique|duplicate|conflict|integrity|upsert|or_?ignore|insert_?ignore|P2002|DbUpdateException|23505|1062|or_create|OrCreate|merge\(/i

const write =
  '(?:save\\w*|update\\w*|persist\\w*|put\\w*|store\\w*|upsert\\w*|write\\w*|replace\\w*|merge|patch\\w*)'

/** What stores all changed objects. */
const storesAll =
  /\bSaveChanges(?:Async)?\(|\b(?:session|db|em|entityManager|uow|unit_of_work)\.(?:commit|flush)\(|->flush\(|@Transactional\b/

const reads =
  /(?:^|[.:>\s(])_?(?:find\w*|get\w*|[fF]irst\w*|[sS]ingle\w*|[fF]etch\w*|load\w*|[qQ]uery\w*|[sS]elect\w*|lookup\w*|retrieve\w*|one|take|scalar\w*|by_?id\w*|where|Find\w*|Get\w*|Load\w*)[!?]?(?:<[^<>()]{0,60}>)?(?:\(| [a-z:@])/

const created = /^(?:new\b|[A-Z]\w*(?:\.new\b|::new\b|\()|\[|\{|["'`]|function|async |\()/

/** Fields that one run owns, or that are no amounts. */
const ownedField =
  /attempt|retr|tries|version|revision|(?:schedul|chang|edit|updat|access|login|fail)\w*_?count|^(?:index|position|offset|cursor|page|i|x|y|width|height)$|text|html|message|title|name|style/i

/** Amounts that a method with such a name changes. */
const changingMethod =
  '(?:debit|credit|withdraw|deposit|decrease|increase|decrement|increment|reserve|consume|redeem|spend|deduct|charge)\\w*'

function race(code: FunctionCode, from: number, to: number, name: string): Hit {
  const [readLine, writeLine] = [code.lineAt(from), code.lineAt(to)]
  const isLocked = transaction.test(code.text)
  const [first, other] = isLocked ? [readLine, writeLine] : [writeLine, readLine]
  return {
    at: { startLine: first, endLine: first },
    fallback: { startLine: other, endLine: other },
    title: `Race condition: ${quoteCode(name)} is read, changed and written back in separate steps`,
    body:
      `When two runs overlap between the read in line ${readLine} and the write, both start ` +
      'from the same value, and the second write overwrites the first. ' +
      (isLocked
        ? 'The transaction alone does not prevent that: lock what it reads (`FOR UPDATE`), or do ' +
          'the arithmetic in the statement.'
        : 'Do the arithmetic in one step (in a store, with an atomic increment), or hold a lock ' +
          'over both.'),
    evidence:
      readLine === writeLine
        ? []
        : [{ line: other, note: isLocked ? 'written here' : 'read here' }],
  }
}

const transaction = /transaction|@Transactional|\bsession\.(?:get|query|scalars?|execute)\(/i

/** `item = items.find(id)`, `item.stock -= n`, `items.save(item)`. */
function findObjectUpdate(code: FunctionCode, bindings: readonly BoundText[]): Hit | undefined {
  for (const { name, start, end } of bindings) {
    const change = changeOf(name, code.text, end)
    if (change && isStored(name, code.text, change.index))
      return race(code, start, change.index, change.field)
  }
  return undefined
}

interface Change {
  readonly field: string
  readonly index: number
}

function changeOf(name: string, text: string, from: number): Change | undefined {
  const object = wordPattern(name)
  const member = `${object}(?:[?!]?\\.|->)`
  const patterns = [
    `(${member}(\\w+))\\s*(?:[-+]=(?!\\s*(?:["'\`\\[]|f["'])))`,
    `(${member}(\\w+))(?:\\+\\+|--)`,
    `(${member}(\\w+))\\s*=\\s*[^;\\n]{0,60}${member}\\2\\b[^;\\n"'\`]{0,12}\\s[-+]\\s(?!["'\`])`,
    `(${member}[sS]et_?(\\w+))\\(\\s*${member}[gG]et_?\\2\\(\\)(?:\\s*[-+]\\s(?!")|\\.(?:add|subtract|plus|minus)\\()`,
    `(${member}(${changingMethod}))\\((?!\\s*["':\\[])`,
  ]
  for (const pattern of patterns) {
    const found = new RegExp(pattern, 'g')
    found.lastIndex = from
    const match = found.exec(text)
    if (match && !ownedField.test(match[2]!)) return { field: match[1]!, index: match.index }
  }
  return undefined
}

/** Whether an object is written back after an index. */
function isStored(name: string, text: string, from: number): boolean {
  if (storesAll.test(text)) return true
  const object = wordPattern(name)
  const stored = new RegExp(
    `${object}(?:[?!]?\\.|->)(?:save|update|persist|put|store|flush)\\w*!?|(?:\\.|->|\\b)(?i:${write}|save)!?(?:<\\w+>)?\\([^;{}]{0,80}?${object}(?!\\.|->)|\\.set\\([^;{}]{0,80}?${object}(?!\\.|->)`,
  )
  return stored.test(text.slice(from))
}

/** `account.update!(credit: account.credit - n)`. */
function findInlineUpdate(
  code: FunctionCode,
  bindings: readonly BoundText[],
  file: ParsedFile,
): Hit | undefined {
  const { text } = code
  const start = /\btransaction\b/i.exec(text)?.index
  const call =
    /(?:\.|->|::)(?:update(?!Margin|Padding|Layout)\w*|[sS]ave\w*|[uU]psert\w*|write_attribute|set_?[dD]oc)!?\((?=[^;]{0,300}?(?:\b(\w+)["']?\s*(?::|=>|=)|,)\s*\(?(([$@]?\w+)(?:(?:\.|->)(\w+))?)(?: \?\? 0\))?\s[-+]\s(?!["'`]))/g
  for (const match of text.matchAll(call)) {
    const [, key = '', target = '', object = '', name = ''] = match
    const read = bindings.findLast((each) => each.name === object && each.start < match.index)
    const isAmount = name ? isAmountOf(key, name) : isReadByMethod(read, file)
    if (!isAmount || ownedField.test(name || key)) continue
    const from = startOfRace(object, read, match.index, start)
    if (from !== undefined) return race(code, from, match.index, target)
  }
  return undefined
}

/** Where what is changed is read; a field of the own object may be read before the function. */
function startOfRace(
  object: string,
  read: BoundText | undefined,
  write: number,
  start: number | undefined,
): number | undefined {
  if (read) return start === undefined ? read.start : undefined
  return object.startsWith('@') ? (start ?? write) : undefined
}

/** Whether a variable holds what a method of the file reads from a store. */
function isReadByMethod(read: BoundText | undefined, { declarations }: ParsedFile): boolean {
  if (!read) return false
  const name = /^(?:\(?await )?(?:this\.|self\.|\$this->)?(\w+)\([^()]*\)\)?$/.exec(
    read.value.trim(),
  )?.[1]
  const methods = name ? [...declarations.methods(name), ...declarations.functions(name)] : []
  return methods.length === 1 && reads.test(methods[0]!.text.slice(0, 2_000))
}

function isAmountOf(key: string, name: string): boolean {
  return !ownedField.test(name) && (key === '' || isSameName(key, name))
}

function isSameName(one: string, other: string): boolean {
  const [plain, otherPlain] = [one, other].map((name) => name.replaceAll('_', '').toLowerCase())
  return plain === otherPlain
}

/** Stores that other processes share. */
const sharedStore = /redis|rdb|cache|memcache|\bkv\b|store|opsFor|valueOps|settings|dynamo|bucket/i
const ownStore = /localStorage|sessionStorage|preferences|prefs|cookies|searchParams/i

const storeRead =
  /([$@]?\w+(?:(?:[?!]?\.|->|::)\w+(?:\(\))?)*?)(?:[?!]?\.|->|::)(?:[hH]?[gG]et\w*|read\w*|fetch\w*|StringGet\w*|TryGetValue)(?:<[\w?]*>)?\(\s*((?:[^(),]|\([^()]*\)){1,80})/

/** `n = cache.get(key)`, `cache.set(key, n + 1)`. */
function findStoreUpdate(
  code: FunctionCode,
  bindings: readonly BoundText[],
  file: ParsedFile,
): Hit | undefined {
  for (const binding of bindings) {
    const read = storeRead.exec(binding.value)
    const [, store = '', key = ''] = read ?? []
    if (!store || !isShared(store, binding.value, file)) continue
    const found = findStoreWrite(code.text, binding, store, key)
    if (found !== undefined) return race(code, binding.start, found, key.trim())
  }
  return findHelperUpdate(code, bindings, file)
}

function isScriptGrammar({ language }: ParsedFile): boolean {
  return /script$|^tsx$/.test(language)
}

function isShared(store: string, value: string, file: ParsedFile): boolean {
  if (ownStore.test(store)) return false
  return isScriptGrammar(file) ? /\bawait\b/.test(value) : sharedStore.test(store)
}

/** The index of the call that writes a changed value to the key that it was read from. */
function findStoreWrite(
  text: string,
  { name, value, end }: BoundText,
  store: string,
  key: string,
): number | undefined {
  const passed = key.trim()
  const names = changedNames(text, name, value, end)
  const call = new RegExp(
    `${RegExp.escape(store)}(?:[?!]?\\.|->|::)(?:[hH]?[sS]et\\w*|[pP]ut\\w*|write\\w*|save\\w*|store\\w*|StringSet\\w*)\\(\\s*([^;\\n]*)`,
    'g',
  )
  call.lastIndex = end
  for (let match = call.exec(text); match; match = call.exec(text)) {
    const args = match[1]!
    if (passed && !args.startsWith(passed)) continue
    const rest = args.slice(passed.length)
    const sum = new RegExp(
      `${wordPattern(name)}\\)?(?: \\?\\? 0\\)| \\|\\| 0\\))?\\s*[-+]\\s*[\\w$("]`,
    )
    const isSum = sum.test(rest) && !/["'`]\s*\+|\+\s*["'`]/.test(rest)
    if (isSum || names.some((each) => new RegExp(wordPattern(each)).test(rest))) return match.index
  }
  return undefined
}

/** The variables that hold a sum or difference of a value. */
function changedNames(text: string, name: string, value: string, from: number): string[] {
  const rest = text.slice(from)
  const word = wordPattern(name)
  const derived = new RegExp(
    `([$@]?\\b\\w+)\\s*:?=\\s*[^;\\n"'\`]{0,40}${word}\\)?\\s*[-+]\\s*[\\w$]`,
  )
  const own = new RegExp(`${word}\\s*(?:[-+]=|\\+\\+|--)|(?:\\+\\+|--)${word}`).test(rest)
  const isSum = /\)\s*[-+]\s*\w+$/.test(value)
  const other = derived.exec(rest)?.[1]
  return [...(own || isSum ? [name] : []), ...(other ? [other] : [])]
}

/** `n = (await this.claimed(id)) + 1`, `redis.set(key, n)`, where the method reads from `redis`. */
function findHelperUpdate(
  code: FunctionCode,
  bindings: readonly BoundText[],
  { declarations }: ParsedFile,
): Hit | undefined {
  for (const { name, value, start, end } of bindings) {
    const helper = /(?:\b(?:this|self)\.|\$this->|@)?(\w+)\([^()]*\)\)?\s*[-+]\s*\w+$/.exec(
      value,
    )?.[1]
    const methods = helper
      ? [...declarations.methods(helper), ...declarations.functions(helper)]
      : []
    const [method] = methods
    const read = method && storeRead.exec(method.text.slice(0, 1_000))
    const store = read?.[1]
    if (!store || !sharedStore.test(store)) continue
    const found = findStoreWrite(code.text, { name, value, start, end }, store, '')
    if (found !== undefined) return race(code, start, found, name)
  }
  return undefined
}

const selected =
  /\bSELECT\s+([\w.,*()" ]{1,200}?)\s+FROM\s+["`]?(\w+)(?![^"';]{0,300}\bFOR\s+(?:NO KEY )?UPDATE)/gi

/** `SELECT balance FROM accounts`, `UPDATE accounts SET balance = ?`. */
function findStatementUpdate(code: FunctionCode): Hit | undefined {
  const { text } = code
  if (!/SELECT/i.test(text)) return undefined
  for (const read of text.matchAll(selected)) {
    const [, columns = '', table = ''] = read
    const rest = text.slice(read.index)
    const update = new RegExp(
      `\\bUPDATE\\s+["\`]?${table}["\`]?\\s+SET\\s+["\`]?(\\w+)["\`]?\\s*=\\s*(?:\\?|\\$\\d|\\$?[{:@]\\w+|%s|#\\{|" ?[+.])`,
      'i',
    ).exec(rest)
    const column = update?.[1]
    if (
      !update ||
      !column ||
      ownedField.test(column) ||
      !new RegExp(`\\b${column}\\b`).test(columns)
    )
      continue
    const between = rest.slice(0, 3_000)
    if (
      /(?<![\w'"])[\w.]*\s[-+]\s[\w$.]+|[-+]=/.test(between.replace(/"[^"\n]*"|'[^'\n]*'/g, '""'))
    )
      return race(code, read.index, read.index + update.index, column)
  }
  return undefined
}

/** Fields that say that something has been taken, which must happen once. */
const claim =
  '(?:reserved|claimed|assigned|taken|used|redeemed|consumed|sold|booked|spent|refunded|paid|captured)\\w*'

/** `if (seat.reservedBy != null) throw …`, `seat.reservedBy = user`, `seats.save(seat)`. */
function findClaim(code: FunctionCode, bindings: readonly BoundText[]): Hit | undefined {
  for (const { name, start, end } of bindings) {
    const member = `${wordPattern(name)}(?:[?!]?\\.|->)(?:get|is|Is|Get)?_?`
    const rest = code.text.slice(end)
    const test = new RegExp(
      `(?:if|unless|raise|return)\\b[^\\n]{0,60}${member}(${claim})`,
      'i',
    ).exec(rest)
    if (!test) continue
    const stem = test[1]!.replace(/_?(?:at|by|id)$/i, '')
    const set = new RegExp(
      `${wordPattern(name)}(?:[?!]?\\.|->)(?:set_?)?${stem}\\w*(?:\\s*=(?!=)|\\()|\\b(?:update\\w*!?)\\([^;\\n]{0,80}\\b${stem}\\w*\\s*(?::|=>|=)`,
      'i',
    )
    const found = set.exec(rest.slice(test.index + test[0].length))
    const index = found ? end + test.index + test[0].length + found.index : 0
    if (found && isStored(name, code.text, index)) return claimHit(code, start, index, test[1]!)
  }
  return undefined
}

function claimHit(code: FunctionCode, from: number, to: number, name: string): Hit {
  const hit = race(code, from, to, name)
  return {
    ...hit,
    title: `Race condition: ${quoteCode(name)} is tested and then set in separate steps`,
    body:
      `When two runs overlap between the read in line ${code.lineAt(from)} and the write, both ` +
      'pass the test, and both take it. Test and set it in one statement, or lock what is read.',
  }
}

const storeTest =
  /([$@]?\w+(?:(?:[?!]?\.|->|::)\w+(?:\(\))?)*?)(?:[?!]?\.|->|::)(?:[gG]et|[eE]xists?|has|read|[kK]eyExists|contains\w*|StringGet|includes)(?:Async)?\??\(\s*((?:[^(),]|\([^()]*\)){1,80})\)/g

/** What a branch does that doesn't accept what is there. */
const refuses =
  /^[^\n]*\n?\s*\{?\s*(?:throw|raise|return(?:\s+(?:false|False|nil|null|None|[^;\n]*(?:[eE]rr|[aA]lready|[cC]onflict|[dD]uplicate|409)[^;\n]*))?\s*[;}\n])/

/** `if (await redis.get(key)) return false`, `await redis.set(key, owner)`, without `NX`. */
function findStoreClaim(code: FunctionCode): Hit | undefined {
  const { text } = code
  for (const { 0: test, 1: store = '', 2: key = '', index } of text.matchAll(storeTest)) {
    if (!sharedStore.test(store) || ownStore.test(store)) continue
    const head = text.slice(text.lastIndexOf('\n', index) + 1, index)
    const name = /([$@]?\w+)(?:\s*:[^=\n]{1,40})?(?:, ?\w+)?\s*:?=\s*(?:await )?$/.exec(head)?.[1]
    const taken = refusalAfter(text.slice(index + test.length), head, name)
    const set =
      taken &&
      new RegExp(
        `${RegExp.escape(store)}(?:[?!]?\\.|->|::)(?:[sS]et|[pP]ut|write|StringSet)\\w*\\(\\s*${RegExp.escape(key.trim())}\\s*,([^;]*)`,
      ).exec(taken)
    if (!set || /\bnx\b|unless_exist|IfAbsent|NotExists|setnx/i.test(set[0])) continue
    const to = text.length - taken.length + set.index
    return claimHit(code, index, to, key.trim())
  }
  return undefined
}

/** The code from a branch on that fails or returns nothing because something is there. */
function refusalAfter(rest: string, head: string, name: string | undefined): string | undefined {
  if (!name) return /\b(?:if|unless)\b[^\n]*$/.test(head) && refuses.test(rest) ? rest : undefined
  const word = wordPattern(name)
  const branch = new RegExp(`^[^\\n]*\\n\\s*if\\b[^\\n]{0,20}${word}`).exec(rest)
  const taken = branch ? rest.slice(branch[0].length) : ''
  const isUsed = new RegExp(`return[^;\\n]*${word}`).test(taken.slice(0, 200))
  return refuses.test(taken) && !isUsed ? taken : undefined
}

function findRace(code: FunctionCode, file: ParsedFile): Hit | undefined {
  if (developmentPath.test(file.path) || !writes.test(code.text)) return undefined
  if (guard.test(code.text.replace(/\btransaction\.atomic\b/g, ''))) return undefined
  const bindings = [...listBindings(code), ...listFilled(code)]
  const isScript = isScriptGrammar(file)
  const objects = bindings.filter(
    // Scripts have one thread, which does something else only while they wait.
    ({ value }) =>
      reads.test(value) && !created.test(value) && (!isScript || /\bawait\b/.test(value)),
  )
  return (
    findObjectUpdate(code, objects) ??
    findInlineUpdate(code, bindings, file) ??
    findClaim(code, objects) ??
    findStoreUpdate(code, bindings, file) ??
    findStatementUpdate(code) ??
    findStoreClaim(code) ??
    findUncheckedLimit(code, bindings) ??
    findUncheckedExistence(code)
  )
}

const existence =
  /\bif\b\s*\(?(?:await )?\(?((?:[\w$@>:-]+\.)*?)(_?[A-Za-z]\w*?)(?:\.objects)?(?:\.|->|::)(?:(?:where|filter|query)\w*\([^\n]{1,120}\)(?:\.|->))?(?:existsBy\w*|exists\w*[?]?|any\?|AnyAsync|Any|countBy\w*)\(?[^\n]*(?:\{?\s*(?:throw|return|raise)\b)|\b(?:return|raise)\b[^\n]{0,60}\bif (?:()([A-Z]\w+)\.(?:where\([^\n]*\)\.)?(?:exists\?|any\?))/g

/** `if users.exists(email) throw …`, `users.create(email)`, where nothing handles another run. */
function findUncheckedExistence(code: FunctionCode): Hit | undefined {
  const { text } = code
  if (handledConflict.test(text)) return undefined
  for (const test of text.matchAll(existence)) {
    const root = test[2] ?? test[4]!
    const entity = root.replace(/^[_$@]+/, '').replace(/(?:Repository|Repo|(?<![su])s)$/i, '')
    if (entity.length < 3 || noEntity.test(entity)) continue
    const start = test.index + test[0].length
    const create = new RegExp(
      `\\b_?${entity}(?:s|Repository|Repo)?(?:\\.objects)?(?:\\.|->|::)(?:create|insert|save|saveAndFlush|add|addAsync|new)!?(?:\\(| )`,
      'i',
    ).exec(text.slice(start))
    if (!create) continue
    const index = start + create.index
    return {
      ...race(code, test.index, index, entity),
      title: `Race condition: ${quoteCode(entity)} is created after a test that none exists`,
      body:
        `When two runs overlap between the test in line ${code.lineAt(test.index)} and this, ` +
        'both create one, or one of them fails. Rely on a unique key, and handle its error.',
    }
  }
  return undefined
}

const noEntity =
  /file|dir|path|folder|key|cache|stream|list|map|set$|entr|item|node|child|result|lifecycle/i

/** Go: `db.First(&item, id)`; C#: `cache.TryGetValue(key, out var count)`. */
function listFilled({ text }: FunctionCode): BoundText[] {
  return [...text.matchAll(filling)].map((match) => ({
    name: (match[1] ?? match[2])!,
    value: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
}

const filling =
  /[\w.]+(?:\.[A-Z]\w*\([^()\n]{0,80}\))*\.(?:(?:First|Take|Last|Find|Get|FindOne|Scan)\((?:ctx, )?&(\w+)|TryGetValue\([^()\n]{1,80}out (?:var|int|long|\w+) (\w+))/g

const writes =
  /save|update|persist|put|store|upsert|write|replace|merge|set|commit|flush|create|insert|add/i

const developmentPath =
  /(?:^|\/)(?:migrations?|seeds?|seeders?|fixtures?|scripts?|tests?|specs?|__tests__)\/|\.(?:test|spec)\./i

/** `count = bookings.count(event)`, `if (count >= limit) …`, `bookings.create(…)`. */
function findUncheckedLimit(code: FunctionCode, bindings: readonly BoundText[]): Hit | undefined {
  if (handledConflict.test(code.text)) return undefined
  const { text } = code
  for (const { name, value, start, end } of bindings) {
    const isCount = /(?:[.:>]|^)(?:count\w*|Count\w*)[!]?\b|\bCOUNT\(/.test(value)
    if (!isCount) continue
    const rest = text.slice(end)
    const limit = new RegExp(
      `(?:if|unless)\\b[^\\n]{0,40}${wordPattern(name)}\\s*(?:>=?|<=?|\\+)\\s*(?!0\\b)[$@\\w]|(?:if|unless)\\b[^\\n]{0,60}[\\w)]\\s*(?:<=?|>=?)\\s*${wordPattern(name)}`,
    ).exec(rest)
    const entity = /([A-Za-z_]\w{2,}?)s?(?=(?:\.objects|Repository|Repo)?(?:\.|->|::)\w+\()/.exec(
      value,
    )?.[1]
    const created =
      limit &&
      /(?:\.|->|::)(?:create|insert|[sS]ave|Add|add|store)\w*!?\(/.exec(rest.slice(limit.index))
    if (!limit || !created || !entity) continue
    const index = end + limit.index + created.index
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index + 120)
    if (new RegExp(entity.replace(/^_/, ''), 'i').test(line))
      return limitHit(code, start, index, name)
  }
  return undefined
}

function limitHit(code: FunctionCode, from: number, to: number, name: string): Hit {
  return {
    ...race(code, from, to, name),
    title: `Race condition: the limit of ${quoteCode(name)} is tested before another row is added`,
    body:
      `When two runs overlap between the count in line ${code.lineAt(from)} and the write, both ` +
      'pass the test, and the limit is exceeded. Lock what the limit belongs to first.',
  }
}

/** Reports stored values that one run reads and writes back while another one may change them. */
export const storedValues = checkFunctions(findRace)
