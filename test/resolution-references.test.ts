// Tests of reference resolution: small repositories of each language with their definitions.
import { beforeAll, describe, expect, it } from 'vitest'
import { createCodeView, openCodeView } from '../src/knowledge/resolution/code-view.ts'
import { resolveExport } from '../src/knowledge/resolution/follow-exports.ts'
import { resolveFileEdges } from '../src/knowledge/resolution/resolve-file-edges.ts'
import { resolveReferences } from '../src/knowledge/resolution/resolve-references.ts'
import { inspectCode, type ResolvedCode, resolveCode } from './resolve-code.ts'

type Files = Readonly<Record<string, string>>
type Cases = readonly (readonly [path: string, reference: string, expected: string])[]

function check(language: string, files: Files, cases: Cases): void {
  describe(`references of ${language}`, () => {
    let code: ResolvedCode
    beforeAll(async () => {
      code = await resolveCode(files)
    })
    it.each(cases)('%s: %s means %s', (path, reference, expected) => {
      expect(code.referenceTarget(path, reference)).toBe(expected)
    })
  })
}

check(
  'TypeScript',
  {
    'index.ts':
      "export * from './store'\nexport { Cart as Basket } from './cart'\nexport * as money from './money'\n",
    'store.ts': `import { round } from './money'
export interface Store { open(): void }
export class Base { stop() {} ; restart() { this.stop() } }
export class Shop extends Base implements Store {
  constructor(private cart: Cart) { super() }
  open() { this.stop(); this.sell(1); this.cart.total(); this.absent() }
  sell(amount: number) { return round(amount) }
}
export const shared = new Shop(null as never)
export const tools = { wrapUp() { return 1 } }
import { Cart } from './cart'
`,
    'cart.ts': `export class Cart { total() { return 1 } ; total2 = () => 2 ; uncommonMethod() {} ; get() {} }
export default class Till { ring() {} }
export enum Colour { Red }
function hidden() {}
`,
    'money.ts': 'export function round(amount: number) { return amount }\nexport const rate = 1\n',
    'loop-a.ts': "export * from './loop-b'\nexport { a as b } from './loop-b'\n",
    'loop-b.ts': "export * from './loop-a'\nexport { b as a } from './loop-a'\n",
    'circle.ts':
      'export class One extends Two { go() { this.lost() } }\nexport class Two extends One {}\n',
    'app.ts': `import Till, { Cart, Colour } from './cart'
import { Basket, Shop, money, shared, tools } from './index'
import * as all from './store'
import { a } from './loop-a'
import { Map as OwnMap } from 'immutable'
import { outer } from 'library'
function local(shop: Shop) { shop.sell(1); shop.restart() }
export function run(cart: Cart, map: OwnMap, any: unknown) {
  new Basket(); new Till().ring(); local(new Shop(cart)); money.round(1); all.shared
  shared.open(); tools.wrapUp(); cart.total(); cart.nothing(); map.total(); outer.total()
  any.uncommonMethod(); any.get(); a(); Colour.Red; hidden()
}
const round = (value: number) => value
export function later() { round(1) }
`,
    'other.py': 'def uncommonName(): pass\n',
    'alone.ts': 'uncommonName()\nexport const x = 1\nunknown().standIn()\n',
    'test/fake.ts': 'export class Fake { standIn() {} }\nunknown().standIn()\n',
  },
  [
    ['app.ts', 'local', 'app.ts local 0.95'],
    ['app.ts', 'round', 'app.ts round 0.95'],
    ['app.ts', 'Basket', 'cart.ts Cart 0.95'],
    ['app.ts', 'Till', 'cart.ts Till 0.95'],
    ['app.ts', 'Shop', 'store.ts Shop 0.95'],
    ['app.ts', 'money.round', 'money.ts round 0.95'],
    ['app.ts', 'all.shared', 'store.ts shared 0.95'],
    ['app.ts', 'shared.open', 'store.ts Shop.open 0.85'],
    ['app.ts', 'tools.wrapUp', 'store.ts tools.wrapUp 0.9'],
    ['app.ts', 'cart.total', 'cart.ts Cart.total 0.85'],
    ['app.ts', 'shop.sell', 'store.ts Shop.sell 0.85'],
    ['app.ts', 'shop.restart', 'store.ts Base.restart 0.85'],
    ['app.ts', 'any.uncommonMethod', 'cart.ts Cart.uncommonMethod 0.5'],
    ['store.ts', 'this.stop', 'store.ts Base.stop 0.9'],
    ['store.ts', 'this.sell', 'store.ts Shop.sell 0.9'],
    ['store.ts', 'cart.total', 'cart.ts Cart.total 0.85'],
    ['store.ts', 'round', 'money.ts round 0.95'],
    ['store.ts', 'Base', 'store.ts Base 0.95'],
    // These are library names, missing methods, lookalikes, and unexported names.
    ['app.ts', 'map.total', 'nothing'],
    ['app.ts', 'outer.total', 'nothing'],
    ['app.ts', 'cart.nothing', 'nothing'],
    ['app.ts', 'any.get', 'nothing'],
    ['app.ts', 'hidden', 'nothing'],
    ['app.ts', 'a', 'nothing'],
    ['store.ts', 'this.absent', 'nothing'],
    ['circle.ts', 'this.lost', 'nothing'],
    ['alone.ts', 'uncommonName', 'nothing'],
    ['alone.ts', '.standIn', 'nothing'],
    ['test/fake.ts', '.standIn', 'test/fake.ts Fake.standIn 0.5'],
  ],
)

