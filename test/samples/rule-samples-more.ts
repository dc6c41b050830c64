// Samples for the rules on control flow, precedence, sharing, locks, times, texts, calls and the network, in all languages.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what the rules look for looks like it.
import type { RuleSamples } from './rule-samples-script.ts'

export const moreSamples: readonly RuleSamples[] = [
  {
    rule: 'missing-break',
    file: 'src/switch.ts',
    fires: [
      `switch (kind) {
  case 'a': ◀
    one()
  case 'b':
    two()
    break
}`,
      `switch (kind) {
  case 'a': { ◀
    if (x) return
    one()
  }
  default:
    two()
}`,
    ],
    silent: [
      `switch (kind) {
  case 'a':
  case 'b':
    two()
    break
  case 'c':
    one()
    // falls through
  case 'd':
    if (x) return 1
    else throw new Error('x')
  default:
    two()
}`,
      `switch (kind) {
  case 'a':
    process.exit(1)
  case 'b':
    while (true) step()
  case 'c':
    return two()
}`,
    ],
  },
  {
    rule: 'missing-break',
    file: 'src/Switch.java',
    fires: [
      'class A { void f(int kind) {\n  switch (kind) {\n    case 1: one(); ◀\n    case 2: two(); break;\n  }\n} }',
      'class A { void f(int kind) {\n  switch (kind) {\n    case 1: ◀\n      one();\n    default:\n      two();\n  }\n} }',
    ],
    silent: [
      'class A { void f(int kind) { switch (kind) { case 1: case 2: two(); break; case 3: return; default: x(); } } }',
      'class A { int f(int kind) { return switch (kind) { case 1 -> 2; default -> 3; }; } }',
    ],
  },
  {
    rule: 'unreachable-code',
    file: 'src/reach.ts',
    fires: [
      'function f() {\n  return 1\n  stop() ◀\n}',
      'function f() {\n  return\n    compute(1) ◀\n}',
      'for (const a of b) {\n  continue\n  use(a) ◀\n}',
    ],
    silent: [
      'function f() {\n  return g()\n  function g() { return 1 }\n}',
      'function f(x: number) {\n  if (x) return 1\n  stop()\n  switch (x) { case 1: return 2; break; default: stop() }\n}',
    ],
  },
  {
    rule: 'unreachable-code',
    file: 'app/reach.py',
    fires: [
      'def f():\n    return 1\n    stop() ◀',
      'def f(x):\n    if x:\n        raise Error(x)\n        stop() ◀\n    go()',
    ],
    silent: [
      'def f():\n    return\n    yield',
      'def f(x):\n    if x:\n        return 1\n    stop()',
    ],
  },
  {
    rule: 'self-assignment',
    file: 'src/self.ts',
    fires: [
      'class A {\n  constructor(name: string) {\n    this.name = this.name ◀\n  }\n}',
      'total = total ◀',
    ],
    silent: [
      'this.name = name\nlocation.href = location.href',
      'box.scrollTop = box.scrollTop\nlet a = a0\na += a',
    ],
  },
  {
    rule: 'self-assignment',
    file: 'app/self.py',
    fires: [
      'def f(limit):\n    limit = limit ◀\n    return limit',
      'def f(self):\n    self.name = self.name ◀',
    ],
    silent: [
      'class A:\n    x = x',
      'def f(limit):\n    limit = limit  # narrowed\n    return limit',
    ],
  },
  {
    rule: 'useless-fallback',
    file: 'src/fallback.ts',
    fires: [
      'const total = base + extra ?? 0 ◀',
      "const greeting = 'Hello ' + name || 'nobody' ◀",
      "const label = 'The door is ' + isOpen ? 'open' : 'shut' ◀",
    ],
    silent: [
      "const total = base + (extra ?? 0)\nconst greeting = 'Hello ' + (name || 'nobody')\nconst label = 'The door is ' + (isOpen ? 'open' : 'shut')",
      "const text = first + last || 'nobody'\nconst a = b?.c ?? d\nconst e = f + g ? 1 : 2",
    ],
  },
  {
    rule: 'chained-comparison',
    file: 'src/chain.js',
    fires: ['if (0 < x < 5) go() ◀', 'const isIn = low <= value <= high ◀'],
    silent: [
      'if (0 < x && x < 5) go()',
      'const isSame = (a < b) === (c < d)\nconst y = a < b ? c : d > e',
    ],
  },
  {
    rule: 'null-access',
    file: 'src/null.ts',
    fires: [
      'if (user == null && user.isAdmin) go() ◀',
      'const isOk = user !== undefined || user.isAdmin ◀',
      'if (!user) {\n  report(user.name) ◀\n}',
      'if (this.state === null) throw new Error(this.state.text) ◀',
    ],
    silent: [
      'if (user == null || user.isAdmin) go()\nif (user != null && user.isAdmin) go()\nif (!user) report(user?.name)',
      'if (!cache) {\n  cache = load()\n  use(cache.size)\n}\nif (!text) return text.length\nif (!client) {\n  connect()\n  client.start()\n}',
      'if (!user) { later(() => user.name) }\nif (!user || !user.name) go()',
    ],
  },
  {
    rule: 'null-access',
    file: 'app/null.py',
    fires: [
      'if user is None and user.admin: ◀\n    go()',
      'def f(user):\n    if user is None:\n        raise Error(user.name) ◀',
    ],
    silent: [
      'if user is None or user.admin:\n    go()\nok = user is not None and user.admin',
      'def f(user):\n    if user is None:\n        user = load()\n        use(user.name)\n    if not items:\n        items.append(1)',
    ],
  },
  {
    rule: 'null-access',
    file: 'src/null.go',
    fires: [
      'package src\n\nfunc f() string {\n\terr := g()\n\tif err == nil {\n\t\treturn err.Error() ◀\n\t}\n\treturn ""\n}',
      'package src\n\nvar ok = user == nil && user.Admin ◀',
    ],
    silent: [
      'package src\n\nfunc f() string {\n\terr := g()\n\tif err != nil {\n\t\treturn err.Error()\n\t}\n\treturn ""\n}',
      'package src\n\nvar ok = user == nil || user.Admin\n\nfunc f(t *T) {\n\tif t == nil {\n\t\tt.Reset()\n\t}\n}',
    ],
  },
  {
    rule: 'null-access',
    file: 'src/Null.java',
    fires: [
      'class A { void f(User user) {\n  if (user == null && user.isAdmin()) go(); ◀\n} }',
      'class A { void f(User user) {\n  if (user == null) {\n    log(user.name()); ◀\n  }\n} }',
    ],
    silent: [
      'class A { void f(User user) { if (user == null || user.isAdmin()) go(); } }',
      'class A { void f(User user) { if (user == null) { user = load(); user.save(); } } }',
    ],
  },
  {
    rule: 'index-as-truth',
    file: 'src/index.ts',
    fires: [
      "if (name.indexOf('x')) go() ◀",
      "const has = !list.findIndex((x) => x.id === id) ? 'first' : 'other' ◀",
    ],
    silent: [
      "if (name.indexOf('x') !== -1) go()\nconst at = name.indexOf('x')",
      "if (name.includes('x')) go()\nif (list.find((x) => x.id === id)) go()",
    ],
  },
  {
    rule: 'index-as-truth',
    file: 'app/index.py',
    fires: [
      'if name.find("x"):\n    go()'.replace(':\n', ': ◀\n'),
      'while not name.rfind("x"): ◀\n    go()',
    ],
    silent: [
      'if name.find("x") >= 0:\n    go()',
      'from bs4 import BeautifulSoup\nif soup.find("div"):\n    go()',
    ],
  },
  {
    rule: 'answer-without-return',
    file: 'src/handler.ts',
    fires: [
      `app.post('/pay', async (req, res) => {
  if (!req.user) {
    res.status(401).json({ error: 'no' }) ◀
  }
  await pay(req.user)
  res.json({ ok: true })
})`,
      `app.get('/x', (req, res) => {
  if (bad) res.sendStatus(400) ◀
  return res.send('x')
})`,
    ],
    silent: [
      `app.post('/pay', async (req, res) => {
  if (!req.user) {
    return res.status(401).json({ error: 'no' })
  }
  res.json({ ok: true })
})`,
      `app.post('/pay', async (req, res) => {
  if (!req.user) {
    res.status(401).json({ error: 'no' })
    return
  }
  if (req.query.a) {
    res.json({ a: 1 })
  } else {
    res.json({ b: 1 })
  }
})`,
    ],
  },
  {
    rule: 'answer-without-return',
    file: 'web/handler.go',
    fires: [
      'package web\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tif err := check(r); err != nil {\n\t\thttp.Error(w, "no", 400) ◀\n\t}\n\twork(w)\n}',
      'package web\n\nfunc f(c *gin.Context) {\n\tif bad {\n\t\tc.AbortWithStatusJSON(400, x) ◀\n\t}\n\twork(c)\n}',
    ],
    silent: [
      'package web\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tif err := check(r); err != nil {\n\t\thttp.Error(w, "no", 400)\n\t\treturn\n\t}\n\twork(w)\n}',
      'package web\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\twork(w)\n\tif bad {\n\t\thttp.Error(w, "no", 400)\n\t}\n}',
    ],
  },
  {
    rule: 'open-redirect',
    file: 'src/login.ts',
    fires: [
      "app.get('/login', (req, res) => {\n  res.redirect(req.query.next) ◀\n})",
      "app.get('/login', (req, res) => {\n  const { next } = req.query\n  return res.redirect(302, next) ◀\n})",
    ],
    silent: [
      "app.get('/login', (req, res) => {\n  res.redirect('/home')\n  res.redirect(`/login?next=${req.query.next}`)\n})",
      "app.get('/login', (req, res) => {\n  if (!isAllowed(req.query.next)) return\n  res.redirect(req.query.next)\n})",
    ],
  },
  {
    rule: 'request-forgery',
    file: 'app/proxy.py',
    fires: [
      'def f(request):\n    return requests.get(request.args["url"], timeout=5) ◀',
      'def f(request):\n    url = request.args.get("url")\n    return httpx.get(url) ◀',
    ],
    silent: [
      'def f(request):\n    return requests.get(f"https://api.acme.io/{request.args[\'id\']}", timeout=5)',
      'def f(request):\n    url = request.args.get("url")\n    if urlparse(url).hostname not in HOSTS:\n        abort(400)\n    return httpx.get(url)',
    ],
  },
  {
    rule: 'effect-without-cleanup',
    file: 'src/effect.tsx',
    fires: [
      `function A() {
  useEffect(() => {
    window.addEventListener('resize', onResize) ◀
  }, [])
}`,
      `function A() {
  useEffect(() => {
    if (!isOpen) return
    const timer = setInterval(tick, 1000) ◀
  }, [isOpen])
}`,
    ],
    silent: [
      `function A() {
  useEffect(() => {
    window.addEventListener('resize', onResize)
    return () => window.removeEventListener('resize', onResize)
  }, [])
}`,
      `function A() {
  useEffect(() => {
    window.addEventListener('load', onLoad, { once: true })
    setTimeout(tick, 10)
  }, [])
}`,
    ],
  },
  {
    rule: 'mutated-state',
    file: 'src/state.tsx',
    fires: [
      `function A() {
  const [items, setItems] = useState<string[]>([])
  const add = (item: string) => {
    items.push(item) ◀
    setItems(items)
  }
}`,
      `function A() {
  const [seen, setSeen] = React.useState(new Set())
  seen.add(1) ◀
}`,
    ],
    silent: [
      `function A() {
  const [items, setItems] = useState<string[]>([])
  const add = (item: string) => setItems([...items, item])
  const sorted = [...items].sort()
}`,
      `function A({ items }: Props) {
  const list = []
  list.push(1)
  setItems((items) => { items.push(1); return items })
}`,
    ],
  },
  {
    rule: 'shared-element',
    file: 'src/grid.ts',
    fires: [
      'const grid = new Array(3).fill([]) ◀\ngrid[0].push(1)',
      'function f() {\n  const rows = Array(3).fill({}) ◀\n  rows[1].name = 1\n  return rows\n}',
    ],
    silent: [
      'const grid = new Array(3).fill(0)\ngrid[0] = 1\nconst rows = new Array(3).fill([]).map(() => [])',
      'const rows = new Array(3).fill({ kind: 1 })\nuse(rows[0].kind === 1)',
    ],
  },
  {
    rule: 'shared-element',
    file: 'app/grid.py',
    fires: [
      'grid = [[0] * 3] * 3 ◀\ngrid[0][1] = 1',
      'def f(keys):\n    found = dict.fromkeys(keys, []) ◀\n    found["a"].append(1)\n    return found',
    ],
    silent: [
      'row = [0] * 3\nrow[0] = 1\ngrid = [[0] * 3 for _ in range(3)]\ngrid[0][1] = 1',
      'names = [[]] * 3\nprint(names)',
    ],
  },
  {
    rule: 'shared-class-attribute',
    file: 'app/cart.py',
    fires: [
      'class Cart:\n    items = [] ◀\n\n    def add(self, item):\n        self.items.append(item)',
      'class Store:\n    rows = {} ◀\n\n    def put(self, key, row):\n        self.rows[key] = row',
    ],
    silent: [
      'class Cart:\n    items = []\n\n    def __init__(self):\n        self.items = []\n\n    def add(self, item):\n        self.items.append(item)',
      'class Cart(BaseModel):\n    items: list = []\n    KINDS = []\n\n    def add(self, item):\n        self.items.append(item)\n        self.KINDS.append(item)',
    ],
  },
  {
    rule: 'default-made-once',
    file: 'app/once.py',
    fires: [
      'def log(text, at=datetime.now(timezone.utc)): ◀\n    print(at, text)',
      'class A(Model):\n    id = Column(String, default=uuid.uuid4()) ◀',
    ],
    silent: [
      'def log(text, at=None):\n    at = at or datetime.now(timezone.utc)',
      'class A(Model):\n    id = Column(String, default=uuid.uuid4)\nrow = make(default=time.time())',
    ],
  },
  {
    rule: 'captured-loop-variable',
    file: 'app/capture.py',
    fires: [
      'for name in names:\n    handlers.append(lambda: run(name)) ◀',
      'for key, value in table.items():\n    callbacks[key] = lambda x: x + value ◀',
    ],
    silent: [
      'for name in names:\n    handlers.append(lambda name=name: run(name))',
      'for group in groups:\n    group.sort(key=lambda x: order(group, x))\n    found = filter(lambda x: x in group, items)',
    ],
  },
  {
    rule: 'captured-loop-variable',
    file: 'src/capture.js',
    fires: [
      'for (var i = 0; i < 3; i++) {\n  setTimeout(() => show(i), 10) ◀\n}',
      "for (var key in table) {\n  buttons[key].addEventListener('click', function () { open(key) }) ◀\n}",
    ],
    silent: [
      'for (let i = 0; i < 3; i++) {\n  setTimeout(() => show(i), 10)\n}',
      'for (var i = 0; i < 3; i++) {\n  list.filter((x) => x > i)\n  setTimeout(() => show(1), 10)\n}',
    ],
  },
  {
    rule: 'write-to-copy',
    file: 'src/copy.go',
    fires: [
      'package src\n\nfunc f(items []Item) {\n\tfor _, item := range items {\n\t\titem.Name = "x" ◀\n\t}\n}',
      'package src\n\nfunc f(items []store.Item) {\n\tfor i, item := range items {\n\t\tif i > 0 {\n\t\t\titem.Last = true ◀\n\t\t}\n\t}\n}',
    ],
    silent: [
      'package src\n\nfunc f(items []*Item) {\n\tfor _, item := range items {\n\t\titem.Name = "x"\n\t}\n}',
      'package src\n\nfunc f(items []Item) {\n\tfor i, item := range items {\n\t\titem.Name = "x"\n\t\titems[i] = item\n\t}\n\tfor i := range items {\n\t\titems[i].Name = "y"\n\t}\n}',
    ],
  },
  {
    rule: 'lock-not-released',
    file: 'src/lock.go',
    fires: [
      'package src\n\nfunc (s *S) f() int {\n\ts.mu.Lock()\n\tif s.closed {\n\t\treturn 0 ◀\n\t}\n\tn := s.n\n\ts.mu.Unlock()\n\treturn n\n}',
      'package src\n\nfunc f() error {\n\tmu.RLock()\n\tfor _, x := range xs {\n\t\tif x.bad {\n\t\t\treturn x.err ◀\n\t\t}\n\t}\n\tmu.RUnlock()\n\treturn nil\n}',
    ],
    silent: [
      'package src\n\nfunc (s *S) f() int {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\tif s.closed {\n\t\treturn 0\n\t}\n\treturn s.n\n}',
      'package src\n\nfunc (s *S) f() int {\n\ts.mu.Lock()\n\tif s.closed {\n\t\ts.mu.Unlock()\n\t\treturn 0\n\t}\n\tn := s.n\n\ts.mu.Unlock()\n\treturn n\n}',
    ],
  },
  {
    rule: 'lock-not-released',
    file: 'app/lock.py',
    fires: [
      'def f(self):\n    self.lock.acquire() ◀\n    self.store(1)\n    self.lock.release()',
      'def f(self):\n    self.lock.acquire() ◀\n    if self.closed:\n        return\n    self.n += count()\n    self.lock.release()',
    ],
    silent: [
      'def f(self):\n    with self.lock:\n        self.store(1)',
      'def f(self):\n    self.lock.acquire()\n    try:\n        self.store(1)\n    finally:\n        self.lock.release()\n    self.lock.acquire()\n    self.n = 1\n    self.lock.release()',
    ],
  },
  {
    rule: 'lock-by-value',
    file: 'src/value.go',
    fires: [
      'package src\n\nfunc work(wg sync.WaitGroup, n int) { ◀\n\tdefer wg.Done()\n}',
      'package src\n\nfunc add(mu sync.Mutex) { ◀\n\tmu.Lock()\n}',
    ],
    silent: [
      'package src\n\nfunc work(wg *sync.WaitGroup, n int) {\n\tdefer wg.Done()\n}',
      'package src\n\nfunc add(mu sync.Locker) {\n\tuse(mu)\n}',
    ],
  },
  {
    rule: 'late-wait-group-add',
    file: 'src/wait.go',
    fires: [
      'package src\n\nfunc f() {\n\tgo func() {\n\t\twg.Add(1) ◀\n\t\tdefer wg.Done()\n\t\twork()\n\t}()\n\twg.Wait()\n}',
      'package src\n\nfunc f() {\n\tfor range xs {\n\t\tgo func() {\n\t\t\ts.wg.Add(1) ◀\n\t\t\twork()\n\t\t\ts.wg.Done()\n\t\t}()\n\t}\n}',
    ],
    silent: [
      'package src\n\nfunc f() {\n\twg.Add(1)\n\tgo func() {\n\t\tdefer wg.Done()\n\t\twork()\n\t}()\n\twg.Wait()\n}',
      'package src\n\nfunc f() {\n\tgo func() {\n\t\tcount.Add(1)\n\t\twork()\n\t}()\n}',
    ],
  },
  {
    rule: 'time-without-zone',
    file: 'src/day.ts',
    fires: [
      'export const day = new Date(2026, 0, 1).toISOString().slice(0, 10) ◀',
      "function f(y: number, m: number) {\n  const first = new Date(y, m, 1)\n  return first.toISOString().split('T')[0] ◀\n}",
    ],
    silent: [
      'export const day = new Date(Date.UTC(2026, 0, 1)).toISOString().slice(0, 10)',
      'export const now = new Date().toISOString().slice(0, 10)\nconst at = new Date(2026, 0, 1).toISOString()',
    ],
  },
  {
    rule: 'time-without-zone',
    file: 'src/stamp.go',
    fires: [
      'package src\n\nvar stamp = time.Now().Format("2006-01-02T15:04:05Z") ◀',
      'package src\n\nfunc f() string {\n\treturn time.Now().Format("2006-01-02T15:04:05.000Z") ◀\n}',
    ],
    silent: [
      'package src\n\nvar stamp = time.Now().UTC().Format("2006-01-02T15:04:05Z")',
      'package src\n\nvar stamp = time.Now().Format("2006-01-02T15:04:05Z07:00")',
    ],
  },
  {
    rule: 'time-without-zone',
    file: 'app/stamp.py',
    fires: [
      'stamp = datetime.now().strftime("%Y-%m-%dT%H:%M:%SZ") ◀',
      'stamp = datetime.now().isoformat() + "Z" ◀',
      'stamp = f"{datetime.now().isoformat()}Z" ◀',
    ],
    silent: [
      'stamp = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")',
      'stamp = datetime.now().strftime("%Y-%m-%d %H:%M:%S")\nname = f"{datetime.now().isoformat()}.log"',
    ],
  },
  {
    rule: 'date-pattern',
    file: 'src/Pattern.java',
    fires: [
      'class A { DateTimeFormatter f = DateTimeFormatter.ofPattern("YYYY-MM-dd"); ◀\n}',
      'class A { void f() {\n  DateFormat f = new SimpleDateFormat("yyyy-MM-dd HH:MM"); ◀\n} }',
    ],
    silent: [
      'class A { DateTimeFormatter f = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm"); }',
      'class A { DateTimeFormatter f = DateTimeFormatter.ofPattern("YYYY-\'W\'ww"); }',
    ],
  },
  {
    rule: 'date-pattern',
    file: 'app/pattern.py',
    fires: ['day = at.strftime("%Y-%M-%d") ◀', 'hour = at.strftime("%H:%m") ◀'],
    silent: ['day = at.strftime("%Y-%m-%d %H:%M")', 'day = parse("%Y-%M-%d")'],
  },
  {
    rule: 'date-pattern',
    file: 'src/pattern.go',
    fires: [
      'package src\n\nvar day = time.Now().Format("YYYY-MM-DD") ◀',
      'package src\n\nvar day, err = time.Parse("yyyy-MM-dd", text) ◀',
    ],
    silent: [
      'package src\n\nvar day = time.Now().Format("2006-01-02")',
      'package src\n\nvar day = moment.Format("YYYY-MM-DD")',
    ],
  },
  {
    rule: 'duration-without-unit',
    file: 'src/duration.go',
    fires: [
      'package src\n\nfunc f() {\n\ttime.Sleep(100) ◀\n}',
      'package src\n\nvar client = http.Client{Timeout: 30} ◀',
      'package src\n\nfunc f(ctx context.Context) {\n\tctx, cancel := context.WithTimeout(ctx, 5) ◀\n\tdefer cancel()\n}',
    ],
    silent: [
      'package src\n\nfunc f() {\n\ttime.Sleep(100 * time.Millisecond)\n\ttime.Sleep(0)\n}',
      'package src\n\nvar client = http.Client{Timeout: 30 * time.Second}\nvar other = Options{Timeout: 30}',
    ],
  },
  {
    rule: 'format-arguments',
    file: 'src/format.go',
    fires: [
      'package src\n\nvar text = fmt.Sprintf("%s is %d", name) ◀',
      'package src\n\nfunc f() {\n\tfmt.Println("found %d", n) ◀\n\treturn\n}',
      'package src\n\nvar err = errors.New("no %s") ◀',
    ],
    silent: [
      'package src\n\nvar text = fmt.Sprintf("%s is %d%%", name, 5)\nvar more = fmt.Sprintf(format, a)\nvar all = fmt.Sprintf("%s %s", values...)',
      'package src\n\nfunc f() {\n\tfmt.Println("done: 100%")\n\tfmt.Printf("%*d", 5, n)\n}',
    ],
  },
  {
    rule: 'format-arguments',
    file: 'app/format.py',
    fires: [
      'def f():\n    logger.info("%s is %d", name) ◀',
      'text = "%s is %d" % (name,) ◀',
      'def f(name):\n    raise ValueError("no %s", name) ◀',
    ],
    silent: [
      'def f():\n    logger.info("%s is %d", name, 5)\n    logger.info("100%")\n    logger.info("%(a)s", {"a": 1})',
      'from loguru import logger\nlogger.info("{} is", name)\ntext = "%s" % name\nprint("a", b)',
    ],
  },
  {
    rule: 'format-arguments',
    file: 'src/Format.java',
    fires: [
      'class A { String f() {\n  return String.format("%s is %d", name); ◀\n} }'.replace(
        'name)',
        'name())',
      ),
      'class A { void f() {\n  log.info("{} is {}", name()); ◀\n} }',
    ],
    silent: [
      'class A { String f() { return String.format("%s is %d%n", name, 5); } }',
      'class A { void f() { log.info("{} is {}", name, 5); log.error("no {}", name, error); log.info("{} {}", values); } }',
    ],
  },
  {
    rule: 'missing-interpolation',
    file: 'src/message.ts',
    fires: [
      "export function f(name: string) {\n  throw new Error('There is no ${name}') ◀\n}",
      "const count = 1\nconsole.log('${count} found') ◀",
    ],
    silent: [
      'export function f(name: string) {\n  throw new Error(`There is no ${name}`)\n}',
      "export function f(name: string) {\n  console.log('Write ${HOME} in the file')\n  return render('${name}')\n}",
    ],
  },
  {
    rule: 'missing-interpolation',
    file: 'app/message.py',
    fires: [
      'def f(name):\n    raise ValueError("There is no {name}") ◀',
      'def f(name):\n    logger.warning("{name} is missing") ◀',
    ],
    silent: [
      'def f(name):\n    raise ValueError(f"There is no {name}")',
      'def f(name):\n    print("{other} is missing")\n    return render("{name}")\n    # done',
    ],
  },
  {
    rule: 'strip-characters',
    file: 'app/strip.py',
    fires: ['name = path.rstrip(".txt") ◀', 'host = url.lstrip("https://") ◀'],
    silent: [
      'name = path.removesuffix(".txt")',
      'name = path.strip("\\r\\n").strip("0123456789").strip("/")',
    ],
  },
  {
    rule: 'strip-characters',
    file: 'src/strip.go',
    fires: [
      'package src\n\nvar name = strings.TrimRight(path, ".json") ◀',
      'package src\n\nvar host = strings.TrimLeft(url, "https://") ◀',
    ],
    silent: [
      'package src\n\nvar name = strings.TrimSuffix(path, ".json")',
      'package src\n\nvar name = strings.Trim(path, "/ ")',
    ],
  },
  {
    rule: 'text-as-pattern',
    file: 'src/Split.java',
    fires: [
      'class A { String[] f(String x) {\n  return x.split("."); ◀\n} }',
      'class A { String f(String x) {\n  return x.replaceAll("|", ""); ◀\n} }',
    ],
    silent: [
      'class A { String[] f(String x) { return x.split("\\\\."); } }',
      'class A { String[] f(String x) { return x.split(","); } }',
    ],
  },
  {
    rule: 'tuple-without-comma',
    file: 'app/tuple.py',
    fires: ['if suffix in (".png"): ◀\n    go()', 'ok = kind not in ("a") ◀'],
    silent: ['if suffix in (".png",):\n    go()', 'ok = letter in ("a b c") or letter in "abc"'],
  },
  {
    rule: 'missing-comma',
    file: 'app/comma.py',
    fires: [
      'names = [\n    "ann",\n    "bob" ◀\n    "cy",\n    "dan",\n    "eve",\n]',
      'KINDS = {\n    "one",\n    "two",\n    "three",\n    "four" ◀\n    "five",\n}',
    ],
    silent: [
      'names = [\n    "ann",\n    "bob",\n    "cy",\n    "dan",\n]',
      'lines = [\n    "a",\n    "b",\n    "c",\n    "a long line that goes on "\n    "in the next one",\n]\nx = ["a" "b", "c", "d", "e"]\ny = ["alpha " "beta", "gamma", "delta"]',
    ],
  },
  {
    rule: 'stray-comma',
    file: 'app/stray.py',
    fires: ['def f(self, name):\n    self.name = name, ◀', 'limit = 5, ◀'],
    silent: ['pair = 1, 2\nfirst, = values\nargs = (name,)', 'limit = 5,  # a tuple\nargs = name,'],
  },
  {
    rule: 'stateful-pattern',
    file: 'src/pattern.ts',
    fires: [
      'const word = /\\w+/g\nexport const isWord = (text: string) => word.test(text) ◀',
      'const word = /a/gi\nexport function f(x: string) {\n  if (word.test(x)) return 1 ◀\n}',
    ],
    silent: [
      'const word = /\\w+/\nexport const isWord = (text: string) => word.test(text)',
      'const word = /\\w+/g\nexport function f(x: string) {\n  word.lastIndex = 0\n  return word.test(x)\n}\nexport function g(x: string) {\n  const own = /a/g\n  return own.test(x)\n}',
    ],
  },
  {
    rule: 'numeric-sort',
    file: 'src/sort.ts',
    fires: [
      'export function f(sizes: number[]) {\n  return sizes.sort() ◀\n}',
      'const sorted = [10, 9, 1].sort() ◀',
      'const all = texts.map(Number).toSorted() ◀',
    ],
    silent: [
      'export function f(sizes: number[]) {\n  return sizes.sort((a, b) => a - b)\n}',
      'export function f(names: string[]) {\n  return names.sort()\n}\nconst x = list.sort()',
    ],
  },
  {
    rule: 'boolean-comparator',
    file: 'src/order.ts',
    fires: [
      'list.sort((a, b) => a.size > b.size) ◀',
      'const x = list.toSorted(function (a, b) { return a < b }) ◀',
    ],
    silent: [
      'list.sort((a, b) => a.size - b.size)',
      'list.sort((a, b) => (a > b ? 1 : -1))\nlist.filter((a) => a > 1)',
    ],
  },
  {
    rule: 'mapped-function',
    file: 'src/mapped.ts',
    fires: ['const numbers = texts.map(parseInt) ◀', 'const rows = new Array(3).map(() => []) ◀'],
    silent: [
      'const numbers = texts.map((text) => parseInt(text, 10))',
      'const rows = new Array(3).fill(0).map(() => [])\nconst n = texts.map(Number)',
    ],
  },
  {
    rule: 'none-result',
    file: 'app/none.py',
    fires: [
      'def f(items: list):\n    return items.sort() ◀',
      'names = []\nnames = names.append("a") ◀',
    ],
    silent: [
      'def f(items: list):\n    items.sort()\n    return items',
      'def f(frame):\n    frame = frame.append(x)\n    return cursor.sort("a")',
    ],
  },
  {
    rule: 'inexact-decimal',
    file: 'app/money.py',
    fires: ['price = Decimal(0.1) ◀', 'rate = decimal.Decimal(1.19) ◀'],
    silent: ['price = Decimal("0.1")', 'price = Decimal(1) / Decimal(10)'],
  },
  {
    rule: 'inexact-decimal',
    file: 'src/Price.java',
    fires: [
      'class A { BigDecimal p = new BigDecimal(0.1); ◀\n}',
      'class A { void f() {\n  use(new BigDecimal(1.19)); ◀\n} }',
    ],
    silent: [
      'class A { BigDecimal p = new BigDecimal("0.1"); }',
      'class A { BigDecimal p = BigDecimal.valueOf(0.1); BigDecimal q = new BigDecimal(1); }',
    ],
  },
  {
    rule: 'environment-is-text',
    file: 'src/env.ts',
    fires: [
      'if (process.env.DEBUG === true) go() ◀',
      "const isOn = Boolean(process.env.DEBUG ?? 'false') ◀",
    ],
    silent: [
      "if (process.env.DEBUG === 'true') go()",
      'const isOn = Boolean(process.env.DEBUG)\nif (process.env.PORT == 80) go()',
    ],
  },
  {
    rule: 'environment-is-text',
    file: 'app/env.py',
    fires: [
      'debug = bool(os.getenv("DEBUG", "false")) ◀',
      'if os.environ["DEBUG"] == True: ◀\n    go()',
    ],
    silent: [
      'debug = os.getenv("DEBUG", "false") == "true"',
      'debug = bool(os.getenv("DEBUG"))\nif os.getenv("A", 1) == 1:\n    go()',
    ],
  },
  {
    rule: 'unchecked-optional',
    file: 'src/Find.java',
    fires: [
      'class A { User f() {\n  return users.stream().findFirst().get(); ◀\n} }',
      'class A { User f(long id) {\n  return store.findById(id).get(); ◀\n} }',
    ],
    silent: [
      'class A { User f(long id) { return store.findById(id).orElseThrow(); } }',
      'class A { User f(long id) { return cache.lookup(id).get(); } }',
    ],
  },
  {
    rule: 'request-without-timeout',
    file: 'app/request.py',
    fires: [
      'def f(url):\n    return requests.get(url, params={}) ◀',
      'def f(url):\n    with urllib.request.urlopen(url) as answer: ◀\n        return answer.read()',
    ],
    silent: [
      'def f(url):\n    return requests.get(url, timeout=5)',
      'def f(url, **options):\n    return requests.get(url, **options) or session.get(url) or httpx.get(url)',
    ],
  },
  {
    rule: 'task-not-kept',
    file: 'app/task.py',
    fires: [
      'async def f():\n    asyncio.create_task(work()) ◀',
      'async def f():\n    asyncio.ensure_future(work()) ◀',
    ],
    silent: [
      'async def f(tasks):\n    tasks.add(asyncio.create_task(work()))',
      'async def f():\n    task = asyncio.create_task(work())\n    await task\n    group.create_task(work())',
    ],
  },
  {
    rule: 'signature-timing',
    file: 'src/hook.ts',
    fires: [
      "if (createHmac('sha256', key).update(body).digest('hex') !== header) throw new Error('no') ◀",
      "const expected = crypto.createHmac('sha256', key).update(body).digest('hex')\nif (signature === expected) go() ◀",
    ],
    silent: [
      "const expected = createHmac('sha256', key).update(body).digest()\nif (timingSafeEqual(expected, given)) go()",
      "const etag = createHash('sha256').update(body).digest('hex')\nif (etag === header) go()",
    ],
  },
  {
    rule: 'signature-timing',
    file: 'app/hook.py',
    fires: [
      'ok = hmac.new(key, body, "sha256").hexdigest() == header ◀',
      'def f():\n    expected = hmac.new(key, body, "sha256").hexdigest()\n    return expected != header ◀',
    ],
    silent: [
      'ok = hmac.compare_digest(hmac.new(key, body, "sha256").hexdigest(), header)',
      'ok = hashlib.sha256(body).hexdigest() == header',
    ],
  },
  {
    rule: 'token-not-verified',
    file: 'app/token.py',
    fires: [
      'user = jwt.decode(token, options={"verify_signature": False}) ◀',
      'user = jwt.decode(token, key, verify=False) ◀',
    ],
    silent: [
      'user = jwt.decode(token, key, algorithms=["HS256"])',
      'user = base64.decode(token, verify=False)',
    ],
  },
  {
    rule: 'any-origin-with-credentials',
    file: 'src/cors.ts',
    fires: [
      'app.use(cors({ origin: true, credentials: true })) ◀',
      "app.use(cors({\n  credentials: true,\n  origin: '*', ◀\n}))",
    ],
    silent: [
      "app.use(cors({ origin: ['https://acme.io'], credentials: true }))",
      "app.use(cors({ origin: '*' }))",
    ],
  },
  {
    rule: 'any-origin-with-credentials',
    file: 'app/cors.py',
    fires: [
      'app.add_middleware(CORSMiddleware, allow_origins=["*"], allow_credentials=True) ◀',
      'app.add_middleware(\n    CORSMiddleware,\n    allow_credentials=True,\n    allow_origins=["*"], ◀\n)',
    ],
    silent: [
      'app.add_middleware(CORSMiddleware, allow_origins=["*"])',
      'app.add_middleware(CORSMiddleware, allow_origins=ORIGINS, allow_credentials=True)',
    ],
  },
  {
    rule: 'secret-in-log',
    file: 'src/log.ts',
    fires: ['console.log(user.password) ◀', 'console.info(`key: ${apiKey}`) ◀'],
    silent: [
      'console.log(password.length, hasPassword)',
      "console.log('password', mask(password))",
    ],
  },
  {
    rule: 'secret-in-log',
    file: 'app/log.py',
    fires: [
      'def f(password):\n    logger.info("login %s", password) ◀',
      'def f(user):\n    print(f"key {user.api_key}") ◀',
    ],
    silent: ['def f(password):\n    logger.info("login %s", len(password))', 'print(password)'],
  },
  {
    rule: 'ignored-error',
    file: 'src/ignored.go',
    fires: [
      'package src\n\nfunc f(b []byte) (x X) {\n\tjson.Unmarshal(b, &x) ◀\n\treturn\n}',
      'package src\n\nfunc f(r *http.Request) (x X) {\n\tjson.NewDecoder(r.Body).Decode(&x) ◀\n\treturn\n}',
    ],
    silent: [
      'package src\n\nfunc f(b []byte) (x X, err error) {\n\terr = json.Unmarshal(b, &x)\n\treturn\n}',
      'package src\n\nfunc f(b []byte) (x X) {\n\t_ = json.Unmarshal(b, &x)\n\tcopied, _ := json.Marshal(x)\n\tjson.Unmarshal(copied, &x)\n\tos.Remove("x")\n\treturn\n}',
    ],
  },
  {
    rule: 'nil-map-write',
    file: 'src/map.go',
    fires: [
      'package src\n\nfunc f() map[string]int {\n\tvar m map[string]int\n\tm["a"] = 1 ◀\n\treturn m\n}',
      'package src\n\nfunc f(xs []string) {\n\tvar seen map[string]bool\n\tfor _, x := range xs {\n\t\tseen[x] = true ◀\n\t}\n}',
    ],
    silent: [
      'package src\n\nfunc f() map[string]int {\n\tm := make(map[string]int)\n\tm["a"] = 1\n\treturn m\n}',
      'package src\n\nfunc f() {\n\tvar m map[string]int\n\tload(&m)\n\tm["a"] = 1\n}',
    ],
  },
  {
    rule: 'used-before-check',
    file: 'src/early.go',
    fires: [
      'package src\n\nfunc f() error {\n\tresp, err := http.Get(url)\n\tdefer resp.Body.Close() ◀\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn use(resp)\n}',
      'package src\n\nfunc f() error {\n\tuser, err := load()\n\tname := user.Profile.Name ◀\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn use(name)\n}',
      'package src\n\nfunc f(lastErr *error) {\n\tvar resp *http.Response\n\tresp, *lastErr = http.Get(url)\n\tdefer resp.Body.Close() ◀\n\tif *lastErr != nil {\n\t\treturn\n\t}\n\tuse(resp)\n}',
    ],
    silent: [
      'package src\n\nfunc f() error {\n\tresp, err := http.Get(url)\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer resp.Body.Close()\n\treturn use(resp)\n}',
      'package src\n\nfunc f() error {\n\tfile, err := open()\n\tlog(file)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}',
    ],
  },
  {
    rule: 'hidden-field',
    file: 'src/field.go',
    fires: [
      'package src\n\ntype T struct {\n\tname string `json:"name"` ◀\n}',
      'package src\n\ntype T struct {\n\tName string `json:"name"`\n\tkind int `yaml:"kind,omitempty"` ◀\n}',
    ],
    silent: [
      'package src\n\ntype T struct {\n\tName string `json:"name"`\n\tkind int\n}',
      'package src\n\ntype T struct {\n\tname string `json:"-"`\n\tother string `validate:"required"`\n}',
    ],
  },
  {
    rule: 'lost-cancel',
    file: 'src/cancel.go',
    fires: [
      'package src\n\nfunc f(ctx context.Context) {\n\tctx, _ = context.WithTimeout(ctx, limit) ◀\n\twork(ctx)\n}',
      'package src\n\nfunc f(ctx context.Context) {\n\tinner, _ := context.WithCancel(ctx) ◀\n\twork(inner)\n}',
    ],
    silent: [
      'package src\n\nfunc f(ctx context.Context) {\n\tctx, cancel := context.WithTimeout(ctx, limit)\n\tdefer cancel()\n\twork(ctx)\n}',
      'package src\n\nvar ctx = context.WithValue(parent, key, 1)',
    ],
  },
  {
    rule: 'rows-error-unchecked',
    file: 'src/rows.go',
    fires: [
      'package src\n\nfunc f() error {\n\trows, err := db.Query("select 1")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer rows.Close()\n\tfor rows.Next() { ◀\n\t\tif err := rows.Scan(&x); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil\n}',
      'package src\n\nfunc f(ctx context.Context) (n int, err error) {\n\trows, err := db.QueryContext(ctx, "select 1")\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\tdefer rows.Close()\n\tfor rows.Next() { ◀\n\t\tn++\n\t\terr = rows.Scan(&x)\n\t}\n\treturn n, err\n}',
    ],
    silent: [
      'package src\n\nfunc f() error {\n\trows, err := db.Query("select 1")\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer rows.Close()\n\tfor rows.Next() {\n\t\tif err := rows.Scan(&x); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn rows.Err()\n}',
      'package src\n\nfunc f(it Iterator) {\n\tfor it.Next() {\n\t\tit.Scan(&x)\n\t}\n}',
    ],
  },
  {
    rule: 'equals-without-hash',
    file: 'src/Point.java',
    fires: [
      'class Point {\n  public boolean equals(Object other) { ◀\n    return other instanceof Point p && p.x == x;\n  }\n}',
      'class Name {\n  String text;\n  public boolean equals(Object o) { return o instanceof Name n && n.text.equals(text); } ◀\n}',
    ],
    silent: [
      'class Point {\n  public boolean equals(Object o) { return o instanceof Point p && p.x == x; }\n  public int hashCode() { return x; }\n}',
      'class Point extends Base { public boolean equals(Object o) { return true; } boolean equals(Point a, Point b) { return true; } }',
    ],
  },
  {
    rule: 'shared-format',
    file: 'src/Dates.java',
    fires: [
      'class A {\n  private static final SimpleDateFormat DAY = new SimpleDateFormat("yyyy-MM-dd"); ◀\n}',
      'class A {\n  static DecimalFormat money = new DecimalFormat("0.00"); ◀\n}',
    ],
    silent: [
      'class A { private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd"); }',
      'class A { String f() { SimpleDateFormat f = new SimpleDateFormat("yyyy"); return f.format(d); } }',
    ],
  },
  {
    rule: 'off-by-one',
    file: 'app/next.py',
    fires: [
      'for i in range(len(items)):\n    use(items[i], items[i + 1]) ◀',
      'def f(items):\n    total = 0\n    for i in range(len(items)):\n        total += items[i + 1] - items[i] ◀\n    return total',
    ],
    silent: [
      'for i in range(len(items) - 1):\n    use(items[i], items[i + 1])',
      'for i in range(len(items)):\n    if i + 1 < len(items):\n        use(items[i + 1])\nfor i in range(len(items)):\n    use(others[i + 1])',
    ],
  },
  {
    rule: 'off-by-one',
    file: 'src/next.go',
    fires: [
      'package src\n\nfunc f(xs []int) {\n\tfor i := 0; i < len(xs); i++ {\n\t\tuse(xs[i], xs[i+1]) ◀\n\t}\n}',
      'package src\n\nfunc f(xs []int) {\n\tfor i := len(xs); i >= 0; i-- { ◀\n\t\tuse(xs[i])\n\t}\n}',
    ],
    silent: [
      'package src\n\nfunc f(xs []int) {\n\tfor i := 0; i < len(xs)-1; i++ {\n\t\tuse(xs[i], xs[i+1])\n\t}\n\tfor i := 0; i < len(xs); i += 2 {\n\t\tuse(xs[i], xs[i+1])\n\t}\n}',
      'package src\n\nfunc f(xs []int) {\n\tfor i := len(xs) - 1; i >= 0; i-- {\n\t\tuse(xs[i])\n\t}\n\tfor i := 0; i < len(xs); i++ {\n\t\tif i < len(xs)-1 {\n\t\t\tuse(xs[i+1])\n\t\t}\n\t}\n}',
    ],
  },
  {
    rule: 'off-by-one',
    file: 'src/next.ts',
    fires: [
      'for (let i = 0; i < list.length; i++) {\n  use(list[i], list[i + 1].name) ◀\n}',
      'for (let i = list.length; i >= 0; i--) { ◀\n  use(list[i])\n}',
    ],
    silent: [
      'for (let i = 0; i < list.length; i++) {\n  use(list[i], list[i + 1])\n  use(list[i + 1]?.name)\n}',
      'for (let i = list.length - 1; i >= 0; i--) use(list[i])\nfor (let i = list.length; i > 0; i--) use(list[i - 1])',
    ],
  },
]
