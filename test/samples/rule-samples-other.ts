// Samples for the rules on Python, Go, Java, workflow files and texts: a line that ends in ` ◀` must be reported.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of workflow files look like it.
import type { RuleSamples } from './rule-samples-script.ts'

// Put together here, so that no scanner takes this file for a leak.
const awsKey = `AKIA${'Q3XJ7KPL'}${'ZT5WMNB2'}`
const githubToken = `ghp_${'k3Jx9QmZt7Rw2Lp8'}${'Vb4Nc6Yd1Hs5Gf0AeUiO'}`
const random = 'Zk9vQ2xT7bNc4WpLr8Ys'
const keyLine = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'

export const secretsOfSamples: readonly string[] = [awsKey, githubToken, random, keyLine]

export const otherSamples: readonly RuleSamples[] = [
  {
    rule: 'unawaited-promise',
    file: 'app/mail.py',
    fires: [
      `async def send(to):
    await post(to)

async def register(user):
    send(user.email) ◀
    return user`,
      `class Jobs:
    async def store(self, job):
        await self.db.insert(job)

    async def run(self, job):
        self.store(job) ◀`,
    ],
    silent: [
      `async def send(to):
    await post(to)

async def register(user):
    await send(user.email)
    task = asyncio.create_task(send(user.other))
    await task`,
      `def send(to):
    post(to)

async def register(user):
    send(user.email)
    user.send()`,
    ],
  },
  {
    rule: 'blocking-call-in-async',
    file: 'app/wait.py',
    fires: [
      'async def poll():\n    time.sleep(5) ◀',
      'async def load(url):\n    answer = requests.get(url) ◀\n    return answer.json()',
    ],
    silent: [
      'async def poll():\n    await asyncio.sleep(5)',
      'def poll():\n    time.sleep(5)\nasync def go():\n    await asyncio.to_thread(lambda: time.sleep(1))',
    ],
  },
  {
    rule: 'lost-update',
    file: 'app/count.py',
    fires: [
      `def hit(key):
    count = cache.get(key)
    cache.set(key, count + 1) ◀`,
      `def visit(page_id):
    page = Page.objects.get(pk=page_id)
    page.views += 1 ◀
    page.save()`,
    ],
    silent: [
      `def visit(page_id):
    page = Page.objects.select_for_update().get(pk=page_id)
    page.views += 1
    page.save()`,
      `def visit(page_id):
    page = Page.objects.get(pk=page_id)
    page.views = F('views') + 1
    page.save()
    counts[key] = counts.get(key, 0) + 1`,
    ],
  },
  {
    rule: 'literal-identity',
    file: 'app/same.py',
    fires: ['if name is "admin": ◀\n    allow()', 'ok = count is not 5 ◀'],
    silent: [
      'if name == "admin":\n    allow()',
      'ok = value is not None and flag is True and one is other',
    ],
  },
  {
    rule: 'boxed-identity',
    file: 'src/Same.java',
    fires: [
      'class A { boolean f(String name) {\n  return name == "admin"; ◀\n} }',
      'class A { boolean f(Integer one, Integer other) {\n  return one != other; ◀\n} }',
    ],
    silent: [
      'class A { boolean f(String name) { return "admin".equals(name) && name != null; } }',
      'class A { boolean f(int one, Integer other, Kind kind) { return one == other || kind == Kind.A; } }',
    ],
  },
  {
    rule: 'nan-comparison',
    file: 'calc/nan.go',
    fires: [
      'package calc\n\nfunc f(x float64) bool {\n\treturn x == math.NaN() ◀\n}',
      'package calc\n\nvar bad = math.NaN() != y ◀',
    ],
    silent: [
      'package calc\n\nfunc f(x float64) bool { return math.IsNaN(x) }',
      'package calc\n\nvar ok = x != x',
    ],
  },
  {
    rule: 'nan-comparison',
    file: 'app/nan.py',
    fires: ['if value == float("nan"): ◀\n    fail()', 'bad = np.nan != value ◀'],
    silent: ['if math.isnan(value):\n    fail()', 'bad = value is np.nan'],
  },
  {
    rule: 'constant-condition',
    file: 'app/roles.py',
    fires: [
      'if role != "admin" or role != "owner": ◀\n    deny()',
      'if kind == "a" or "b": ◀\n    go()',
      'assert (total > 0, "total must be positive") ◀',
    ],
    silent: [
      'if role != "admin" and role != "owner":\n    deny()',
      'name = given == "x" or "default"\nassert total > 0, "total must be positive"',
    ],
  },
  {
    rule: 'constant-condition',
    file: 'auth/roles.go',
    fires: [
      'package auth\n\nfunc f(role string) bool {\n\treturn role != "admin" || role != "owner" ◀\n}',
      'package auth\n\nvar x = kind == 1 && kind == 2 ◀',
    ],
    silent: [
      'package auth\n\nfunc f(role string) bool { return role == "admin" || role == "owner" }',
      'package auth\n\nvar x = kind != 1 || other != 2',
    ],
  },
  {
    rule: 'constant-condition',
    file: 'src/Roles.java',
    fires: [
      'class A { boolean f(String role) {\n  return !role.equals("admin") || !role.equals("owner"); ◀\n} }',
      'class A { boolean f(int kind) {\n  return kind == 1 && kind == 2; ◀\n} }',
    ],
    silent: [
      'class A { boolean f(String role) { return role.equals("admin") || role.equals("owner"); } }',
      'class A { boolean f(String role) { return !role.equals("admin") && !role.equals("owner"); } }',
    ],
  },
  {
    rule: 'duplicate-branch',
    file: 'app/branch.py',
    fires: [
      'if kind == "a":\n    one()\nelif kind == "b":\n    two()\nelif kind == "a": ◀\n    three()',
      'if x > 1:\n    a()\nelif x > 1: ◀\n    b()',
    ],
    silent: ['if x > 1:\n    a()\nelif x > 2:\n    b()', 'if x > 1:\n    a()\nif x > 1:\n    b()'],
  },
  {
    rule: 'off-by-one',
    file: 'src/loop.go',
    fires: [
      'package src\n\nfunc f(xs []int) {\n\tfor i := 0; i <= len(xs); i++ { ◀\n\t\tuse(xs[i])\n\t}\n}',
      'package src\n\nfunc f(xs []int) int {\n\treturn xs[len(xs)] ◀\n}',
    ],
    silent: [
      'package src\n\nfunc f(xs []int) {\n\tfor i := 0; i < len(xs); i++ {\n\t\tuse(xs[i])\n\t}\n}',
      'package src\n\nfunc f(xs []int) int { return xs[len(xs)-1] }',
    ],
  },
  {
    rule: 'off-by-one',
    file: 'src/Loop.java',
    fires: [
      'class A { void f(int[] a) {\n  for (int i = 0; i <= a.length; i++) { ◀\n    use(a[i]);\n  }\n} }',
      'class A { void f(List<String> a) {\n  for (int i = 0; i <= a.size(); i++) use(a.get(i)); ◀\n} }',
    ],
    silent: [
      'class A { void f(int[] a) { for (int i = 0; i < a.length; i++) use(a[i]); } }',
      'class A { void f(int[] a) { for (int i = 1; i <= a.length; i++) use(a[i - 1]); } }',
    ],
  },
  {
    rule: 'changed-while-iterated',
    file: 'app/loop.py',
    fires: [
      'for item in items:\n    if item.old:\n        items.remove(item) ◀',
      'for key in self.cache:\n    self.cache.pop(key) ◀',
    ],
    silent: [
      'for item in list(items):\n    items.remove(item)',
      'for item in items:\n    if item.old:\n        items.remove(item)\n        break\n    others.append(item)',
    ],
  },
  {
    rule: 'changed-while-iterated',
    file: 'src/Change.java',
    fires: [
      'class A { void f(List<String> xs) {\n  for (String x : xs) {\n    if (x.isEmpty()) xs.remove(x); ◀\n  }\n} }',
      'class A { void f(Map<String, X> xs) {\n  for (X x : items) {\n    items.add(x); ◀\n  }\n} }',
    ],
    silent: [
      'class A { void f(List<String> xs) { xs.removeIf(String::isEmpty); for (String x : new ArrayList<>(xs)) xs.remove(x); } }',
      'class A { void f(List<String> xs) { for (String x : xs) { if (x.isEmpty()) { xs.remove(x); break; } } } }',
    ],
  },
  {
    rule: 'ignored-result',
    file: 'app/text.py',
    fires: ['def f(name):\n    name.strip() ◀\n    return name', 'line.lower() ◀'],
    silent: ['name = name.strip()', 'items.sort()\nframe.replace("a", "b", inplace=True)'],
  },
  {
    rule: 'ignored-result',
    file: 'src/Money.java',
    fires: [
      'class A { void f(BigDecimal total) {\n  total.add(fee); ◀\n} }',
      'class A { void f(String name) {\n  name.trim(); ◀\n} }',
    ],
    silent: [
      'class A { void f(BigDecimal total) { total = total.add(fee); } }',
      'class A { void f(List<String> names) { names.add("x"); } }',
    ],
  },
  {
    rule: 'mutable-default',
    file: 'app/defaults.py',
    fires: [
      'def add(item, items=[]): ◀\n    items.append(item)\n    return items',
      'def make(name, options: dict = {}): ◀\n    options["name"] = name\n    return Thing(options)',
    ],
    silent: [
      'def add(item, items=None):\n    items = items or []\n    items.append(item)\n    return items',
      'def total(items=[]):\n    return sum(items)\ndef f(kinds=()):\n    return kinds',
    ],
  },
  {
    rule: 'time-without-zone',
    file: 'app/when.py',
    fires: [
      'from datetime import datetime, timezone\nnow = datetime.utcnow() ◀',
      'import datetime\nstamp = datetime.datetime.utcnow().timestamp() ◀',
    ],
    silent: [
      'from datetime import datetime, timezone\nnow = datetime.now(timezone.utc)',
      'now = clock.utcnow()',
    ],
  },
  {
    rule: 'duplicate-key',
    file: 'app/table.py',
    fires: [
      'limits = {\n    "free": 1,\n    "team": 5,\n    "free": 2, ◀\n}',
      'x = {"a": 1, "a": 2} ◀',
    ],
    silent: ['x = {"a": 1, **more, "a": 2}', 'x = {a: 1, b: 2, "a": {"a": 3}}'],
  },
  {
    rule: 'raised-not-implemented',
    file: 'app/base.py',
    fires: [
      'def f():\n    raise NotImplemented ◀',
      'class A:\n    def g(self):\n        raise NotImplemented ◀',
    ],
    silent: [
      'def f():\n    raise NotImplementedError',
      'def __eq__(self, other):\n    return NotImplemented',
    ],
  },
  {
    rule: 'swallowed-error',
    file: 'app/errors.py',
    fires: [
      'try:\n    charge(order)\nexcept: ◀\n    pass',
      'try:\n    charge(order)\nexcept Exception: ◀\n    pass',
    ],
    silent: [
      'try:\n    charge(order)\nexcept KeyError:\n    pass\ntry:\n    charge(order)\nexcept Exception:\n    log.exception("no")',
      'try:\n    import extra\n    extra.apply()\nexcept Exception:\n    pass\nname = ""\ntry:\n    name = ask()\nexcept Exception:\n    pass\ndef close_all():\n    try:\n        charge(order)\n    except Exception:\n        pass',
      'try:\n    os.remove(path)\nexcept Exception:\n    pass\ntry:\n    charge(order)\nexcept Exception:\n    pass  # charged already',
      ...['call_soon_threadsafe', 'put_nowait', 'set_result', 'set_exception', 'send_signal'].map(
        (name) => `try:\n    target.${name}(value)\nexcept Exception:\n    pass`,
      ),
    ],
  },
  {
    rule: 'swallowed-error',
    file: 'src/Errors.java',
    fires: [
      'class A { void f() {\n  try { sendSignal(order); } catch (Exception e) {} ◀\n} }',
      'class A { void f() {\n  try { charge(order); } catch (Exception e) {} ◀\n} }',
      'class A { void f() {\n  try {\n    store.write(order);\n  } catch (IOException e) { ◀\n  }\n} }',
    ],
    silent: [
      'class A { void f() { try { charge(order); } catch (Exception ignored) {} } }',
      'class A { void f() { try { charge(order); } catch (Exception e) { log.warn("no", e); } try { n = parse(x); } catch (NumberFormatException e) {} } }',
    ],
  },
  {
    rule: 'dropped-error',
    file: 'store/errors.go',
    fires: [
      'package store\n\nfunc f() error {\n\ta, err := open()\n\tif err != nil {\n\t\treturn nil ◀\n\t}\n\treturn use(a)\n}',
      'package store\n\nfunc f() error {\n\ta, err := open() ◀\n\tb, err := read(a)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn use(b)\n}',
      'package store\n\nfunc f() {\n\terr := open()\n\tif err != nil { ◀\n\t}\n}',
    ],
    silent: [
      'package store\n\nfunc f() error {\n\ta, err := open()\n\tif err != nil {\n\t\treturn err\n\t}\n\tb, err := read(a)\n\tif err != nil {\n\t\treturn fmt.Errorf("read: %w", err)\n\t}\n\treturn use(b)\n}',
      'package store\n\nfunc f() (*A, error) {\n\ta, err := open()\n\tif err != nil {\n\t\t// A missing file is an empty one.\n\t\treturn nil, nil\n\t}\n\treturn a, nil\n}\n\nfunc g() *A {\n\ta, err := open()\n\tif err != nil {\n\t\treturn nil\n\t}\n\treturn a\n}',
    ],
  },
  {
    rule: 'return-in-finally',
    file: 'app/final.py',
    fires: [
      'def f():\n    try:\n        go()\n    finally:\n        return 1 ◀',
      'def f():\n    try:\n        go()\n    except E:\n        raise\n    finally:\n        if x:\n            return None ◀',
    ],
    silent: [
      'def f():\n    try:\n        return go()\n    finally:\n        close()',
      'def f():\n    try:\n        go()\n    finally:\n        def g():\n            return 1\n        g()',
    ],
  },
  {
    rule: 'resource-not-closed',
    file: 'app/files.py',
    fires: [
      'def load(path):\n    f = open(path) ◀\n    return f.read()',
      'def load(path):\n    f = open(path) ◀\n    data = json.load(f)\n    return data',
    ],
    silent: [
      'def load(path):\n    with open(path) as f:\n        return f.read()',
      'def load(path):\n    f = open(path)\n    try:\n        return f.read()\n    finally:\n        f.close()\ndef handle(path):\n    f = open(path)\n    return f\ndef keep(self, path):\n    self.f = open(path)',
    ],
  },
  {
    rule: 'resource-not-closed',
    file: 'net/get.go',
    fires: [
      'package net\n\nfunc f(url string) ([]byte, error) {\n\tresp, err := http.Get(url) ◀\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn io.ReadAll(resp.Body)\n}',
      'package net\n\nfunc f() error {\n\trows, err := db.Query("select 1") ◀\n\tif err != nil {\n\t\treturn err\n\t}\n\tfor rows.Next() {\n\t}\n\treturn nil\n}',
    ],
    silent: [
      'package net\n\nfunc f(url string) ([]byte, error) {\n\tresp, err := http.Get(url)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tdefer resp.Body.Close()\n\treturn io.ReadAll(resp.Body)\n}',
      'package net\n\nfunc f(s *S) (err error) {\n\ts.file, err = os.Open("x")\n\treturn\n}\n\nfunc g() int {\n\tdata, err := client.Get(key)\n\tif err != nil {\n\t\treturn 0\n\t}\n\treturn len(data)\n}',
      'package net\n\nfunc f(url string) (*http.Response, error) {\n\tresp, err := http.Get(url)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn resp, nil\n}\n\nfunc g() (*os.File, error) {\n\tfile, err := os.Open("x")\n\treturn file, err\n}',
    ],
  },
  {
    rule: 'resource-not-closed',
    file: 'src/Files.java',
    fires: [
      'class A { int f(String path) throws IOException {\n  FileInputStream in = new FileInputStream(path); ◀\n  return in.read();\n} }',
      'class A { void f(DataSource source) throws Exception {\n  Connection connection = source.getConnection(); ◀\n  connection.commit();\n} }',
    ],
    silent: [
      'class A { int f(String path) throws IOException { try (FileInputStream in = new FileInputStream(path)) { return in.read(); } } }',
      'class A { InputStream f(String path) throws IOException { FileInputStream in = new FileInputStream(path); return in; }\n int g(String p) throws IOException { FileReader r = new FileReader(p); try { return r.read(); } finally { r.close(); } } }',
    ],
  },
  {
    rule: 'defer-in-loop',
    file: 'store/loop.go',
    fires: [
      'package store\n\nfunc f(paths []string) {\n\tfor _, path := range paths {\n\t\tfile := open(path)\n\t\tdefer file.Close() ◀\n\t}\n}',
      'package store\n\nfunc f() {\n\tfor {\n\t\tmu.Lock()\n\t\tdefer mu.Unlock() ◀\n\t}\n}',
    ],
    silent: [
      'package store\n\nfunc f(paths []string) {\n\tfor _, path := range paths {\n\t\tfunc() {\n\t\t\tfile := open(path)\n\t\t\tdefer file.Close()\n\t\t}()\n\t}\n}',
      'package store\n\nfunc f() {\n\tmu.Lock()\n\tdefer mu.Unlock()\n\tfor {\n\t}\n}\n\nfunc g() error {\n\tfor {\n\t\tfile := open()\n\t\tdefer file.Close()\n\t\treturn use(file)\n\t}\n}',
    ],
  },
  {
    rule: 'sql-injection',
    file: 'app/store.py',
    fires: [
      `def find(name):
    return cursor.execute(f"SELECT * FROM users WHERE name = '{name}'") ◀`,
      `def find(request):
    name = request.args["name"]
    sql = "SELECT * FROM users WHERE name = '%s'" % name ◀
    cursor.execute(sql)`,
      `db.execute("DELETE FROM users WHERE id = {}".format(user_id)) ◀`,
    ],
    silent: [
      `cursor.execute("SELECT * FROM users WHERE name = %s", (name,))
cursor.execute("SELECT * FROM users WHERE id = %d" % user_id)`,
      `def find(user_id: int):
    cursor.execute(f"SELECT * FROM users WHERE id = {user_id}")
    cursor.execute(f"SELECT * FROM {TABLE} WHERE id IN ({placeholders})", ids)
    log.execute(f"select nothing {x}")`,
    ],
  },
  {
    rule: 'sql-injection',
    file: 'store/query.go',
    fires: [
      'package store\n\nfunc f(name string) {\n\tdb.Query("SELECT id FROM users WHERE name = \'" + name + "\'") ◀\n}',
      'package store\n\nfunc f(w http.ResponseWriter, r *http.Request) {\n\tq := fmt.Sprintf("SELECT id FROM users WHERE name = \'%s\'", r.FormValue("name")) ◀\n\t_, _ = db.Exec(q)\n}',
    ],
    silent: [
      'package store\n\nfunc f(name string) {\n\t_, _ = db.Exec("DELETE FROM users WHERE name = $1", name)\n}',
      'package store\n\nfunc f(id int) {\n\t_, _ = db.Exec(fmt.Sprintf("DELETE FROM users WHERE id = %d", id))\n\t_, _ = db.Exec(fmt.Sprintf("DELETE FROM %s WHERE id = $1", table), id)\n}',
    ],
  },
  {
    rule: 'sql-injection',
    file: 'src/Store.java',
    fires: [
      'class A { void f(String name) {\n  statement.executeQuery("SELECT * FROM users WHERE name = \'" + name + "\'"); ◀\n} }',
      'class A { void f(HttpServletRequest request) {\n  String sql = "DELETE FROM users WHERE id = " + request.getParameter("id"); ◀\n  statement.executeUpdate(sql);\n} }',
    ],
    silent: [
      'class A { void f(String name) { PreparedStatement p = c.prepareStatement("SELECT * FROM users WHERE name = ?"); p.setString(1, name); p.close(); } }',
      'class A { void f(int id) { statement.executeQuery("SELECT * FROM users WHERE id = " + id); log.update("select " + name); } }',
    ],
  },
  {
    rule: 'command-injection',
    file: 'app/run.py',
    fires: [
      'os.system(f"tar xf {path}") ◀',
      'def f(request):\n    subprocess.run("ping " + request.args["host"], shell=True) ◀',
    ],
    silent: [
      'subprocess.run(["tar", "xf", path])\nos.system("ls")',
      'os.system(f"tar xf {shlex.quote(path)}")\nsubprocess.run("ls | wc", shell=True)',
    ],
  },
  {
    rule: 'command-injection',
    file: 'run/run.go',
    fires: [
      'package run\n\nfunc f(path string) {\n\texec.Command("sh", "-c", "tar xf "+path).Run() ◀\n}',
      'package run\n\nfunc f(r *http.Request) {\n\texec.Command("bash", "-c", r.FormValue("command")).Run() ◀\n}',
    ],
    silent: [
      'package run\n\nfunc f(path string) {\n\texec.Command("tar", "xf", path).Run()\n}',
      'package run\n\nfunc f() {\n\texec.Command("sh", "-c", "ls | wc").Run()\n}',
    ],
  },
  {
    rule: 'code-injection',
    file: 'app/formula.py',
    fires: ['def compute(formula):\n    return eval(formula) ◀', 'exec(f"x = {value}") ◀'],
    silent: ['ast.literal_eval(text)\nmodel.eval()', 'eval("1 + 1")'],
  },
  {
    rule: 'path-traversal',
    file: 'app/files.py',
    fires: [
      '@app.get("/f")\ndef f():\n    return send_file(os.path.join(ROOT, request.args["name"])) ◀',
      'def g(request):\n    name = request.GET["name"]\n    return open(name).read() ◀',
    ],
    silent: [
      'def f():\n    return send_file(os.path.join(ROOT, secure_filename(request.args["name"])))',
      'def f(name):\n    return open(os.path.join(ROOT, name)).read()',
    ],
  },
  {
    rule: 'unsafe-deserialization',
    file: 'app/load.py',
    fires: [
      'config = yaml.load(text) ◀',
      'def f(request):\n    return pickle.loads(request.data or request.values["x"]) ◀',
    ],
    silent: [
      'config = yaml.safe_load(text)\nother = yaml.load(text, Loader=yaml.SafeLoader)',
      'state = pickle.loads(cached)',
    ],
  },
  {
    rule: 'insecure-random',
    file: 'app/token.py',
    fires: [
      'token = "".join(random.choice(letters) for _ in range(32)) ◀',
      'def make_otp():\n    return random.randint(0, 999999) ◀',
    ],
    silent: [
      'token = secrets.token_hex(32)',
      'delay = random.random()\ncolor = random.choice(colors)',
    ],
  },
  {
    rule: 'insecure-random',
    file: 'auth/token.go',
    fires: [
      'package auth\n\nimport "math/rand"\n\nfunc f() {\n\ttoken := rand.Intn(1000000) ◀\n\tuse(token)\n}',
      'package auth\n\nimport "math/rand"\n\nfunc newSecret() int {\n\treturn rand.Int63() ◀\n}',
    ],
    silent: [
      'package auth\n\nimport "crypto/rand"\n\nfunc f() {\n\ttoken := rand.Int(x, y)\n\tuse(token)\n}',
      'package auth\n\nimport "math/rand"\n\nvar delay = rand.Intn(10)',
    ],
  },
  {
    rule: 'tls-verification-off',
    file: 'app/tls.py',
    fires: ['requests.get(url, timeout=5, verify=False) ◀', 'context.check_hostname = False ◀'],
    silent: [
      'requests.get(url, timeout=5, verify=bundle)',
      'codec.decode(token, verify=False)\nform.check_hostname = True',
    ],
  },
  {
    rule: 'tls-verification-off',
    file: 'net/tls.go',
    fires: [
      'package net\n\nvar c = &tls.Config{InsecureSkipVerify: true} ◀',
      'package net\n\nvar c = tls.Config{\n\tMinVersion: 1,\n\tInsecureSkipVerify: true, ◀\n}',
    ],
    silent: [
      'package net\n\nvar c = &tls.Config{InsecureSkipVerify: false}',
      'package net\n\nvar c = &tls.Config{InsecureSkipVerify: options.Insecure}',
    ],
  },
  {
    rule: 'weak-password-hash',
    file: 'app/hash.py',
    fires: [
      'stored = hashlib.md5(password.encode()).hexdigest() ◀',
      'user.hash = hashlib.sha256((salt + user.password).encode()).hexdigest() ◀',
    ],
    silent: ['stored = bcrypt.hashpw(password, salt)', 'digest = hashlib.md5(body).hexdigest()'],
  },
  {
    rule: 'hardcoded-secret',
    file: 'src/config.rb',
    fires: [
      `aws_key = "${awsKey}" ◀`,
      `TOKEN = '${githubToken}' ◀`,
      `password: "${random}" ◀`,
      `url = "postgres://app:${random}@db.acme.io:5432/app" ◀`,
      `KEY = <<~PEM\n-----BEGIN RSA PRIVATE KEY----- ◀\n${keyLine}\nPEM`,
    ],
    silent: [
      `key = "AKIAIOSFODNN7EXAMPLE"\ntoken = ENV["TOKEN"]\npassword = "changeme-please-1"\nsecret_name = "projects/app/secrets/db1"`,
      `url = "postgres://user:password@localhost:5432/app"\nurl = "postgres://user:\${PASSWORD}@db.acme.io/app"\ntoken_url = "https://auth.acme.io/oauth/token"\nkey = "phc_${random}"\nheader.startsWith("-----BEGIN PRIVATE KEY-----")\npublic_key = "${random}"\ntables = { "cl100k.tiktoken": "${random}" }\npassword_manager = "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4"`,
    ],
  },
  {
    rule: 'breakpoint',
    file: 'app/stop.py',
    fires: ['def f():\n    breakpoint() ◀', 'import pdb; pdb.set_trace() ◀'],
    silent: ['def breakpoint_at(x):\n    pass', 'print("breakpoint()")'],
  },
  {
    rule: 'workflow-script-injection',
    file: '.github/workflows/greet.yml',
    fires: [
      'on: issues\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo "${{ github.event.issue.title }}" ◀',
      'on: pull_request\njobs:\n  a:\n    runs-on: x\n    steps:\n      - name: one\n        run: |\n          set -e\n          git checkout ${{ github.head_ref }} ◀\n          make',
    ],
    silent: [
      'on: issues\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo "$TITLE"\n        env:\n          TITLE: ${{ github.event.issue.title }}',
      'on: push\njobs:\n  a:\n    if: ${{ github.event.pull_request.title }}\n    runs-on: x\n    steps:\n      - run: echo ${{ github.sha }} ${{ github.event.number }}',
    ],
  },
  {
    rule: 'workflow-untrusted-checkout',
    file: '.github/workflows/build.yml',
    fires: [
      'on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }} ◀\n      - run: make',
      'on:\n  pull_request_target:\n    types: [opened]\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n        with: { ref: "refs/pull/${{ github.event.number }}/merge" } ◀',
    ],
    silent: [
      'on: pull_request\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}',
      'on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4',
    ],
  },
  {
    rule: 'workflow-write-all',
    file: '.github/workflows/label.yml',
    fires: [
      'on: pull_request_target\npermissions: write-all ◀\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: make',
      'on: [issue_comment]\njobs:\n  a:\n    permissions: write-all ◀\n    runs-on: x\n    steps:\n      - run: make',
    ],
    silent: [
      'on: push\npermissions: write-all\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: make',
      'on: issue_comment\npermissions: { issues: write }\njobs: {}',
    ],
  },
  {
    rule: 'workflow-unknown-job',
    file: '.github/workflows/needs.yml',
    fires: [
      'on: push\njobs:\n  a:\n    needs: build ◀\n    runs-on: x\n    steps: []',
      'on: push\njobs:\n  build: {}\n  a:\n    needs:\n      - build\n      - tests ◀\n    runs-on: x',
    ],
    silent: [
      'on: push\njobs:\n  build: {}\n  a:\n    needs: [build]\n    runs-on: x',
      'needs: x\njobs: []',
    ],
  },
]