check(
  'Python',
  {
    'shop/__init__.py': 'from .cart import Cart\nfrom . import money\n',
    'shop/cart.py': `from shop.base import Base
class Cart(Base):
    def __init__(self, size=1):
        self.size = size
    def total(self):
        self.reset()
        super().clean()
        return self.add(1)
    def add(self, item):
        return item
`,
    'shop/base.py':
      'class Base:\n    def reset(self): pass\n    def clean(self): pass\n    def cleanse(self): pass\n',
    'shop/money.py': 'def round_up(value): return value\n',
    'app.py': `import shop.money
from shop import Cart, money
from shop.money import *
import json
def run(cart: Cart):
    cart.total()
    made = Cart(2)
    made.add(1)
    money.round_up(1)
    round_up(2)
    json.loads("1")
    unknown().cleanse()
`,
  },
  [
    ['app.py', 'Cart', 'shop/cart.py Cart 0.95'],
    ['app.py', 'cart.total', 'shop/cart.py Cart.total 0.85'],
    ['app.py', 'made.add', 'shop/cart.py Cart.add 0.85'],
    ['app.py', 'money.round_up', 'shop/money.py round_up 0.95'],
    ['app.py', 'round_up', 'shop/money.py round_up 0.9'],
    ['app.py', '.cleanse', 'shop/base.py Base.cleanse 0.5'],
    ['shop/cart.py', 'self.reset', 'shop/base.py Base.reset 0.9'],
    ['shop/cart.py', 'self.add', 'shop/cart.py Cart.add 0.9'],
    ['shop/cart.py', 'super.clean', 'shop/base.py Base.clean 0.9'],
    ['app.py', 'json.loads', 'nothing'],
  ],
)

