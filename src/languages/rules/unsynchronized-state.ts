// Finds state in memory that code changes in separate steps, although other threads use it as well.

import { checkFunctions, type FunctionCode, wordPattern } from './function-code.ts'
import { findUnprotected, isConcurrentCollection } from './lock-regions.ts'
import type { Hit, ParsedFile } from './syntax-check.ts'
import { fieldText, findNodes, firstLine, quoteCode } from './syntax-nodes.ts'
import { matchesFile } from './word-index.ts'

const synchronization =
  /(?<![bc])lock(?!s?_?out)|synchroni[sz]|mutex|semaphore|monitor|single|@GuardedBy|critical/i

function raceHit(code: FunctionCode, from: number, to: number, name: string, remedy: string): Hit {
  const line = code.lineAt(to)
  const readLine = code.lineAt(from)
  return {
    at: { startLine: line, endLine: line },
    fallback: { startLine: readLine, endLine: readLine },
    title: `Race condition: ${quoteCode(name)} is read and changed in separate steps`,
    body:
      'When two threads run this at the same time, both read the same state, and one of the ' +
      `changes is lost. ${remedy}`,
    evidence: line === readLine ? [] : [{ line: readLine, note: 'read here' }],
  }
}

/** `if (!sessions.ContainsKey(id)) sessions[id] = …`, where `sessions` is a concurrent map. */
function findMapUpdate(code: FunctionCode, file: ParsedFile): Hit | undefined {
  if (!matchesFile(file, concurrentMaps)) return undefined
  const reads = code.text.matchAll(
    /((?:this\.)?\b\w+)(?:\.(?:get|getOrDefault|containsKey|ContainsKey|TryGetValue)\(\s*([\w.]+)|\[([\w.]+)\](?!\s*(?:[-+]?=(?!=)|\+\+|--)))/g,
  )
  for (const read of reads) {
    const [, map = '', passed, indexed] = read
    const key = passed ?? indexed ?? ''
    const name = map.replace(/^this\./, '')
    if (!isConcurrentCollection(name, file) || isAtomic(name, code.text)) continue
    const to = mapWriteAfter(code.text, read, map, key)
    if (to !== undefined) return raceHit(code, read.index, to, `${name}[${key}]`, mapRemedy)
  }
  return undefined
}

/** The index of a write to the same key by which a value of another thread is lost. */
function mapWriteAfter(
  text: string,
  read: RegExpExecArray,
  map: string,
  key: string,
): number | undefined {
  const [object, index] = [RegExp.escape(map), RegExp.escape(key)]
  const before = text.slice(Math.max(0, read.index - 80), read.index)
  if (new RegExp(`${object}\\.put\\(\\s*${index}\\s*,[^;]*$`).test(before)) return read.index
  const start = read.index + read[0].length
  const rest = text.slice(start)
  const found = new RegExp(
    `${object}(?:\\.(?:put|set)\\(\\s*${index}\\s*,|\\[${index}\\]\\s*(?:[-+]?=(?!=)|\\+\\+))([^;\\n]*)`,
  ).exec(rest)
  if (!found) return undefined
  const between = rest.slice(0, found.index)
  const value = /([A-Za-z_]\w*)\s*(?::[^=\n]*)?=\s*\(*$|out (?:var|\w+) (\w+)$/.exec(
    before + (/^\s*,\s*out \w+ \w+/.exec(rest)?.[0] ?? ''),
  )
  const name = value?.slice(1).find(Boolean)
  const isLost =
    (name && isDerived(name, rest, between, found[1]!)) ||
    (between.length < maxDistance && (refusal.test(between) || isCreated(between, found[1]!)))
  return isLost ? start + found.index : undefined
}

/** Whether what is written is made of the value that was read. */
function isDerived(name: string, rest: string, between: string, written: string): boolean {
  return /^[^;\n]*[-+] ?\w/.test(rest) || usesValue(name, between, written)
}

/** A test whose block ends before the write is about something else. */
const maxDistance = 300

/** What is there already makes the function fail, so that one of two runs has to. */
const refusal = /\b(?:throw|raise)\b|\breturn (?:false|null|None|nil)\b/

/** Whether each run stores an object of its own, which has a state. */
function isCreated(between: string, written: string): boolean {
  const name = /^\s*([a-z]\w*)[\s)}]*$/.exec(written)?.[1]
  const made = name === 'it' ? between : name ? valueSetTo(name, between) : written
  return creation.test(made) && !constant.test(made)
}

