// Finds resources that stay open, and locks and transactions that an error leaves open.
import type { Node } from 'web-tree-sitter'
import { bindingTypes, isMember, readVariable } from './bindings.ts'
import { callAndNewTypes, isCall, readCall } from './calls.ts'
import { isUnwatched } from './developer-tools.ts'
import { blockOf } from './effects.ts'
import { functionAround } from './functions.ts'
import { awaitedValue } from './operations.ts'
import { statementAround, statementsAfter, statementsOf } from './statements.ts'
import type { Hit, ParsedFile, SyntaxCheck } from './syntax-check.ts'
import { field, firstField, firstLine, lineOf, quoteCode, textOf, typeOf } from './syntax-nodes.ts'

interface Opener {
  /** Matches callees that open something. */
  readonly opens: RegExp
  /** Names of functions that close it. */
  readonly closers: string
  readonly remedy: string
}

/** Functions that only read from what they get, and don't close it. */
const readers =
  /^(?:CSV(?:\.|::)(?:new|parse)|JSON\.(?:load|parse)|YAML\.\w+|csv\.\w+|json\.\w+|yaml\.\w+|pickle\.\w+|tomllib\.\w+|io\.\w+|bufio\.\w+|len|list|sum|enumerate|sorted|map|filter|zip|iter|str|fgetcsv|fgets|fread|fwrite|fputcsv|feof|fputs|flock|stream_get_contents|rewind|fseek|is_resource|IO\.copy_stream|shutil\.copyfileobj|Zlib::\w+\.new|Nokogiri\S*|isinstance|print)$/

const jvmFiles =
  '(?:Buffered|File|Print|Input|Output|Data|Object|Zip|GZIP|Random)\\w*(?:Reader|Writer|Stream|AccessFile|File)|Socket|ServerSocket|Scanner|ZipFile|JarFile'

const executors: Opener = {
  opens: /^Executors\.new\w+$/,
  closers: 'shutdown\\w*|close|awaitTermination',
  remedy: 'Shut it down in `finally`.',
}