check(
  'Go',
  {
    'go.mod': 'module acme.example/shop\n',
    'cart/cart.go':
      'package cart\n\ntype Base struct{}\n\nfunc (b *Base) Clean() {}\n\ntype Cart struct {\n\tBase\n}\n\nfunc NewCart() *Cart { return &Cart{} }\n',
    'cart/total.go':
      'package cart\n\nfunc (c *Cart) Total() int {\n\tc.Clean()\n\treturn c.count() + helper()\n}\n\nfunc (c *Cart) count() int { return 1 }\n\nfunc helper() int { return 1 }\n',
    'other/other.go': 'package other\n\nfunc helper() int { return 2 }\n',
    'main.go':
      'package main\n\nimport (\n\t"fmt"\n\n\tbasket "acme.example/shop/cart"\n)\n\nfunc run(c *basket.Cart) {\n\tc.Total()\n\tbasket.NewCart()\n\tfmt.Println(c)\n\tlost()\n}\n',
  },
  [
    ['main.go', 'basket.NewCart', 'cart/cart.go NewCart 0.95'],
    ['main.go', 'c.Total', 'cart/total.go Cart.Total 0.85'],
    ['cart/total.go', 'c.Clean', 'cart/cart.go Base.Clean 0.85'],
    ['cart/total.go', 'c.count', 'cart/total.go Cart.count 0.85'],
    ['cart/total.go', 'helper', 'cart/total.go helper 0.95'],
    ['cart/total.go', 'Cart', 'cart/cart.go Cart 0.9'],
    ['main.go', 'fmt.Println', 'nothing'],
    ['main.go', 'lost', 'nothing'],
  ],
)

check(
  'Java',
  {
    'src/com/acme/Cart.java': `package com.acme;
public class Cart extends Base {
  public Cart(int size) {}
  public int total() { return sum(1) + inherited() + Money.round(1); }
  int sum(int one) { return one; }
  int sum(int one, int two) { return one; }
}
`,
    'src/com/acme/Base.java':
      'package com.acme;\npublic class Base { protected int inherited() { return 1; } }\n',
    'src/com/acme/Money.java':
      'package com.acme;\npublic class Money { public static int round(int a) { return a; } }\n',
    'src/org/other/Money.java':
      'package org.other;\npublic class Money { public static int round(int a) { return a; } }\n',
    'src/com/app/App.java': `package com.app;
import com.acme.Cart;
import static com.acme.Money.round;
class App {
  private final Cart field = new Cart(1);
  void run(Cart cart) { cart.total(); field.sum(1, 2); round(1); Money.round(2); String.valueOf(1); }
}
`,
  },
  [
    ['src/com/acme/Cart.java', 'sum', 'src/com/acme/Cart.java Cart.sum 0.95'],
    ['src/com/acme/Cart.java', 'inherited', 'src/com/acme/Base.java Base.inherited 0.9'],
    ['src/com/acme/Cart.java', 'Money.round', 'src/com/acme/Money.java Money.round 0.9'],
    ['src/com/app/App.java', 'cart.total', 'src/com/acme/Cart.java Cart.total 0.85'],
    ['src/com/app/App.java', 'field.sum', 'src/com/acme/Cart.java Cart.sum 0.85'],
    ['src/com/app/App.java', 'round', 'src/com/acme/Money.java Money.round 0.9'],
    ['src/com/app/App.java', 'String.valueOf', 'nothing'],
    ['src/com/app/App.java', 'Money.round', 'nothing'],
  ],
)