function valueSetTo(name: string, text: string): string {
  return (
    new RegExp(`${wordPattern(name)}(?:\\s*:[^=\\n]*)?\\s*=(?!=)([^;\\n]*)`).exec(text)?.[1] ?? ''
  )
}

const creation =
  /(?:\bnew |(?:^|[\s(=]))[A-Z]\w*(?:<[^()\n]*>)?\(|\bmutable\w+Of\(|\b[A-Z]\w*\.(?:[cC]reate|[oO]pen|[sS]tart|[nN]ew)\w*\(/
const constant = /\b(?:Regex|Pattern|String|\w*Formatter|\w*Exception|\w*Error|Optional|List|Set)\b/

/** Whether what is written is made of what was read. */
function usesValue(name: string, between: string, written: string): boolean {
  const word = new RegExp(wordPattern(name))
  const made = [...between.matchAll(/([A-Za-z_]\w*)\s*(?::[^=\n]*)?=(?!=)([^;\n]*)/g)]
    .filter((match) => word.test(match[2]!))
    .map((match) => match[1]!)
  const isSame = new RegExp(`^\\s*${name}\\s*\\)?$`).test(written)
  return !isSame && [name, ...made].some((each) => new RegExp(wordPattern(each)).test(written))
}

const concurrentMaps = /Concurrent(?:\w*Map|Dictionary)|synchronizedMap/
const atomics = /Interlocked|atomic\.Add|volatile/i
const threads = /ThreadPool|threading\.Thread/

const mapRemedy =
  'The map is safe for each single call only. Use one that does both: `compute`, `merge`, ' +
  '`computeIfAbsent`, `GetOrAdd` or `AddOrUpdate`.'

function isAtomic(name: string, text: string): boolean {
  return new RegExp(
    `\\b${name}\\.(?:putIfAbsent|compute\\w*|merge|replace|GetOrAdd|AddOrUpdate|TryAdd|TryUpdate|TryRemove|getOrPut)\\(`,
  ).test(text)
}

const atomicRead =
  /\b((?:self\.|this\.)?\w+)\.load\(|\batomic\.Load\w+\(&([\w.]+)\)|\b(\w+)\.get\(\)/g

const atomicExchange =
  /compare_?exchange|compareAndSet|CompareAndSwap|CompareExchange|fetch_update|\.swap\(/i

/** `let n = self.used.load(…)`, `self.used.store(n + 1, …)`; the same of other languages. */
function findAtomicUpdate(code: FunctionCode, { text: whole }: ParsedFile): Hit | undefined {
  const { text } = code
  if (atomicExchange.test(text)) return undefined
  for (const match of text.matchAll(atomicRead)) {
    const name = (match[1] ?? match[2] ?? match[3])!
    if (match[3] && !isAtomicNumber(name, whole)) continue
    const start = match.index + match[0].length
    const store = atomicStoreAfter(text.slice(start), name)
    if (store !== undefined) return raceHit(code, match.index, start + store, name, atomicRemedy)
  }
  return undefined
}

function isAtomicNumber(name: string, whole: string): boolean {
  return new RegExp(
    `Atomic(?:Integer|Long)\\s+${name}\\b|\\b${name}\\s*=\\s*Atomic(?:Integer|Long)\\(`,
  ).test(whole)
}

/** The index of a call that stores a changed number. */
function atomicStoreAfter(text: string, name: string): number | undefined {
  const object = RegExp.escape(name)
  const found = new RegExp(
    `${object}\\.(?:store|set)\\(([^;\\n]*)|atomic\\.Store\\w+\\(&${object}\\s*,([^;\\n]*)`,
  ).exec(text)
  const value = found?.[1] ?? found?.[2] ?? ''
  return found && /\w\s*[-+]\s*\w|\bnext\b|\bnew_/.test(value) ? found.index : undefined
}

const atomicRemedy = 'Use one atomic operation, such as an increment or a compare and exchange.'

/** Rust: `let n = map.lock().get(key)`, then `map.lock().insert(key, n + 1)`. */
function findSecondLock(code: FunctionCode, { language }: ParsedFile): Hit | undefined {
  if (language !== 'rust') return undefined
  const lock =
    '\\.(?:lock|read|write)\\(\\)(?:\\.await|\\.unwrap\\(\\)|\\.expect\\([^()]*\\)|\\?)*\\.'
  const read = new RegExp(
    `(?:let|if)\\b[^;{]{0,80}?\\b((?:self\\.)?\\w+)${lock}(?:get|contains_key|contains|len|is_empty|iter|copied|clone)\\(`,
    'g',
  )
  for (const match of code.text.matchAll(read)) {
    const start = match.index + match[0].length
    const rest = code.text.slice(start)
    const write = new RegExp(
      `${RegExp.escape(match[1]!)}\\.(?:lock|write)\\(\\)(?:\\.await|\\.unwrap\\(\\)|\\.expect\\([^()]*\\)|\\?)*\\.(?:insert|push\\w*|remove|entry|extend)\\(`,
    ).exec(rest)
    if (!write || /\bdrop\(/.test(rest.slice(0, write.index))) continue
    return raceHit(code, match.index, start + write.index, match[1]!, 'Hold one lock over both.')
  }
  return undefined
}

/** A field that is changed without the lock under which it was tested, or that others hold. */
function findUnlocked(code: FunctionCode, file: ParsedFile): Hit | undefined {
  const { name, from, to, kind } = findUnprotected(code, file) ?? {}
  if (!name || from === undefined || to === undefined) return undefined
  // A lock of readers was never meant for the change.
  const isReader = /RUnlock|read/.test(code.text.slice(from, from + 40).split('\n')[0]!)
  const isAtFirst = kind === 'between' || (from < to && !isReader)
  const [at, other] = isAtFirst ? [from, to] : [to, from]
  const remedy =
    kind === 'between'
      ? 'Test it again under the lock of the change.'
      : 'Hold the lock that other code holds for it.'
  const hit = raceHit(code, other, at, name, remedy)
  return {
    ...hit,
    evidence: hit.evidence?.map(({ line }) => ({ line, note: 'the other step' })) ?? [],
  }
}

/** A counter that other code of the file changes atomically, or a volatile one. */
function findPlainCounter(code: FunctionCode, file: ParsedFile): Hit | undefined {
  const { language, text: whole } = file
  if (!/^(?:c-sharp|java|kotlin|go)$/.test(language)) return undefined
  if (!matchesFile(file, atomics)) return undefined
  const changes = code.text.matchAll(
    /(?<![\w.])(?:(?:this|\w)\.)?(\w+)(?:\+\+|--|\s*[-+]=\s)|(?:\+\+|--)(\w+)/g,
  )
  for (const change of changes) {
    const name = (change[1] ?? change[2])!
    const isShared = new RegExp(
      `Interlocked\\.\\w+\\(ref ${name}\\b|atomic\\.Add\\w+\\(&[\\w.]*\\b${name}\\b|\\bvolatile \\w+ ${name}\\b|@Volatile\\s[^\\n]*\\bvar ${name}\\b`,
    ).test(whole)
    if (!isShared) continue
    const tested = new RegExp(`(?:if|return)\\b[^\\n]*\\b${name}\\b`).exec(
      code.text.slice(0, change.index),
    )
    const at = tested ? tested.index : change.index
    return raceHit(code, change.index, at, name, atomicRemedy)
  }
  return undefined
}

/** Starts of code that runs in several threads at the same time. */
const concurrentStarts: Readonly<Record<string, RegExp>> = {
  go: /\bgo func\(|\b\w+\.Go\(func\(/g,
  'c-sharp': /\bParallel\.\w+\(|\bTask\.Run\(/g,
  java: /\bnew Thread\(|\.parallelStream\(\)|\.parallel\(\)|\.(?:submit|execute|runAsync)\(/g,
  kotlin:
    /\b(?:launch|async)\s*(?:\(Dispatchers\.(?:IO|Default)[^)]*\))\s*\{|\bthread\s*(?:\([^()]*\))?\s*\{/g,
  ruby: /\bThread\.new\b|\bParallel\.each\w*\b|\bConcurrent::\w+\.\w+/g,
}

/** `go func() { failed = append(failed, url) }()` in a loop, without a lock. */
function findConcurrentChange(code: FunctionCode, { language }: ParsedFile): Hit | undefined {
  const starts = concurrentStarts[language]
  if (!starts || synchronization.test(code.text)) return undefined
  for (const start of code.text.matchAll(starts)) {
    const before = code.text.slice(0, start.index)
    const [open, close] = bodyAfter(code.text, start.index + start[0].length - 1)
    const body = code.text.slice(open, close)
    if (
      !/\b(?:for|foreach|forEach|each|map|times|ForEach|repeat)\b|Parallel\./.test(
        before + start[0],
      )
    )
      continue
    for (const change of body.matchAll(closureChange)) {
      const name = (change[1] ?? change[2] ?? change[3])!
      const word = wordPattern(name)
      const declared = new RegExp(
        `(?:\\b(?:var|int|long|val|let|auto|double)\\s+${name}\\b|${word}(?:, \\w+)?\\s*:?=(?!=))`,
      )
      if (
        !declared.test(before) ||
        new RegExp(`(?:\\b(?:var|val|int|long)\\s+${name}\\b|${word}\\s*:=)`).test(body)
      )
        continue
      const loop = before.search(
        /\b(?:for|foreach)\b[^\n]*\{\s*$|\b(?:each|map|times|forEach|repeat)\b/m,
      )
      if (loop >= 0 && declared.test(before.slice(loop))) continue
      return raceHit(code, open + change.index, open + change.index, name, closureRemedy)
    }
  }
  return undefined
}

const closureChange =
  /(?<![\w.>])([a-z]\w*)(?:\+\+|--|\s*[-+]=\s)|(?<![\w.>])(\w+)\s*=\s*append\(\s*\2\b|(?:\+\+|--)([a-z]\w*)/g

const closureRemedy = 'Use a lock or an atomic counter, or collect the results of the tasks.'

/** The range of the code in the first brackets or block after an index. */
function bodyAfter(text: string, from: number): [number, number] {
  let depth = 0
  const start = text.slice(from).search(/[({]/)
  const isBlock = start < 0 || /^\s*(?:\([^)]*\))?\s*do\b/.test(text.slice(from, from + 60))
  if (isBlock) return [from, Math.min(text.length, from + 600)]
  for (let index = from + start; index < text.length; index++) {
    if (/[({]/.test(text[index]!)) depth += 1
    if (/[)}]/.test(text[index]!)) depth -= 1
    // The parameters of a function come before its body.
    if (depth === 0 && !/^[\s)]*\{/.test(text.slice(index + 1, index + 12)))
      return [from + start, index]
  }
  return [from + start, text.length]
}

/** Python: a method that a pool runs changes a field of its object. */
function findPooledChange(code: FunctionCode, file: ParsedFile): Hit | undefined {
  const { language, text: whole } = file
  if (language !== 'python' || !matchesFile(file, threads)) return undefined
  for (const method of findNodes(code.node, 'function_definition')) {
    const name = fieldText(method, 'name')
    const runs = new RegExp(
      `(?:\\.(?:submit|map|apply_async|imap\\w*)\\(\\s*|target=)(?:self\\.)?${name}\\b`,
    )
    if (!runs.test(whole) || synchronization.test(method.text)) continue
    const change = findNodes(method, 'augmented_assignment').find(
      (each) =>
        /^self\.\w+$|^\w+$/.test(fieldText(each, 'left')) &&
        (fieldText(each, 'left').startsWith('self.') ||
          /\b(?:nonlocal|global)\b/.test(method.text)),
    )
    if (!change) continue
    const index = change.startIndex - code.node.startIndex
    return raceHit(code, index, index, fieldText(change, 'left'), closureRemedy)
  }
  return undefined
}

/** A singleton that is created when it is first needed, without synchronization. */
function findLazySingleton(
  code: FunctionCode,
  { language, text: whole }: ParsedFile,
): Hit | undefined {
  if (!/^(?:c-sharp|java|kotlin)$/.test(language) || synchronization.test(code.text))
    return undefined
  const [, name] =
    /\bif \(\s*(\w+)\s*(?:==|is) null\s*\)\s*\{?\s*\1\s*=\s*(?:new\b|[A-Z]\w*\()/.exec(code.text) ??
    []
  if (!name) return undefined
  const isStatic = new RegExp(
    `\\bstatic\\s+(?:volatile\\s+)?[\\w<>?.]+\\s+${name}\\s*(?:;|=)`,
  ).test(whole)
  const isCompanion =
    language === 'kotlin' &&
    new RegExp(`(?:companion object|^object \\w+)[\\s\\S]{0,400}\\bvar ${name}\\b`, 'm').test(whole)
  if (!isStatic && !isCompanion) return undefined
  return {
    at: firstLine(code.node),
    title: `Race condition: two threads can create ${quoteCode(name)} at the same time`,
    body:
      'When two threads call this for the first time, both see nothing and create an object ' +
      'each. Create it when the class is loaded, or synchronize this.',
  }
}

/** Reports state that several threads share and that is changed without synchronization. */
export const unsynchronizedState = checkFunctions(
  findMapUpdate,
  findAtomicUpdate,
  findSecondLock,
  findUnlocked,
  findPlainCounter,
  findConcurrentChange,
  findPooledChange,
  findLazySingleton,
)