const openers: Readonly<Record<string, readonly Opener[]>> = {
  javascript: [
    {
      opens: /^(?:fs\.promises\.|fsp?\.|promises\.)?open$/,
      closers: 'close',
      remedy: 'Close it in `finally`.',
    },
    {
      opens:
        /^(?:this\.)?[\w.]*(?:pool|Pool|db|knex|dataSource)\w*\.(?:connect|getConnection|acquire|createQueryRunner)$/,
      closers: 'release|end|destroy',
      remedy: 'Release it in `finally`.',
    },
    {
      opens: /^(?:puppeteer|chromium|firefox|webkit|playwright)\.launch$|(?<!^this)\.startSession$/,
      closers: 'close|endSession',
      remedy: 'Close it in `finally`.',
    },
    {
      opens:
        /^(?:EventSource|WebSocket|BroadcastChannel|Worker|MongoClient|PrismaClient|pg\.Client)$/,
      closers: 'close|terminate|end|\\$?disconnect',
      remedy: 'Close it when it is no longer needed.',
    },
    {
      opens: /^(?:mysql2?|amqp(?:lib)?)\.(?:createConnection|connect)$/,
      closers: 'close|end|destroy',
      remedy: 'Close it in `finally`.',
    },
    {
      opens: /^(?:window\.|globalThis\.)?setInterval$/,
      closers: 'clearInterval|unref',
      remedy: 'Clear it when it is no longer needed.',
    },
  ],
  python: [
    {
      opens:
        /^(?:open|io\.open|codecs\.open|(?:gzip|bz2|lzma|tarfile)\.open|zipfile\.ZipFile|socket\.(?:socket|create_connection)|(?:sqlite3|psycopg2?|pymysql|MySQLdb|mysql\.connector)\.connect|smtplib\.SMTP\w*|ftplib\.FTP\w*|tempfile\.(?:Named)?TemporaryFile|requests\.Session|httpx\.(?:Async)?Client|(?:urllib\.request\.)?urlopen|aiohttp\.ClientSession|\w*[pP]ath\w*\.open|Path\(.*\)\.open)$/,
      closers: 'close|quit|aclose|cleanup|__exit__|shutdown',
      remedy: 'Open it in a `with` statement.',
    },
    {
      opens: /\.getconn$/,
      closers: 'putconn',
      remedy: 'Put it back in `finally`.',
    },
    {
      opens:
        /^(?:paramiko\.)?SSHClient$|^imaplib\.IMAP4\w*$|^SessionLocal$|^(?:concurrent\.futures\.)?(?:Thread|Process)PoolExecutor$/,
      closers: 'close|logout|shutdown|remove',
      remedy: 'Open it in a `with` statement.',
    },
    {
      opens: /^(?:Path\()?(?:tempfile\.)?mkdtemp\)?$/,
      closers: 'rmtree|cleanup|rmdir|remove_tree',
      remedy: 'Use `tempfile.TemporaryDirectory` in a `with` statement.',
    },
  ],
  java: [
    {
      opens: new RegExp(
        `^(?:${jvmFiles})$|(?:^|\\.)(?:getConnection|prepareStatement|prepareCall|createStatement|executeQuery|newBufferedReader|newBufferedWriter|newInputStream|newOutputStream|openStream|openSession)$|^Files\\.(?:lines|list|walk|find|newDirectoryStream)$`,
      ),
      closers: 'close\\w*|disconnect',
      remedy: 'Declare it in a try-with-resources statement.',
    },
    executors,
  ],
  kotlin: [
    {
      opens: new RegExp(
        `^(?:${jvmFiles})$|\\.(?:bufferedReader|bufferedWriter|inputStream|outputStream|printWriter|getConnection|prepareStatement|executeQuery|openStream|openInputStream)$|newCall\\(.*\\)\\.execute$|^Files\\.(?:lines|list|walk)$`,
      ),
      closers: 'close',
      remedy: 'Read it in `use { }`.',
    },
    {
      opens:
        /(?:^|\.)\w*(?:[dD]b|[dD]atabase|[rR]esolver)\.(?:rawQuery|query)$|\.obtainStyledAttributes$/,
      closers: 'close|recycle',
      remedy: 'Read it in `use { }`.',
    },
    executors,
  ],
  php: [
    {
      opens:
        /^\\?(?:fopen|fsockopen|popen|opendir|proc_open|stream_socket_client|gzopen|ftp_(?:ssl_)?connect)$/,
      closers: 'fclose|pclose|closedir|proc_close|gzclose|ftp_close',
      remedy: 'Close it in `finally`.',
    },
  ],
  'c-sharp': [
    {
      opens:
        /^(?:\w+\.)*(?:StreamReader|StreamWriter|FileStream|\w*SqlConnection|SqliteConnection|TcpClient|BinaryReader|BinaryWriter|GZipStream|ZipArchive|HttpRequestMessage|NpgsqlConnection|XmlReader|Process)$|^File\.(?:Open\w*|Create|AppendText|CreateText)$|\.(?:ExecuteReader(?:Async)?|GetResponse|GetResponseStream|BeginTransaction(?:Async)?|OpenRead|OpenWrite|OpenEntryStream)$|^ZipFile\.Open\w*$/,
      closers: 'Close|CloseAsync|Dispose|DisposeAsync',
      remedy: 'Declare it with `using`.',
    },
  ],
  ruby: [
    {
      opens:
        /^(?:File\.(?:open|new)|(?:TCP|UNIX|UDP)(?:Socket|Server)\.(?:open|new)|Net\.(?:FTP|SFTP|SMTP|IMAP)\.(?:open|new)|PG\.connect|PG\.Connection\.new|Mysql2\.Client\.new|SQLite3\.Database\.new|Zip\.File\.open|Zlib\.Gzip\w+\.(?:open|new)|Dir\.(?:open|new)|IO\.popen)$/,
      closers: 'close!?|finish|quit|disconnect|unlink',
      remedy: 'Use the form with a block.',
    },
    {
      opens: /^Tempfile\.(?:new|create|open)$/,
      closers: 'unlink|close!|delete',
      remedy: 'Delete it in `ensure`.',
    },
  ],
}