check(
  'Kotlin, Scala and Java together',
  {
    'src/com/acme/Cart.kt': `package com.acme

class Cart(val size: Int) : Base() {
    fun total() = sum(1) + inherited() + Money.round(1)
    fun sum(one: Int) = one
    fun sum(one: Int, two: Int) = one

    companion object {
        fun open() = Cart(1)
    }
}

fun String.shout() = this
`,
    'src/com/acme/Base.java':
      'package com.acme;\npublic class Base { protected int inherited() { return 1; } }\n',
    'src/com/acme/Money.scala': `package com.acme

object Money {
  def round(a: Int) = a
}

trait Rounds { self: Base =>
  def both = inherited() + Money.round(1)
}
`,
    'src/org/other/Money.scala': 'package org.other\nobject Money { def round(a: Int) = a }\n',
    // Kotlin can leave out the folders of the common package.
    'app/App.kt': `package com.app

import com.acme.*
import com.acme.Cart as Basket
import com.ext.half
import com.ext.twice as double

class App(private val field: Basket) {
    fun run(cart: Basket) {
        cart.total()
        field.sum(1, 2)
        Money.round(2)
        val opened = Basket.open()
        opened.size
        opened.total()
        start()
        "now".shout()
        cart.half()
        1.double()
        lines.total()
    }
}
`,
    'ext/ext.kt': `package com.ext

import com.acme.Cart

fun Cart.half() = Cart(size / 2)
fun Int.twice() = 2 * this
`,
    'app/Start.kt': 'package com.app\n\nfun start() = Unit\n',
    'src/Main.scala': `package main

import com.app.start
import com.acme.{Cart => Basket}

@main def run(cart: Basket) =
  start()
  cart.total()
  val made = new Basket(1)
  made.sum(1)
`,
  },
  [
    ['src/com/acme/Cart.kt', 'sum', 'src/com/acme/Cart.kt Cart.sum 0.95'],
    ['src/com/acme/Cart.kt', 'inherited', 'src/com/acme/Base.java Base.inherited 0.9'],
    ['src/com/acme/Cart.kt', 'Money.round', 'src/com/acme/Money.scala Money.round 0.9'],
    [
      'src/com/acme/Cart.kt',
      'Cart',
      'src/com/acme/Cart.kt Cart, src/com/acme/Cart.kt Cart.constructor 0.95',
    ],
    ['src/com/acme/Money.scala', 'inherited', 'src/com/acme/Base.java Base.inherited 0.9'],
    ['app/App.kt', 'cart.total', 'src/com/acme/Cart.kt Cart.total 0.85'],
    ['app/App.kt', 'field.sum', 'src/com/acme/Cart.kt Cart.sum 0.85'],
    ['app/App.kt', 'Money.round', 'src/com/acme/Money.scala Money.round 0.9'],
    ['app/App.kt', 'Basket.open', 'src/com/acme/Cart.kt Cart.open 0.9'],
    ['app/App.kt', 'opened.total', 'src/com/acme/Cart.kt Cart.total 0.85'],
    ['app/App.kt', 'start', 'app/Start.kt start 0.9'],
    ['app/App.kt', 'cart.half', 'ext/ext.kt Cart.half 0.85'],
    ['app/App.kt', '.double', 'ext/ext.kt Int.twice 0.85'],
    ['app/App.kt', '.shout', 'src/com/acme/Cart.kt String.shout 0.5'],
    ['src/Main.scala', 'start', 'app/Start.kt start 0.95'],
    ['src/Main.scala', 'cart.total', 'src/com/acme/Cart.kt Cart.total 0.85'],
    ['src/Main.scala', 'made.sum', 'src/com/acme/Cart.kt Cart.sum 0.85'],
  ],
)

check(
  'C#',
  {
    'Shop/Cart.cs':
      'namespace Acme.Shop;\npublic partial class Cart : Base { public int Total() { return Count() + Inherited(); } }\n',
    'Shop/Cart.Parts.cs':
      'namespace Acme.Shop;\npublic partial class Cart { int Count() { return 1; } }\n',
    'Base.cs': 'namespace Acme;\npublic class Base { protected int Inherited() { return 1; } }\n',
    'App.cs':
      'using Acme.Shop;\nusing System;\nclass App { void Run(Cart cart) { cart.Total(); Console.WriteLine(1); new Cart(); } }\n',
  },
  [
    ['Shop/Cart.cs', 'Count', 'Shop/Cart.Parts.cs Cart.Count 0.9'],
    ['Shop/Cart.cs', 'Inherited', 'Base.cs Base.Inherited 0.9'],
    ['App.cs', 'cart.Total', 'Shop/Cart.cs Cart.Total 0.85'],
    ['App.cs', 'Console.WriteLine', 'nothing'],
  ],
)

