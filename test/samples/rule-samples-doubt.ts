// Samples where a rule must know more than the shape of a line before it speaks, and the plainest form of others.
import type { RuleSamples } from './rule-samples-script.ts'

export const doubtSamples: readonly RuleSamples[] = [
  {
    rule: 'constant-condition',
    file: 'src/age.ts',
    fires: ['if (age !== -1 || age !== -2) stop() ◀', 'if (-1 !== age || 1 !== age) stop() ◀'],
    silent: [
      'if (MIN_AGE !== -1 || MAX_AGE !== -1) check()',
      'if (-1 !== MIN_AGE || -1 !== MAX_AGE) check()',
      'if (MIN_AGE !== -OFFSET || MAX_AGE !== -OFFSET) check()',
      'if (A !== 2 * SIZE || B !== 2 * SIZE) check()',
      'if (from !== -1 || to !== -1) check()',
      'if (x === 0 && x === -0) check()',
    ],
  },
  {
    rule: 'constant-condition',
    file: 'app/age.py',
    fires: ['if age != -1 or age != -2: ◀\n    stop()'],
    silent: [
      'if MIN_AGE != -1 or MAX_AGE != -1:\n    check()',
      'if x == 1 and x == 1.0:\n    check()',
    ],
  },
  {
    rule: 'constant-condition',
    file: 'src/age.go',
    fires: ['package age\n\nvar x = age != -1 || age != -2 ◀'],
    silent: [
      'package age\n\nvar x = MIN_AGE != -1 || MAX_AGE != -1',
      "package age\n\nvar x = LOW != 'a' || HIGH != 'a'",
      'package age\n\nvar x = MinAge != -1 || MaxAge != -1',
    ],
  },
  {
    rule: 'constant-condition',
    file: 'src/Age.java',
    fires: ['class A { boolean f(int age) {\n  return age != -1 || age != -2; ◀\n} }'],
    silent: [
      'class A { boolean f() {\n  return MIN_AGE != -1 || MAX_AGE != -1;\n} }',
      'class A { boolean f() {\n  return MIN_AGE != 0xFF || MAX_AGE != 0xFF;\n} }',
      'class A { boolean f(long age) {\n  return age != -1L || age != -1;\n} }',
    ],
  },
  {
    rule: 'sql-injection',
    file: 'store/list.go',
    fires: [
      'package store\n\nfunc f(ids []string) {\n\tin := strings.TrimSuffix(strings.Join(ids, ","), ",")\n\tdb.Query("SELECT a FROM t WHERE id IN ("+in+")") ◀\n}',
    ],
    silent: [
      'package store\n\nfunc f(ids []int) {\n\tph := strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",")\n\tdb.Query("SELECT a FROM t WHERE id IN ("+ph+")", args(ids)...)\n}',
      'package store\n\nfunc f(ids []int) {\n\tph := strings.Repeat(",?", len(ids))[1:]\n\tdb.Query("SELECT a FROM t WHERE id IN ("+ph+")", args(ids)...)\n}',
    ],
  },
  {
    rule: 'boxed-identity',
    file: 'src/Fast.java',
    fires: [
      'class A { boolean f(String s, String t) {\n  if (s == t) return true; ◀\n  return false;\n} }',
      'class A { void f(String s, String t) {\n  if (s == t) go(); ◀\n  s.compareTo(t);\n} }',
    ],
    silent: [
      'class A { boolean f(String s, String t) {\n  if (s == t) return true;\n  return s.length() == t.length() && same(s, t);\n} }',
      'class A { int f(String s, String t) {\n  if (s == t) {\n    return 0;\n  }\n  return walk(s, t);\n} }',
      'class A { boolean f(String s, String t) {\n  return s == t || s != null && s.equals(t);\n} }',
    ],
  },
  {
    rule: 'off-by-one',
    file: 'src/Queue.java',
    fires: [
      'class A { private final List<String> names = make();\n void f() {\n  for (int i = 0; i <= this.names.size(); i++) use(this.names.get(i)); ◀\n} }',
      'class A { void f(String s) {\n  for (int i = 0; i <= s.length(); i++) use(s.charAt(i)); ◀\n} }',
      'class A { void f() {\n  var names = new ArrayList<String>();\n  for (int i = 0; i <= names.size(); i++) use(names.get(i)); ◀\n} }',
    ],
    silent: [
      'class A { private final TaskQueue queue = new TaskQueue();\n void f() {\n  for (int i = 1; i <= queue.size(); i++) queue.get(i).cancel();\n} }',
      'class A { void f(Heap heap) {\n  for (int i = heap.size(); i >= 1; i--) use(heap.get(i));\n} }',
    ],
  },
  {
    rule: 'off-by-one',
    file: 'src/map.go',
    fires: [
      'package src\n\nfunc f() {\n\txs := []int{1}\n\tfor i := 0; i <= len(xs); i++ { ◀\n\t\tuse(xs[i])\n\t}\n}',
    ],
    silent: [
      'package src\n\nfunc f(m map[int]string) {\n\tfor i := 1; i <= len(m); i++ {\n\t\tuse(m[i])\n\t}\n}',
      'package src\n\nfunc f() {\n\tm := make(map[int]string)\n\tfor i := 1; i <= len(m); i++ {\n\t\tuse(m[i])\n\t}\n}',
    ],
  },
  {
    rule: 'off-by-one',
    file: 'app/range.py',
    fires: [
      'for i in range(len(xs) + 1): ◀\n    print(xs[i])',
      'def f(self):\n    for i in range(0, len(self.xs) + 1): ◀\n        use(self.xs[i])',
    ],
    silent: [
      'for i in range(len(xs) + 1):\n    print(xs[:i], xs[i:])',
      'for i in range(len(xs) + 1):\n    if i < len(xs):\n        print(xs[i])',
      'for i in range(len(xs)):\n    print(xs[i])\nfor i in range(1, len(xs) + 1):\n    print(xs[i - 1])',
      'seen = {}\nfor i in range(len(seen) + 1):\n    print(seen[i])',
    ],
  },
  {
    rule: 'stray-comma',
    file: 'app/exports.py',
    fires: ["name = 'x', ◀"],
    silent: ["__all__ = 'x',", 'string_types = str,'],
  },
  {
    rule: 'swallowed-error',
    file: 'src/Names.java',
    fires: ['class A { void f() {\n  try { charge(order); } catch (Exception problem) {} ◀\n} }'],
    silent: [
      'cannotHappen',
      'ignored',
      'expected',
      '_',
      'shouldNotHappen',
      'expectedException',
    ].map((name) => `class A { void f() { try { charge(order); } catch (Exception ${name}) {} } }`),
  },
  {
    rule: 'swallowed-error',
    file: 'src/names.ts',
    fires: ['try { await charge(order) } catch (problem) {} ◀'],
    silent: ['cannotHappen', 'ignored', 'expected', '_'].map(
      (name) => `try { await charge(order) } catch (${name}) {}`,
    ),
  },
  {
    rule: 'nil-map-write',
    file: 'src/count.go',
    fires: [
      'package src\n\nfunc f(words []string) {\n\tvar m map[string]int\n\tfor _, w := range words {\n\t\tm[w]++ ◀\n\t}\n}',
      'package src\n\nfunc f(w string) {\n\tvar m map[string]int\n\tm[w] += 2 ◀\n}',
    ],
    silent: [
      'package src\n\nfunc f(w string) {\n\tvar m map[string]int\n\tuse(m[w])\n\tm = make(map[string]int)\n\tm[w]++\n}',
    ],
  },
  {
    rule: 'lock-not-released',
    file: 'app/early.py',
    fires: [
      'def f(x):\n    lock.acquire() ◀\n    if x:\n        return 1\n    lock.release()',
      'def f(self, x):\n    self.lock.acquire() ◀\n    if x:\n        return 1\n    self.lock.release()',
    ],
    silent: ['def f(x):\n    lock.acquire()\n    if x:\n        n = 2\n    lock.release()'],
  },
  {
    rule: 'missing-comma',
    file: 'app/words.py',
    fires: [
      'names = ["alpha", "beta" "gamma", "delta"] ◀',
      'names = [\n    "alpha",\n    "beta" ◀\n    "gamma",\n    "delta",\n]',
      'names = [\n    "alpha one",\n    "golden" ◀\n    "gamma two",\n    "delta",\n    "eps",\n]',
    ],
    silent: [
      'names = ["alpha", "it" \'s\', "delta"]',
      'names = ["alpha", "be" "gamma"]',
      'names = [\n    "alpha beta",\n    "gamma"\n    "delta one",\n    "eps",\n]',
    ],
  },
  {
    rule: 'lost-update',
    file: 'src/balance.ts',
    fires: [
      'let counter = 0\nexport async function f() {\n  counter = counter + await load() ◀\n}',
      'class A {\n  async add(x: number) {\n    const before = this.balance\n    await this.log(x)\n    this.balance = before + x ◀\n  }\n}',
    ],
    silent: [
      'let counter = 0\nexport async function f() {\n  counter = (await load()) + counter\n}',
      'export async function f() {\n  let counter = 0\n  counter = counter + await load()\n  return counter\n}',
      'class A {\n  async add(x: number) {\n    await this.log(x)\n    const before = this.balance\n    this.balance = before + x\n  }\n}',
      'class A {\n  async add(x: number) {\n    const before = this.balance\n    await this.log(x)\n    if (this.balance !== before) return\n    this.balance = before + x\n  }\n}',
      'class A {\n  async run() {\n    const before = this.busy\n    await this.go()\n    this.busy = before\n  }\n}',
    ],
  },
  {
    rule: 'dropped-error',
    file: 'store/read.go',
    fires: [
      'package store\n\nfunc f(r io.Reader) error {\n\tdata, err := io.ReadAll(r) ◀\n\tvar items []T\n\terr = json.Unmarshal(data, &items)\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn use(items)\n}',
    ],
    silent: [
      'package store\n\nfunc f(r io.Reader) error {\n\tdata, err := io.ReadAll(r)\n\tlog(err)\n\tvar items []T\n\terr = json.Unmarshal(data, &items)\n\treturn err\n}',
    ],
  },
  {
    rule: 'null-access',
    file: 'src/field.go',
    fires: [
      'package src\n\nfunc f(p *P) int {\n\tif p == nil {\n\t\treturn p.x ◀\n\t}\n\treturn 0\n}',
    ],
    silent: [
      'package src\n\nfunc f(p *P) int {\n\tif p == nil {\n\t\treturn p.Size()\n\t}\n\treturn p.x\n}',
      'package src\n\nfunc f(p *P) int {\n\tif p == nil {\n\t\tp = &P{}\n\t\treturn p.x\n\t}\n\treturn p.x\n}',
    ],
  },
]
