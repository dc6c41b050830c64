// Samples for the rules on JavaScript and TypeScript: a line that ends in ` ◀` must be reported, all others not.

/** Code that a rule must report on the marked lines and nowhere else, and code that no rule must report. */
export interface RuleSamples {
  readonly rule: string
  /** File name of the samples; its extension decides the language. */
  readonly file: string
  readonly fires: readonly string[]
  readonly silent: readonly string[]
}

export const scriptSamples: readonly RuleSamples[] = [
  {
    rule: 'unawaited-promise',
    file: 'src/mail.ts',
    fires: [
      `async function sendMail(to: string) { await post(to) }
export async function register(user: User) {
  await users.insert(user)
  sendMail(user.email) ◀
  return user
}`,
      `class Jobs {
  private async store(job: Job) { await this.db.insert(job) }
  async run(job: Job) {
    this.store(job) ◀
    await this.notify(job)
  }
}`,
      `import { rename, writeFile } from 'node:fs/promises'
export async function save(path: string, text: string) {
  writeFile(path + '.new', text) ◀
  await rename(path + '.new', path)
}`,
    ],
    silent: [
      `async function sendMail(to: string) { await post(to) }
export async function register(user: User) {
  await sendMail(user.email)
  void sendMail(user.other)
  sendMail(user.third).catch(report)
  const pending = sendMail(user.fourth)
  await pending
}`,
      `async function refresh() { await load() }
button.onclick = () => { refresh() }
export async function start() {
  // Fire and forget: the answer doesn't wait for the cache.
  refresh()
  // We shouldn't block the page for it:
  // what it shows comes from the cache.
  refresh()
}`,
      `async function track(line: string) { try { await append(line) } catch (error) { report(error) } }
export async function run() {
  track('started')
  await work()
}`,
      `async function log(line: string) { await append(line) }
export async function run(log: (line: string) => void) {
  log('started')
}`,
    ],
  },
  {
    rule: 'promise-in-condition',
    file: 'src/access.ts',
    fires: [
      `async function isAdmin(id: string) { return (await load(id)).admin }
export async function remove(id: string) {
  if (!isAdmin(id)) { ◀
    throw new Error('no')
  }
}`,
      `const canEdit = async (user: User) => (await roles(user)).includes('editor')
export async function edit(user: User, page: Page) {
  return page.open && canEdit(user) ? 'yes' : 'no' ◀
}`,
    ],
    silent: [
      `async function isAdmin(id: string) { return (await load(id)).admin }
export async function remove(id: string) {
  if (!(await isAdmin(id))) throw new Error('no')
  const pending = cached ? isAdmin(id) : undefined
  return pending
}`,
      `function isAdmin(user: User) { return user.admin }
export async function remove(user: User) {
  if (!isAdmin(user)) throw new Error('no')
}`,
    ],
  },
  {
    rule: 'async-callback',
    file: 'src/list.ts',
    fires: [
      `export async function notify(users: User[]) {
  users.forEach(async (user) => { ◀
    await send(user)
  })
}`,
      `export async function active(users: User[]) {
  return users.filter(async (user) => await isActive(user)) ◀
}`,
      `export async function store(items: Item[]) {
  await items.map(async (item) => { await save(item) }) ◀
}`,
      `function Page() {
  useEffect(async () => { ◀
    setItems(await load())
  }, [])
}`,
    ],
    silent: [
      `export async function store(items: Item[]) {
  await Promise.all(items.map(async (item) => { await save(item) }))
  for (const item of items) await save(item)
  items.forEach((item) => { mark(item) })
}`,
      `export async function read(stream: Readable, cursor: Cursor) {
  await stream.forEach(async (chunk) => { await save(chunk) })
  await cursor.filter(async (row) => await keep(row))
  return await store.find(async (row) => await keep(row))
}`,
    ],
  },
  {
    rule: 'return-without-await',
    file: 'src/retry.ts',
    fires: [
      `async function load(url: string) { return (await get(url)).json() }
export async function loadOrNothing(url: string) {
  try {
    return load(url) ◀
  } catch (error) {
    return fallback(error)
  }
}`,
      `class Client {
  async ask() { return await this.get('/') }
  async safe() {
    try { return this.ask() } catch (error) { return report(error) } ◀
  }
}`,
    ],
    silent: [
      `async function load(url: string) { return (await get(url)).json() }
export async function loadOrNothing(url: string) {
  try { return await load(url) } catch (error) { return fallback(error) }
}`,
      `async function load(url: string) { return (await get(url)).json() }
export async function loadAgain(url: string) {
  try { check(url) } catch (error) { return load('/fallback') }
  return load(url)
}`,
    ],
  },
  {
    rule: 'async-executor',
    file: 'src/wait.ts',
    fires: [
      `export const ready = new Promise(async (resolve) => { ◀
  resolve(await connect())
})`,
      `export function open() {
  return new Promise<Socket>(async function (resolve, reject) { ◀
    const socket = await connect()
    socket.on('open', () => resolve(socket))
  })
}`,
    ],
    silent: [
      `export const ready = new Promise((resolve) => { setTimeout(resolve, 10) })`,
      `export const ready = new Promise(async (resolve, reject) => {
  try { resolve(await connect()) } catch (error) { reject(error) }
})`,
    ],
  },
  {
    rule: 'lost-update',
    file: 'src/counter.ts',
    fires: [
      `let total = 0
export async function add(id: string) {
  total += await price(id) ◀
}`,
      `export async function sum(ids: string[]) {
  let total = 0
  await Promise.all(ids.map(async (id) => {
    total += await price(id) ◀
  }))
  return total
}`,
      `class Meter {
  sum = 0
  async read() { this.sum += await this.sensor.value() } ◀
}`,
      `export async function hit(key: string) {
  const count = await store.get(key)
  await store.set(key, count + 1) ◀
}`,
      `export async function pay(id: string, amount: number) {
  const account = await db.account.findUnique({ where: { id } })
  await db.account.update({ where: { id }, data: { balance: account.balance - amount } }) ◀
}`,
      `export async function visit(id: string) {
  const page = await Page.findById(id)
  page.views += 1 ◀
  await page.save()
}`,
    ],
    silent: [
      `export async function sum(ids: string[]) {
  let total = 0
  for (const id of ids) total += await price(id)
  return total
}`,
      `export async function purge() {
  let total = 0
  await inBatches(async (rows) => { total += await remove(rows) })
  return total
}`,
      `export async function pay(id: string, amount: number) {
  await db.transaction(async (tx) => {
    const account = await tx.account.findUnique({ where: { id } })
    await tx.account.update({ where: { id }, data: { balance: account.balance - amount } })
  })
}`,
      `export async function hit(key: string) {
  const limit = await settings.get('limit')
  await store.set(key, limit + 1)
  await store.increment(key, 1)
}`,
    ],
  },
  {
    rule: 'date-identity',
    file: 'src/dates.ts',
    fires: [
      `export const isToday = (day: string) => new Date(day) === new Date() ◀`,
      `export function same(a: Date, b: Date) {
  return a === b ◀
}`,
      `interface Event { startsAt: Date }
export const together = (one: Event, other: Event) => one.startsAt !== other.startsAt ◀`,
    ],
    silent: [
      `export function same(a: Date, b: Date) {
  return a.getTime() === b.getTime() || a < b || +a === +b
}`,
      `interface Event { startsAt: string }
export const together = (one: Event, other: Event) => one.startsAt !== other.startsAt
export const missing = (a: Date | null) => a === null`,
    ],
  },
  {
    rule: 'literal-identity',
    file: 'src/empty.ts',
    fires: [
      `export const isEmpty = (list: string[]) => list === [] ◀`,
      `if (options == {}) { reset() } ◀`,
    ],
    silent: [
      `export const isEmpty = (list: string[]) => list.length === 0`,
      `const list = given ?? []; if (list === other) go()`,
    ],
  },
  {
    rule: 'nan-comparison',
    file: 'src/numbers.ts',
    fires: [`if (value === NaN) fail() ◀`, `const isBad = Number.NaN != parsed ◀`],
    silent: [
      `if (Number.isNaN(value)) fail()`,
      `const isNan = value !== value; const text = kind === 'NaN'`,
    ],
  },
  {
    rule: 'invalid-typeof',
    file: 'src/kinds.ts',
    fires: [
      `if (typeof value === 'undefinde') fail() ◀`,
      `const isList = typeof value == 'array' ◀`,
    ],
    silent: [
      `if (typeof value === 'undefined') fail()`,
      `const isSame = typeof value === typeof other && typeof other === kind`,
    ],
  },
  {
    rule: 'negated-operand',
    file: 'src/tests.ts',
    fires: [`if (!key in map) add(key) ◀`, `if (!error instanceof TypeError) throw error ◀`],
    silent: [
      `if (!(key in map)) add(key)`,
      `for (const key in map) use(key)\nif ((!key) in flags) use(key)`,
    ],
  },
  {
    rule: 'constant-condition',
    file: 'src/roles.ts',
    fires: [
      `if (user.role !== 'admin' || user.role !== 'owner') throw new Error('no') ◀`,
      `const isBoth = kind === 1 && kind === 2 ◀`,
      `if (role === Role.Admin && role === Role.Owner) allow() ◀`,
      `if (role === 'admin' || 'owner') { ◀
  allow()
}`,
      `if (value !== null || value !== undefined) use(value) ◀`,
    ],
    silent: [
      `if (user.role !== 'admin' && user.role !== 'owner') throw new Error('no')`,
      `if (kind === 1 || kind === 2 || other !== 3 || third !== 4) go()`,
      `const name = given === 'x' || 'default'
if (value != null || value != undefined) use(value)
if (next() !== 'a' || next() !== 'b') go()`,
    ],
  },
  {
    rule: 'assignment-in-condition',
    file: 'src/assign.js',
    fires: [`if (user.role = 'admin') allow() ◀`, `if (a = b) { go() } ◀`],
    silent: [
      `if (user.role === 'admin') allow()`,
      `if ((match = pattern.exec(text))) use(match)\nwhile ((line = next())) use(line)`,
    ],
  },
  {
    rule: 'duplicate-operand',
    file: 'src/twice.ts',
    fires: [`if (order.paid && order.paid) ship(order) ◀`, `const isSame = left.id === left.id ◀`],
    silent: [
      `if (order.paid && order.packed) ship(order)
const all = { ...(more && more) }
if (total == total) go()`,
      `const isNan = value !== value; if (next() && next()) go(); const four = 2 * 2 == 4`,
    ],
  },
  {
    rule: 'duplicate-branch',
    file: 'src/branches.ts',
    fires: [
      `if (kind === 'a') one()
else if (kind === 'b') two()
else if (kind === 'a') three() ◀`,
      `switch (kind) {
  case 'a': one(); break
  case 'b': two(); break
  case 'a': three(); break ◀
}`,
    ],
    silent: [
      `if (kind === 'a') one()
else if (kind === 'b') two()
else if (kind === 'c') three()
if (kind === 'a') four()`,
      `if (next()) one()
else if (next()) two()
switch (kind) { case 'a': break; case 'b': break }`,
    ],
  },
  {
    rule: 'off-by-one',
    file: 'src/loops.ts',
    fires: [
      `for (let i = 0; i <= list.length; i++) { ◀
  use(list[i])
}`,
      `export const last = (list: string[]) => list[list.length] ◀`,
    ],
    silent: [
      `for (let i = 0; i < list.length; i++) use(list[i])
for (let i = 1; i <= list.length; i++) use(list[i - 1])
for (let i = 0; i <= list.length; i++) { if (i === list.length) end(); else use(list[i]) }
for (let i = 0; i <= list.length; i++) use(list[i] ?? end)`,
      `list[list.length] = item
export const last = (list: string[]) => list[list.length - 1]`,
    ],
  },
  {
    rule: 'callback-without-return',
    file: 'src/map.ts',
    fires: [
      `const names = users.map((user) => { user.name }) ◀`,
      `const old = users.filter((user) => { ◀
  user.age > 60
})`,
    ],
    silent: [
      `const names = users.map((user) => { return user.name })
const ages = users.map((user) => user.age)`,
      `users.map((user) => { save(user) })
const never = users.some(() => { throw new Error('x') })`,
    ],
  },
  {
    rule: 'ignored-result',
    file: 'src/texts.ts',
    fires: [
      `name.trim() ◀\nsave(name)`,
      `export function all(list: string[], more: string[]) {\n  list.concat(more) ◀\n  return list\n}`,
    ],
    silent: [
      `const short = name.trim()\nsave(name.trim())`,
      `list.push(item); list.sort(); router.replace('/x'); Effect.concat(a, b)`,
    ],
  },
  {
    rule: 'time-without-zone',
    file: 'src/when.ts',
    fires: [
      `export const launch = new Date('2026-03-01 09:00') ◀`,
      `const end = new Date("2026-03-01T09:00:00") ◀`,
    ],
    silent: [
      `export const launch = new Date('2026-03-01T09:00:00Z')`,
      `const day = new Date('2026-03-01'); const t = new Date(text); const u = new Date('2026-03-01T09:00+02:00')`,
    ],
  },
  {
    rule: 'duplicate-key',
    file: 'src/table.ts',
    fires: [
      `const limits = {
  free: 1,
  team: 5,
  free: 2, ◀
}`,
      `send({ 'content-type': 'text/plain', accept: '*/*', 'content-type': 'text/html' }) ◀`,
    ],
    silent: [
      `const limits = { free: 1, ...more, free: 2 }`,
      `const x = { a: 1, b: { a: 2 }, [a]: 3, get c() { return 1 }, set c(v) {} }`,
    ],
  },
  {
    rule: 'swallowed-error',
    file: 'src/errors.ts',
    fires: [
      `export async function pay(order: Order) {
  try {
    await charge(order)
  } catch (error) {} ◀
}`,
      `export async function store(order: Order) {
  try { await db.insert(order) } catch { } ◀
}`,
    ],
    silent: [
      `try { await charge(order) } catch (error) { report(error) }
try { await charge(order) } catch (error) {
  // Paid already: the next run sees it.
}`,
      `try { await unlink(path) } catch {}
function parse(text: string) { try { return JSON.parse(text) } catch (error) {} }
try { old = JSON.parse(text) } catch {}`,
    ],
  },
  {
    rule: 'return-in-finally',
    file: 'src/finally.ts',
    fires: [
      `function f() {
  try { go() } finally {
    return 1 ◀
  }
}`,
      `const f = () => { try { return go() } catch (e) { throw e } finally { if (x) { return null } } } ◀`,
    ],
    silent: [
      `function f() { try { return go() } finally { close() } }`,
      `function f() { try { go() } finally { list.forEach((x) => { return close(x) }) } }`,
    ],
  },
  {
    rule: 'sql-injection',
    file: 'src/store.ts',
    fires: [
      `export const byName = (name: string) => db.query(\`SELECT * FROM users WHERE name = '\${name}'\`) ◀`,
      `app.get('/users', (req, res) => {
  const sql = 'select id from users where email = "' + req.query.email + '"' ◀
  db.execute(sql, done)
})`,
      `export const sorted = (req: Request) => db.raw(\`SELECT id FROM users ORDER BY \${req.query.sort}\`) ◀`,
      `await prisma.$queryRawUnsafe(\`SELECT * FROM t WHERE id IN (\${ids})\`) ◀`,
    ],
    silent: [
      `export const byName = (name: string) => db.query('SELECT * FROM users WHERE name = $1', [name])
export const byTag = (name: string) => sql\`SELECT * FROM users WHERE name = \${name}\`
await prisma.$queryRaw\`SELECT * FROM users WHERE name = \${name}\``,
      `const TABLE = 'users'
export const all = (id: number) => db.query(\`SELECT * FROM \${TABLE} WHERE id = \${id}\`)
export const some = (ids: string[]) => db.query(\`SELECT * FROM users WHERE id IN (\${ids.map(() => '?').join(', ')})\`, ids)
log.query(\`select one from \${list}\`)
db.query(\`SELECT * FROM users WHERE name = \${db.escape(name)}\`)`,
    ],
  },
  {
    rule: 'command-injection',
    file: 'src/run.ts',
    fires: [
      `import { exec } from 'node:child_process'
export const clone = (url: string) => exec(\`git clone \${url}\`) ◀`,
      `import * as cp from 'child_process'
app.post('/ping', (req, res) => {
  cp.execSync('ping -c 1 ' + req.body.host) ◀
})`,
    ],
    silent: [
      `import { exec, execFile } from 'node:child_process'
execFile('git', ['clone', url])
exec('git status')
const match = /x/.exec(\`a\${b}\`)
db.exec(\`a \${b}\`)`,
      `import { exec } from 'node:child_process'
const COMMAND = 'ls'
const finder = isWindows ? 'where' : 'which'
for (const tool of TOOLS) exec(\`\${finder} \${tool}\`)
exec(\`\${COMMAND} -l\`)
exec(\`kill \${Number(pid)}\`)
exec(\`ls \${shellQuote(path)}\`)`,
    ],
  },
  {
    rule: 'code-injection',
    file: 'src/formula.ts',
    fires: [
      `export const compute = (formula: string) => eval(formula) ◀`,
      `const f = new Function('x', \`return \${body}\`) ◀`,
    ],
    silent: [
      `eval('1 + 1')\nconst tree = parser.eval(formula)`,
      `const f = new Function('return this')\nconst n = Number(text)`,
    ],
  },
  {
    rule: 'html-injection',
    file: 'src/view.tsx',
    fires: [
      `list.innerHTML = \`<li>\${comment.body}</li>\` ◀`,
      `export const Post = ({ html }: Props) => <div dangerouslySetInnerHTML={{ __html: html }} /> ◀`,
      `panel.innerHTML = new URLSearchParams(location.search).get('q') ◀`,
    ],
    silent: [
      `list.innerHTML = ''
list.innerHTML = '<li>none</li>'
list.textContent = comment.body
count.innerHTML = \`<b>\${list.length}</b>\``,
      `export const Post = ({ html }: Props) => <div dangerouslySetInnerHTML={{ __html: DOMPurify.sanitize(html) }} />
list.innerHTML = escapeHtml(comment.body)
export const Icon = ({ icon }: Props) => <i>{icon && icon}</i>`,
    ],
  },
  {
    rule: 'path-traversal',
    file: 'src/files.ts',
    fires: [
      `app.get('/files/:name', (req, res) => {
  res.sendFile(path.join(root, req.params.name)) ◀
})`,
      `app.get('/read', async (req, res) => {
  const { file } = req.query
  res.send(await readFile(file)) ◀
})`,
    ],
    silent: [
      `app.get('/files/:name', (req, res) => {
  const full = path.resolve(root, req.params.name)
  if (!full.startsWith(root + path.sep)) return res.status(400).end()
  res.sendFile(full)
})`,
      `app.get('/files/:name', (req, res) => {
  res.sendFile(path.join(root, path.basename(req.params.name)))
})
const full = path.join(root, name)
const EXTENSION = '.request.json'
const file = path.join(root, \`a\${EXTENSION}\`)
parts.join(req.query.separator)`,
    ],
  },
  {
    rule: 'insecure-random',
    file: 'src/token.ts',
    fires: [
      `const resetToken = Math.random().toString(36).slice(2) ◀`,
      `export function createSessionId() {
  return String(Math.random()) ◀
}`,
    ],
    silent: [
      `const resetToken = randomBytes(32).toString('hex')\nconst delay = Math.random() * 100`,
      `const item = items[Math.floor(Math.random() * items.length)]\nconst key = Math.random()`,
    ],
  },
  {
    rule: 'tls-verification-off',
    file: 'src/tls.ts',
    fires: [
      `const agent = new Agent({ rejectUnauthorized: false }) ◀`,
      `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0' ◀`,
    ],
    silent: [
      `const agent = new Agent({ rejectUnauthorized: true })`,
      `const agent = new Agent({ rejectUnauthorized: !isLocal, ca })`,
    ],
  },
  {
    rule: 'weak-password-hash',
    file: 'src/hash.ts',
    fires: [
      `const stored = createHash('md5').update(password).digest('hex') ◀`,
      `user.hash = crypto.createHash('sha1').update(salt + user.password).digest('hex') ◀`,
    ],
    silent: [
      `const stored = await argon2.hash(password)`,
      `const etag = createHash('md5').update(body).digest('hex')`,
    ],
  },
  {
    rule: 'breakpoint',
    file: 'src/stop.ts',
    fires: ['  debugger ◀', 'function f() {\n  debugger; ◀\n}'],
    silent: [`import debuggerModule from 'x'`, `const word = 'debugger'`],
  },
  {
    rule: 'focused-test',
    file: 'test/a.test.ts',
    fires: [`describe.only('orders', () => {}) ◀`, `  fit('works', () => {}) ◀`],
    silent: [
      `describe('orders', () => { it('works', () => {}) })`,
      `fit(curve, points)\nit.skip('x', () => {})`,
    ],
  },
  {
    rule: 'conflict-marker',
    file: 'src/merged.ts',
    fires: [
      '<<<<<<< HEAD ◀\nconst a = 1\n=======\nconst a = 2\n>>>>>>> other',
      'const x = 1\n<<<<<<< ours ◀',
    ],
    silent: ['const a = 1 << 2', '// =======\n<<<<<<< SEARCH'],
  },
]