check(
  'PHP',
  {
    'composer.json': '{"autoload": {"psr-4": {"App\\\\": "src/"}}}',
    'src/Cart.php': `<?php
namespace App;
class Cart extends Base {
  use Countable;
  public function __construct(private Money $money) {}
  public function total() { $this->clean(); $this->countAll(); self::make(); parent::clean(); $this->money->roundUp(); }
  public static function make() { return new static(); }
}
`,
    'src/Base.php': '<?php\nnamespace App;\nclass Base { public function clean() {} }\n',
    'src/Countable.php':
      '<?php\nnamespace App;\ntrait Countable { public function countAll() {} }\n',
    'src/Money.php': '<?php\nnamespace App;\nclass Money { public function roundUp() {} }\n',
    'src/Http/Page.php': `<?php
namespace App\\Http;
use App\\Cart;
function show(Cart $cart) { $cart->total(); Cart::make(); str_pad("a", 1); only_here(); }
`,
    'functions.php': '<?php\nfunction only_here() {}\n',
  },
  [
    ['src/Cart.php', 'this.clean', 'src/Base.php Base.clean 0.9'],
    ['src/Cart.php', 'this.countAll', 'src/Countable.php Countable.countAll 0.9'],
    ['src/Cart.php', 'self.make', 'src/Cart.php Cart.make 0.9'],
    ['src/Cart.php', 'parent.clean', 'src/Base.php Base.clean 0.9'],
    ['src/Cart.php', 'money.roundUp', 'src/Money.php Money.roundUp 0.85'],
    ['src/Http/Page.php', 'cart.total', 'src/Cart.php Cart.total 0.85'],
    ['src/Http/Page.php', 'Cart.make', 'src/Cart.php Cart.make 0.9'],
    ['src/Http/Page.php', 'only_here', 'functions.php only_here 0.7'],
    ['src/Http/Page.php', 'str_pad', 'nothing'],
  ],
)

check(
  'Ruby',
  {
    'app/models/cart.rb': `class Cart < Base
  def total
    inherited_total
    Shop::Money.round_up(1)
    self.class.build
  end
  def self.build
    new
  end
end
`,
    'app/models/base.rb': 'class Base\n  def inherited_total\n    1\n  end\nend\n',
    'app/models/shop/money.rb':
      'module Shop\n  class Money\n    def self.round_up(value)\n      value\n    end\n  end\nend\n',
    'app/jobs/job.rb':
      'class Job\n  def perform\n    Cart.build\n    JSON.generate(1)\n  end\nend\n',
  },
  [
    ['app/models/cart.rb', 'inherited_total', 'app/models/base.rb Base.inherited_total 0.9'],
    ['app/models/cart.rb', 'Money.round_up', 'app/models/shop/money.rb Money.round_up 0.85'],
    ['app/jobs/job.rb', 'Cart.build', 'app/models/cart.rb Cart.build 0.85'],
    ['app/jobs/job.rb', 'JSON.generate', 'nothing'],
  ],
)

check(
  'Rust',
  {
    'Cargo.toml': '[package]\nname = "shop"\n',
    'src/lib.rs':
      'pub mod cart;\nmod money;\npub use cart::Cart;\npub fn open() { money::round_up(1); }\n',
    'src/cart.rs': `use crate::money::{self, round_up};
pub struct Cart { size: u32 }
impl Cart {
    pub fn new() -> Self { Self::empty() }
    fn empty() -> Self { Cart { size: 0 } }
    pub fn total(&self) -> u32 { self.count(); round_up(1); money::round_up(2) }
    fn count(&self) -> u32 { self.size }
}
`,
    'src/money.rs': 'pub fn round_up(value: u32) -> u32 { value }\n',
    'src/main.rs':
      'use shop::Cart;\nfn run(cart: &Cart) { cart.total(); Cart::new(); }\nfn main() { shop::open(); String::new(); }\n',
  },
  [
    ['src/cart.rs', 'Self.empty', 'src/cart.rs Cart.empty 0.9'],
    ['src/cart.rs', 'self.count', 'src/cart.rs Cart.count 0.9'],
    ['src/cart.rs', 'round_up', 'src/money.rs round_up 0.95'],
    ['src/cart.rs', 'money.round_up', 'src/money.rs round_up 0.95'],
    ['src/lib.rs', 'money.round_up', 'src/money.rs round_up 0.95'],
    ['src/main.rs', 'cart.total', 'src/cart.rs Cart.total 0.85'],
    ['src/main.rs', 'Cart.new', 'src/cart.rs Cart.new 0.9'],
    ['src/main.rs', 'String.new', 'nothing'],
  ],
)