const handled =
  /\b(?:finally|ensure|defer|rescue|with|using|closing|ExitStack|addSuppressed|autoClose|register_shutdown_function|scope\.exit)\b|\.use\s*(?:\{|\()|\.closeOnCompletion/

/** A resource that is never closed, or only when nothing fails. */
function checkOpen(node: Node, file: ParsedFile): Hit | undefined {
  const binding = readVariable(node)
  const opener = binding && openerOf(binding.value, file)
  const fn = binding && functionAround(node)
  if (!opener || !fn || isUnwatched(file.path) || isManaged(node, fn)) return undefined
  const { name } = binding
  const rest = fn.text.slice(node.endIndex - fn.startIndex).slice(0, 20_000)
  if (isOuter(name, node, fn, file) || isKept(name, rest, file)) return undefined
  const own = RegExp.escape(name)
  const closing = new RegExp(
    `(?<![\\w.])${own}\\s*[?&!]?\\.(?:${opener.closers})(?!\\w)|\\b(?:${opener.closers})\\(\\s*${own}\\b`,
  )
  if (!closing.test(`${node.text}\n${rest}`)) return neverClosedHit(node, name, opener)
  const failing = handled.test(rest) ? undefined : findFailing(node, closing)
  return failing && goodPathHit(node, name, failing, opener)
}

/** Whether a name is that of a field, or of a variable that other functions may use. */
function isOuter(name: string, node: Node, fn: Node, file: ParsedFile): boolean {
  if (/^[_@A-Z]/.test(name)) return true
  if (!/^assignment/.test(node.type)) return false
  return isScript(file) || isMember(name, node, fn, file)
}

/** The first call between opening and closing, which may raise an error. */
function findFailing(node: Node, closing: RegExp): Node | undefined {
  const later = statementsAfter(statementAround(node))
  const end = later.findIndex(
    ({ text, type }) =>
      closing.test(text) &&
      !/^(?:if|for|while|try|switch|unless|foreach|return)/.test(type) &&
      !/=>|\bfunction\b|\bdo \|/.test(text),
  )
  const between = later.slice(0, Math.max(end, 0))
  // Another check reports explicit exits.
  return between.some(({ text }) => /\b(?:return|throw|raise)\b/.test(text))
    ? undefined
    : between.find(hasCalls)
}

function hasCalls(statement: Node): boolean {
  return statement.descendantsOfType([...callAndNewTypes]).length > 0
}

function isScript({ language }: ParsedFile): boolean {
  return /^(?:javascript|typescript|tsx)$/.test(language)
}

function openerOf(value: Node, file: ParsedFile): Opener | undefined {
  const { language, text } = file
  const call = openingCall(awaitedValue(value))
  if (!call || field(call, 'block') || /^(?:with|using|resource)/.test(typeOf(call.parent)))
    return undefined
  const { callee } = readCall(call)
  const isJavaScript = isScript(file)
  if (isJavaScript && callee === 'open' && !/fs\/promises/.test(text)) return undefined
  const list = openers[isJavaScript ? 'javascript' : language] ?? []
  return list.find(({ opens }) => opens.test(callee.slice(-200)))
}

/** `Path(mkdtemp())` opens the same as `mkdtemp()`. */
function openingCall(call: Node): Node | undefined {
  if (!isCall(call)) return undefined
  const { name, args } = readCall(call)
  return name === 'Path' && args[0] && isCall(args[0]) ? args[0] : call
}

/** Whether the language closes a resource, or its function cleans up. */
function isManaged(node: Node, fn: Node): boolean {
  const statement = statementAround(node)
  if (/^(?:await\s+)?using\b/.test(statement.text) || /resource/.test(node.type)) return true
  if (/['"]php:\/\/(?:memory|temp)/.test(statement.text)) return true
  const before = fn.text.slice(0, node.startIndex - fn.startIndex)
  return /\btry\s*\(\s*[^)]*$/.test(before.slice(-200)) || /^(?:field|const)/.test(statement.type)
}

/** Whether a resource is returned, stored or passed to code that may close it. */
function isKept(name: string, rest: string, { language }: ParsedFile): boolean {
  const own = `(?<![\\w$.])${RegExp.escape(name)}`
  const passed = [
    ...rest.matchAll(
      new RegExp(`([\\w.:>-]*)\\(\\s*(?:[^()\\n]{0,80},\\s*)?&?${own}\\s*[,)]`, 'g'),
    ),
  ]
  const isPassed = passed.some(
    ([, callee = '']) => !readers.test(callee) && !/(?:close|rmtree|release)\w*$/i.test(callee),
  )
  // A page keeps a connection whose events it handles as long as it is open.
  if (new RegExp(`${own}\\.on(?:message|open|close)\\s*=`).test(rest)) return true
  const stored = new RegExp(
    `\\breturn\\b[^;\\n]*${own}\\b(?!\\s*[.(?\\[]|->|&\\.)|[=:]\\s*${own}\\s*(?:[;,)}\\]\\n]|$)|\\byield ${own}|[{\\[,]\\s*${own}\\s*[},\\]]|=>\\s*${own}\\b(?!\\s*[.(?])|<<\\s*${own}|\\b(?:with|using)\\s*\\(?\\s*${own}|closing\\(${own}|${own}\\.use\\b|[\\w)]\\(\\s*(?:[^()]{0,200},\\s*)?${own}\\.body\\??\\.\\w+\\(\\)\\s*,?\\s*\\)|${own}\\??\\.(?:let|apply|also)\\b`,
  )
  const isLast = language === 'ruby' && new RegExp(`\\n\\s*${own}\\s*\\n?\\s*end`).test(rest)
  return isPassed || stored.test(rest) || isLast
}

function neverClosedHit(node: Node, name: string, { remedy }: Opener): Hit {
  return {
    at: firstLine(node),
    title: `Resource leak: ${quoteCode(name)} is opened here and never closed in this function`,
    body:
      `When this runs often, or fails halfway, ${quoteCode(name)} stays open, and the process ` +
      `runs out of file descriptors or connections. ${remedy}`,
  }
}

function goodPathHit(node: Node, name: string, failing: Node, { remedy }: Opener): Hit {
  return {
    at: firstLine(node),
    title: `Resource leak: ${quoteCode(name)} stays open if line ${lineOf(failing)} fails`,
    body:
      `When ${quoteCode(failing.text)} fails, nothing closes ${quoteCode(name)}. If that happens ` +
      `often, the process runs out of files or connections. ${remedy}`,
    evidence: [{ line: lineOf(failing), note: 'this may fail' }],
  }
}

const inlineOpens: Readonly<Record<string, RegExp>> = {
  java: /^Files\.(?:lines|list|walk|find|newBufferedReader|newInputStream)$/,
  kotlin:
    /(?<!\b(?:input|\w*[sS]tream|\w*Bytes\(\)|\w*[sS]cope))\.(?:bufferedReader|inputStream|reader)$|^Files\.(?:lines|list|walk)$|newCall\(.*\)\.execute$/,
  'c-sharp': /^(?:\w+\.)*(?:StreamReader|FileStream)$|^File\.(?:Open\w*)$/,
  python: /^(?:urlopen|urllib\.request\.urlopen)$/,
  ruby: /^File\.(?:open|new)$/,
}

/** `Files.lines(path).count()`, where nothing can close what is opened. */
function checkInline(call: Node, file: ParsedFile): Hit | undefined {
  const opens = inlineOpens[file.language]
  if (!opens?.test(readCall(call).callee.slice(-200)) || isUnwatched(file.path)) return undefined
  if (!isReceiver(call) || field(call, 'block') || isReturnedStream(call)) return undefined
  const next = textOf(call.parent).slice(call.text.length)
  if (/^\s*[?&]?\.\s*(?:let|onClose|forEachLine|close\w*)\b/.test(next)) return undefined
  if (/\.(?:use|useLines|close)\b/.test(statementAround(call).text)) return undefined
  return {
    at: firstLine(call),
    title: `Resource leak: what ${quoteCode(call.text)} opens is never closed`,
    body:
      'When this runs, the file or connection stays open until the garbage collector finds it, ' +
      'and the process may run out of them. Close it, also when something fails.',
  }
}

/** Whether a member of what a call returns is used at once. */
function isReceiver({ id, parent }: Node): boolean {
  if (!parent) return false
  const isNavigated = parent.type === 'navigation_expression' && parent.namedChild(0)?.id === id
  return isNavigated || firstField(parent, ['object', 'expression', 'receiver'])?.id === id
}

/** Whether a function returns a stream that its caller closes. */
function isReturnedStream(call: Node): boolean {
  const statement = statementAround(call)
  const end = /\.(\w+)\s*(?:\([^()]*\)|\{[^}]*\})?\s*;?$/.exec(statement.text)?.[1] ?? ''
  const keeps =
    /^(?:map|filter|sorted|distinct|flatMap|peek|onClose|limit|skip|parallel|buffered|lineSequence)$/
  return /^return/.test(statement.type) && keeps.test(end)
}

/** The names of calls that release what other calls have acquired. */
const releases: Readonly<Record<string, string>> = {
  lock: 'unlock',
  acquire: 'release',
  Wait: 'Release',
  WaitAsync: 'Release',
  Enter: 'Exit',
  EnterWriteLock: 'ExitWriteLock',
  EnterReadLock: 'ExitReadLock',
  EnterUpgradeableReadLock: 'ExitUpgradeableReadLock',
  get: 'release',
  beginTransaction: 'commit',
  begin_transaction: 'commit',
  startTransaction: 'commitTransaction',
  BeginTransaction: 'Commit',
  begin: 'commit',
  fetch_add: 'fetch_sub',
}

/** `lock.lock()`, then calls that may fail, and then `lock.unlock()`. */
function checkPair(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, name } = readCall(call)
  const release = releases[name]
  const code = textOf(functionAround(call))
  if (!release || !receiver || code === '' || isUnwatched(file.path)) return undefined
  const isTransaction = /[cC]ommit/.test(release)
  if (isTransaction ? /roll_?back|abort/i.test(code) : !isOwnLock(name, receiver, file))
    return undefined
  const handler = isTransaction && findHandler(call, receiver, release, code)
  if (handler) return { ...pairHit(call, handler, true), at: firstLine(handler) }
  if (handled.test(code)) return undefined
  const failing = findBetween(call, receiver, release, file)
  return failing && pairHit(call, failing, isTransaction)
}

/** Whether a call acquires a lock in a language of which no other check knows the locks. */
function isOwnLock(name: string, { text }: Node, { language }: ParsedFile): boolean {
  if (/^(?:go|java|python)$/.test(language)) return false
  return !/^(?:acquire|get|Wait\w*)$/.test(name) || lockName.test(text)
}

const lockName = /lock|mutex|sem|gate|throttl|limit/i

/** The end of the handler of code that commits. */
function findHandler(call: Node, receiver: Node, release: string, code: string): Node | undefined {
  if (/\b(?:with|using|defer)\b/.test(code)) return undefined
  const ends = receiver.text
  const tried = statementsAfter(statementAround(call)).find(
    ({ type, text }) =>
      /^(?:try|begin)/.test(type) && text.includes(ends) && text.includes(release),
  )
  const handler = tried?.namedChildren.find(({ type }) => /^(?:catch|except|rescue)/.test(type))
  const body = handler && blockOf(handler)
  return body && statementsOf(body).at(-1)
}

/** A statement between a call and the one that releases, which may end the function. */
function findBetween(
  call: Node,
  receiver: Node,
  release: string,
  file: ParsedFile,
): Node | undefined {
  const later = statementsAfter(statementAround(call))
  const own = RegExp.escape(receiver.text)
  const closing = new RegExp(`^(?:await )?${own}(?:\\.|->)${release}(?:Async)?!?(?:\\(|;|$)`, 'm')
  const end = later.findIndex(
    ({ text, type }) => closing.test(text) && !/^(?:if|for|while|try)/.test(type),
  )
  return later.slice(0, Math.max(end, 0)).find((next) => mayStop(next, file))
}

function pairHit(call: Node, failing: Node, isTransaction: boolean): Hit {
  const opened = quoteCode(call.text)
  const when = `When ${quoteCode(failing.text)} fails, `
  return {
    at: firstLine(call),
    fallback: firstLine(failing),
    title: isTransaction
      ? `Open transaction: ${opened} isn't ended if line ${lineOf(failing)} fails`
      : `Missing unlock: the lock acquired by ${opened} may never be released`,
    body: isTransaction
      ? `${when}nothing rolls the transaction back: its locks are held, and later statements of ` +
        'the connection become part of it. Roll back in a handler.'
      : `${when}what was acquired stays so, and the next caller blocks forever. Release it in a ` +
        '`finally` block.',
    severity: 'moderate',
    confidence: 0.85,
    evidence: [{ line: lineOf(failing), note: 'this may fail' }],
  }
}

/** Whether a statement can end the function: by an error, or in Rust with `?`. */
function mayStop(statement: Node, { language }: ParsedFile): boolean {
  if (language === 'rust') return /\?\s*[;.)]|\?$/.test(statement.text)
  return hasCalls(statement)
}

/** `client.query('BEGIN')`, and then `client.query('COMMIT')` without a handler. */
function checkBegin(call: Node, file: ParsedFile): Hit | undefined {
  const { receiver, args, written } = readCall(call)
  const fn = functionAround(call)
  if (!receiver || !fn || !/^["'`](?:BEGIN|START TRANSACTION)\b/i.test(args[0]?.text ?? ''))
    return undefined
  const rest = fn.text.slice(call.endIndex - fn.startIndex)
  if (!/["'`]COMMIT\b/i.test(rest) || /rollback|finally/i.test(fn.text) || isUnwatched(file.path))
    return undefined
  return {
    at: firstLine(call),
    title: `Open transaction: ${quoteCode(call.text)} isn't ended if a later statement fails`,
    body:
      `When something fails before the \`COMMIT\`, ${quoteCode(written)} gets no \`ROLLBACK\`, ` +
      'and the locks are held. Roll back in a handler.',
    severity: 'moderate',
    confidence: 0.85,
  }
}

interface GoOpener {
  readonly opens: RegExp
  readonly closes: string
  readonly remedy: string
}

const goOpeners: readonly GoOpener[] = [
  {
    opens: /\.(?:Begin|BeginTx|Beginx|BeginTxx)\(/,
    closes: 'Rollback',
    remedy: 'defer $.Rollback()',
  },
  { opens: /^time\.NewTicker\(/, closes: 'Stop', remedy: 'defer $.Stop()' },
  {
    opens: /\.(?:Query|QueryContext|Queryx|QueryxContext)\(/,
    closes: 'Close',
    remedy: 'defer $.Close()',
  },
  {
    opens: /\.(?:Prepare|PrepareContext|Conn)\(|^\w+\.Open\(\)$|^(?:os\.CreateTemp|tls\.Dial)\(/,
    closes: 'Close',
    remedy: 'defer $.Close()',
  },
  {
    opens: /^(?:net\.Listen|gzip\.NewReader|zip\.OpenReader|sql\.Open)\(/,
    closes: 'Close',
    remedy: 'defer $.Close()',
  },
]

/** Go: what has no `defer` that closes it, reported where that belongs. */
function checkGoOpen(node: Node, file: ParsedFile): Hit | undefined {
  const binding = readVariable(node)
  const value = textOf(binding?.value).slice(0, 300)
  const opener = goOpeners.find(({ opens }) => opens.test(value))
  const fn = functionAround(node)
  if (!binding || !opener || !fn || isUnwatched(file.path)) return undefined
  const rest = fn.text.slice(node.endIndex - fn.startIndex)
  if (isKeptInGo(binding.name, rest, opener)) return undefined
  return goLeakHit(node, binding.name, opener)
}

function isKeptInGo(name: string, rest: string, { closes, opens }: GoOpener): boolean {
  const kept = new RegExp(
    `\\b${name}\\.${closes}\\b|[(,]\\s*&?${name}\\s*[,)]|\\breturn\\b[^\\n]*\\b${name}\\b(?!\\.)|[=:]\\s*&?${name}\\s*[,}\\n]|\\bgo func|\\bClose\\(${name}`,
  )
  if (name === '_' || kept.test(rest)) return true
  // A loop that never ends needs its ticker as long as the program runs.
  if (rest.includes(`range ${name}.C {`) && !/\b(?:return|break)\b/.test(rest)) return true
  // Clients of other protocols have methods of the same names.
  const used = new RegExp(`\\b${name}\\.(?:Next|Scan|Err|Exec|Query)\\w*\\(`)
  return /Query|Prepare/.test(opens.source) && !used.test(rest)
}

function goLeakHit(node: Node, name: string, { closes, remedy }: GoOpener): Hit {
  const [first, second] = statementsAfter(node)
  const isTest = /^if\b.{0,40}\berr\b/s.test(textOf(first))
  const at = (isTest ? second : first) ?? node
  return {
    at: firstLine(at),
    fallback: firstLine(node),
    title:
      `Resource leak: ${quoteCode(name)} is never ` +
      (closes === 'Rollback' ? 'rolled back' : closes === 'Stop' ? 'stopped' : 'closed'),
    body:
      `When the function returns early or fails, ${quoteCode(name)} stays open, and the process ` +
      `runs out of connections, files or timers. Add \`${remedy.replace('$', name)}\` here.`,
    evidence: [{ line: lineOf(node), note: 'opened here' }],
  }
}

/** Rust: a child process that nothing waits for stays as a zombie. */
function checkChild(statement: Node): Hit | undefined {
  if (
    !/\bCommand::new\(/.test(statement.text) ||
    !/\.spawn\(\)\s*(?:\?|\.unwrap\(\)|\.expect\([^)]*\))?;$/.test(statement.text)
  )
    return undefined
  return {
    at: firstLine(statement),
    title: 'Zombie process: nothing waits for the process that this starts',
    body:
      'When it ends, it stays in the table of processes until this program ends, and its exit ' +
      'status is lost. Keep the `Child`, and call `wait`.',
  }
}

/** Checks of resources that are opened. */
export const unreleased: readonly SyntaxCheck[] = [
  { nodes: bindingTypes, check: checkOpen },
  { nodes: callAndNewTypes, check: checkInline },
  { nodes: callAndNewTypes, check: checkBegin },
]

/** Checks of one language each. */
export const unreleasedOf = {
  go: [{ nodes: ['short_var_declaration', 'assignment_statement'], check: checkGoOpen }],
  rust: [{ nodes: ['expression_statement'], check: checkChild }],
} satisfies Readonly<Record<string, readonly SyntaxCheck[]>>

/** Checks of locks and transactions. */
export const unreleasedLocks: SyntaxCheck = { nodes: callAndNewTypes, check: checkPair }