check(
  'C and C++',
  {
    'include/cart.h': 'int cart_total(int size);\nstruct cart { int size; };\n',
    'src/cart.c':
      '#include "cart.h"\nstatic int helper(void) { return 1; }\nint cart_total(int size) { return helper(); }\n',
    'src/other.c':
      'static int helper(void) { return 2; }\nint lonely_function(void) { return helper(); }\n',
    'src/main.c':
      '#include <stdio.h>\n#include "cart.h"\nint main(void) { printf("a"); cart_total(1); lonely_function(); helper(); return 0; }\n',
    'src/till.hpp':
      'namespace acme { class Till { public: int ring(int a); static int open(); }; }\n',
    'src/till.cpp':
      '#include "till.hpp"\nint acme::Till::ring(int a) { return open() + a; }\nint acme::Till::open() { return 1; }\n',
    'src/use.cpp':
      '#include "till.hpp"\nusing acme::Till;\nint use(Till& till) { return till.ring(1) + Till::open(); }\n',
  },
  [
    ['src/cart.c', 'helper', 'src/cart.c helper 0.95'],
    ['src/main.c', 'cart_total', 'include/cart.h cart_total, src/cart.c cart_total 0.8'],
    ['src/main.c', 'lonely_function', 'src/other.c lonely_function 0.7'],
    ['src/main.c', 'helper', 'nothing'],
    ['src/main.c', 'printf', 'nothing'],
  ],
)

describe('exports and edges', () => {
  let code: ResolvedCode
  beforeAll(async () => {
    code = await resolveCode({
      'go.mod': 'module acme.example/shop\n',
      'lib/a.go': 'package lib\n\nfunc Used() {}\n',
      'lib/b.go': 'package lib\n\nfunc Unused() {}\n',
      'main.go':
        'package main\n\nimport "acme.example/shop/lib"\n\nfunc main() { lib.Used(); lib.Used() }\n',
      'index.ts':
        "export { default as Shop } from './shop'\nexport * from './shop'\nexport * from './lost'\n",
      'shop.ts':
        'const shop = { open() {} }\nexport default shop\nexport const rate = 1\nconst inner = 2\n',
      'common.cjs': 'function ring() {}\nmodule.exports = { ring }\nexports.close = () => 1\n',
      'app.ts':
        "import { Base } from './base'\nimport { Shop, rate } from './index'\nimport type { Options } from './base'\nexport class App extends Base { constructor(options: Options) { super(); use(rate); Shop.open() } }\n",
      'base.ts': 'export class Base {}\nexport interface Options {}\n',
      'page.vue':
        '<template><p/></template>\n<script setup lang="ts">\nimport { rate } from "./shop"\nuse(rate)\n</script>\n',
    })
  })

  it('follows an exported name to its definition', () => {
    const at = (path: string, name: string) =>
      resolveExport(code.view, path, name).map((place) => `${place.path}:${place.ordinal}`)
    const shop = code.view.fileIndex('shop.ts')!.symbols
    const ordinal = (name: string) => `shop.ts:${shop.findIndex((symbol) => symbol.name === name)}`
    expect(at('index.ts', 'rate')).toEqual([ordinal('rate')])
    expect(at('index.ts', 'Shop')).toEqual([ordinal('shop')])
    expect(at('index.ts', 'nothing')).toEqual([])
    expect(at('nowhere.ts', 'rate')).toEqual([])
  })

  it('lists the dependencies of a file with their kinds', () => {
    expect(code.edges('app.ts')).toEqual([
      'call shop.ts',
      'extends base.ts',
      'import base.ts',
      'import index.ts',
      'reference base.ts',
      'reference shop.ts',
    ])
    expect(code.edges('page.vue')).toEqual(['import shop.ts', 'reference shop.ts'])
    expect(code.edges('nowhere.ts')).toEqual([])
  })

  it('links an imported package to the files that are used', () => {
    expect(code.edges('main.go')).toEqual(['call lib/a.go', 'import lib/a.go'])
    expect(resolveEdgeSites(code, 'main.go', 'call')).toBe(1)
  })
})

describe('a view with some files only', () => {
  it('resolves references to its files, and to symbols of files without an index', async () => {
    const files = {
      'app.ts':
        "import { Cart } from './cart'\nimport { rate } from './rates'\nexport const all = [new Cart(), rate()]\n",
      'cart.ts': 'export class Cart {}\n',
      'rates.ts': 'export function rate() {}\n',
    }
    const whole = await resolveCode(files)
    const loaded = new Set(['app.ts', 'cart.ts'])
    const partial = openCodeView(
      {
        fileIndex: (path) => (loaded.has(path) ? whole.view.fileIndex(path) : undefined),
        definitionsOf: (name) => whole.view.definitionsOf(name),
        filesInNamespace: () => [],
      },
      whole.view.imports,
    )
    const code = inspectCode(partial, whole.resolution)
    expect(code.referenceTarget('app.ts', 'Cart')).toBe('cart.ts Cart 0.95')
    expect(
      resolveReferences(partial, 'app.ts').flatMap(({ targets }) =>
        targets.map(({ path }) => path),
      ),
    ).toContain('rates.ts')
    expect(resolveReferences(partial, 'rates.ts')).toEqual([])
  })
})

describe('hostile index entries', () => {
  it('survives cycles of exports, of classes, and of nested symbols', async () => {
    const chain = Array.from({ length: 40 }, (_, index) => [
      `chain${index}.ts`,
      `export * from './chain${index + 1}'\nexport * from './chain${(index * 7) % 40}'\n`,
    ])
    const classes = Array.from(
      { length: 300 },
      (_, index) => `class C${index} extends C${(index * 31 + 1) % 300} {}`,
    )
    const code = await resolveCode({
      ...Object.fromEntries(chain),
      'app.ts': "import { missing } from './chain0'\nmissing()\n",
      'classes.ts': `${classes.join('\n')}\nexport class D extends C0 { go() { this.lost(); super.lost() } }\n`,
      'self.ts':
        'const x: x.T = 1\nexport namespace y { export class T extends y.T {} }\nexport const z = () => { x.go(); y.T.go() }\n',
    })
    expect(code.referenceTarget('app.ts', 'missing')).toBe('nothing')
    expect(code.referenceTarget('classes.ts', 'this.lost')).toBe('nothing')
    expect(code.referenceTarget('self.ts', 'x.go')).toBe('nothing')
    const facts = code.view.fileIndex('self.ts')!
    const looped = {
      ...facts,
      symbols: facts.symbols.map((symbol, index) => ({ ...symbol, within: (index + 1) % 2 })),
    }
    const view = createCodeView([['self.ts', looped]], code.view.imports)
    expect(() => resolveReferences(view, 'self.ts')).not.toThrow()
  })
})

function resolveEdgeSites({ view }: ResolvedCode, path: string, kind: string): number | undefined {
  return resolveFileEdges(view, path).find((edge) => edge.kind === kind)?.sites
}
