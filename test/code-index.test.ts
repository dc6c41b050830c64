// The code index of TypeScript, JavaScript, Python, Go and Java files, hostile files and storage.
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { decodeFileIndex, encodeFileIndex } from '../src/code/indexing/encode-file-index.ts'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import type { FileIndex } from '../src/languages/code-index.ts'
import { formatFileIndex, trimLines } from './format-file-index.ts'

const reader = createSyntaxParser({ threads: 2, fileDeadlineMs: 20_000 })
afterAll(() => reader[Symbol.asyncDispose]())

async function readFacts(path: string, bytes: Uint8Array) {
  const [result] = await reader.index([{ path, bytes }])
  if (!result || 'unparsed' in result) throw new Error(`${path}: ${result?.unparsed}`)
  return formatFileIndex(result.index)
}

const wholeFiles = {
  TypeScript: {
    path: 'cart.ts',
    whole: `
      57 lines, complexity 16, namespace null`,
    symbols: `
      + interface Sells 8-11 < Priced
      + method Sells.sell 9-9 c1 (1..2)
      + method Sells.price 10-10 c1 (1..1)
      + value taxRate 13-13
      - value cache 14-14
      + class Cart 17-44 < Base, Sells
      + method Cart.onSold 19-19 c1 (1..1)
      + method Cart.constructor 21-24 c1 (1..2)
      + method Cart.sell 26-39 c7 (2..)
      - method Cart.tidy 41-43 c1 (1..1)
      - function tidy 46-48 c2 (1..1)
      + enum State 50-53
      - function helper 55-55 c1 (1..1)
      + value default 57-57
      + value isOpen 56-56`,
    imports: `
      1 type ./item.js Item
      2 static ../log.js default>createLog Log level>logLevel
      3 static @shop/prices *>prices
      4 reexport ./till.js Till Coin>Money
      5 reexport ./shelf.js *
      6 static node:fs *>fs
      27 dynamic ./round.js round
      56 reexport ../log.js level>logLevel`,
    references: `
      8 extends Priced in Sells
      9 type Item in Sells.sell
      9 type Receipt in Sells.sell
      10 type Item in Sells.price
      14 type Item in cache
      16 call registered(1)
      17 extends prices.Base in Cart
      17 extends Sells in Cart
      17 type Item in Cart
      17 value prices in Cart
      18 new Till(1) in Cart
      19 call log(1) in Cart.onSold
      21 type Log in Cart.constructor
      23 new Order(1) in Cart.constructor
      26 type Options in Cart.sell
      26 type Receipt in Cart.sell
      28 type Order in Cart.sell
      28 call orders.get(1) in Cart.sell
      29 call order.add in Cart.sell
      31 call round(1) in Cart.sell
      31 call order.total(1) in Cart.sell
      31 value taxRate in Cart.sell
      31 call createLog(1) in Cart.sell
      31 value cache in Cart.sell
      33 value logLevel in Cart.sell
      33 type Receipt in Cart.sell
      34 call Failure.from(1) in Cart.sell
      34 value prices.Failure in Cart.sell
      34 value prices in Cart.sell
      37 call tidy(1) in Cart.sell
      46 type Receipt in tidy
      47 call fs.existsSync(1) in tidy
      47 value fs in tidy
      47 new prices.Receipt(1) in tidy
      47 value prices in tidy
      55 type State in helper
      55 value State.Open in helper
      55 value State in helper
      57 new Cart(1) in default
      57 value createLog in default`,
    bindings: `
      (): Receipt in Sells.sell
      item: Item in Sells.sell
      item: Item in Sells.price
      #till: Till in Cart
      item: T in Cart.onSold
      log: Log in Cart.constructor
      log: Log in Cart
      order: Order in Cart
      (): Receipt in Cart.sell
      item: T in Cart.sell
      order: Order in Cart.sell
      (): T in Cart.tidy
      item: T in Cart.tidy
      (): Receipt in tidy
      state: State in helper`,
  },
  JavaScript: {
    path: 'cart.jsx',
    whole: `
      25 lines, complexity 10, namespace null`,
    symbols: `
      + value shelf 4-9
      + method shelf.find 5-7 c1 (1..1)
      + method shelf.count 8-8 c1 (0..0)
      + function Cart 11-14 c1 (1..1)
      - class Row 16-20 < Row
      - method Row.show 18-18 c1 (0..0)
      - method Row.of 19-19 c1 (1..1)
      + function pay 22-22 c3 (1..2)
      + function open 24-24 c1 (1..1)
      + value default 25-25`,
    imports: `
      1 static ./till Till Coin>Money
      2 static ./prices default>prices
      3 static ./setup`,
    references: `
      6 call prices.of(1) in shelf.find
      6 value prices in shelf.find
      8 value Till.count in shelf.count
      8 value Till in shelf.count
      13 call List in Cart
      13 value Money in Cart
      13 call Shelf.Row in Cart
      13 value pay in Cart
      16 extends Shelf.Row in Row
      18 call this.pay(1) in Row.show
      19 new Row(1) in Row.of
      22 call shelf.find(1) in pay
      22 value shelf in pay
      23 value pay
      25 value Cart in default
      25 value shelf in default`,
    bindings: `
      (): ? in shelf.find
      (): Row in Row.of
      (): ? in open`,
  },
  Python: {
    path: 'cart.py',
    whole: `
      54 lines, complexity 19, namespace null`,
    symbols: `
      + value TAX_RATE 11-11
      + class Cart 20-50 < Base, Generic
      + method Cart.__init__ 23-26 c1 (1..)
      + method Cart.of 29-29 c1 (2..3)
      + method Cart.sell 31-48 c11 (1..2)
      - method Cart._hidden 50-50 c1 (0..0)
      + function sell 53-53 c1 (1..2)
      + function helper 54-54 c1 (0..0)`,
    imports: `
      3 static os.path *>path
      3 static shop.prices *>prices
      4 static . shelf
      5 static ..till Till Coin>Money
      6 all .helpers
      8 static .items Item
      13 static ujson *>json`,
    references: `
      18 call registered(1)
      19 call dataclass
      20 extends prices.Base in Cart
      20 extends Generic in Cart
      20 value prices in Cart
      21 type Till in Cart
      21 call Till(1) in Cart
      23 type Log in Cart.__init__
      23 type Item in Cart.__init__
      23 type Order in Cart.__init__
      24 call super.__init__(1) in Cart.__init__
      26 call shelf.Shelf(1) in Cart.__init__
      26 value shelf in Cart.__init__
      31 type Item in Cart.sell
      31 type Optional in Cart.sell
      31 type shelf.Paper in Cart.sell
      32 type Order in Cart.sell
      32 call orders.get(1) in Cart.sell
      34 value TAX_RATE in Cart.sell
      35 call self.add in Cart.sell
      36 call round_up(1) in Cart.sell
      37 call path.join(2) in Cart.sell
      37 call lock(0) in Cart.sell
      40 call sell in Cart.sell
      42 call Failure(1) in Cart.sell
      44 type Coin in Cart.sell
      45 call pay(1) in Cart.sell
      48 call line.price(1) in Cart.sell
      48 value json in Cart.sell
      48 value Money.count in Cart.sell
      48 value Money in Cart.sell
      48 value shelf.default in Cart.sell
      48 value shelf in Cart.sell
      53 type Cart in sell
      53 call Cart(1) in sell
      54 value sell in helper`,
    bindings: `
      till: Till in Cart
      log: Log in Cart.__init__
      order: Order in Cart.__init__
      log: Log in Cart
      shelf: Shelf in Cart
      item: Item in Cart.sell
      wrapped: Paper in Cart.sell
      cart: Cart in sell`,
  },
  Go: {
    path: 'cart.go',
    whole: `
      55 lines, complexity 10, namespace carts`,
    symbols: `
      + value Most 13-13
      - value least 14-14
      - value open 14-14
      - value defaultTill 17-17
      + interface Seller 19-22 < Payer
      + method Seller.Sell 21-21 c1 (1..)
      + class Cart 24-29 < Base, Table
      + type ID 31-31
      + type Alias 32-32
      + method Sell 34-52 of Cart c6 (1..)
      - function tidy 54-54 c1 (1..1)
      + function Collect 55-55 c1 (1..1)`,
    imports: `
      4 static context *>context
      5 all strings
      6 static embed
      8 static github.com/acme/shop/payments/v2 *>pay
      9 static gopkg.in/prices.v3 *>prices`,
    references: `
      17 new pay.Till in defaultTill
      20 extends pay.Payer in Seller
      21 type context.Context in Seller.Sell
      21 type Item in Seller.Sell
      21 type Receipt in Seller.Sell
      24 type Item in Cart
      25 extends Base in Cart
      26 extends prices.Table in Cart
      27 type pay.Till in Cart
      32 type Cart in Alias
      32 type Item in Alias
      34 type Cart in Sell
      34 type context.Context in Sell
      34 type Item in Sell
      34 type Receipt in Sell
      35 new Order in Sell
      35 value Most in Sell
      36 call order.Lines in Sell
      36 type Coupon in Sell
      38 call line.Check(2) in Sell
      38 value open in Sell
      39 call prices.Wrap(1) in Sell
      39 value prices in Sell
      42 call c.find(0) in Sell
      43 type Item in Sell
      44 call found.Use(0) in Sell
      46 call tidy(1) in Sell
      46 value least in Sell
      47 call prices.Each(2) in Sell
      47 value prices in Sell
      48 type prices.Kind in Sell
      48 value Most in Sell
      48 value prices.Food in Sell
      48 value prices in Sell
      49 type Shelf in Sell
      50 call shelf.Put(2) in Sell
      51 call Collect(1) in Sell
      54 call defaultTill.Close(0) in tidy
      54 value defaultTill in tidy
      55 type Order in Collect`,
    bindings: `
      defaultTill: Till
      (): Receipt in Seller.Sell
      ctx: Context in Seller.Sell
      till: Till in Cart
      spare: Till in Cart
      (): Receipt in Sell
      c: Cart in Sell
      ctx: Context in Sell
      receipt: Receipt in Sell
      order: Order in Sell
      lines: order.Lines() in Sell
      made: Coupon in Sell
      err: line.Check() in Sell
      shelf: Shelf in Sell
      (): T in Collect
      order: Order in Collect`,
  },
  Java: {
    path: 'Cart.java',
    whole: `
      43 lines, complexity 17, namespace com.acme.shop`,
    symbols: `
      + class Cart 10-41 < Base, Sells, Priced
      + value Cart.MOST 11-11
      + value Cart.LEAST 11-11
      + method Cart.Cart 15-18 c1 (1..)
      + method Cart.sell 21-33 c9 (2..2)
      - method Cart.tidy 35-35 c1 (0..0)
      + interface Cart.Door 37-37 < Opens
      + method Cart.Door.isOpen 37-37 c1 (1..1)
      + enum Cart.State 38-38 < Named
      + method Cart.State.State 38-38 c1 (1..1)
      + class Cart.Coin 39-39
      + method Cart.Coin.Coin 39-39 c1 (0..0)
      + interface Cart.Known 40-40
      + method Cart.Known.value 40-40 c1 (0..0)
      + class Helper 43-43
      + method Helper.make 43-43 c1 (0..0)`,
    imports: `
      3 static com.acme.prices.Price Price
      4 all com.acme.shelf
      5 static com.acme.prices.Rounding up
      6 all com.acme.shop.Limits`,
    references: `
      9 type Registered in Cart
      10 extends acme.Base in Cart
      10 extends Sells in Cart
      10 extends Priced in Cart
      10 type Item in Cart
      10 type Price in Cart
      12 type Till in Cart
      12 new Till(1) in Cart
      13 type Shelf in Cart
      15 type Log in Cart.Cart
      17 new Shelf(1) in Cart.Cart
      21 type Receipt in Cart.sell
      21 type Checked in Cart.sell
      21 type Item in Cart.sell
      21 type Refused in Cart.sell
      22 new Order(1) in Cart.sell
      22 call tidy(0) in Cart.sell
      23 type Line in Cart.sell
      23 call order.lines(0) in Cart.sell
      23 call line.price(1) in Cart.sell
      24 type Till in Cart.sell
      24 call Till.open(0) in Cart.sell
      24 call till.lock(0) in Cart.sell
      25 call order.forEach(1) in Cart.sell
      25 call line.add(2) in Cart.sell
      26 type Refused in Cart.sell
      26 type Closed in Cart.sell
      27 call error.report(0) in Cart.sell
      29 type Gift in Cart.sell
      29 call gift.wrap(1) in Cart.sell
      29 type Color in Cart.sell
      30 type Price in Cart.sell
      30 call up(1) in Cart.sell
      30 call .total(0) in Cart.sell
      30 call till.pay(1) in Cart.sell
      31 call this.tidy(0) in Cart.sell
      32 call order.isOpen(0) in Cart.sell
      32 call lines.map(1) in Cart.sell
      32 type Receipt in Cart.sell
      32 call super.sell(2) in Cart.sell
      37 extends Opens in Cart.Door
      37 type Price in Cart.Door.isOpen
      38 extends Named in Cart.State
      39 type Price in Cart.Coin
      39 call check(1) in Cart.Coin.Coin
      43 type Cart in Helper.make
      43 type Item in Helper.make`,
    bindings: `
      till: Till in Cart
      shelf: Shelf in Cart
      log: Log in Cart.Cart
      (): Receipt in Cart.sell
      item: Item in Cart.sell
      order: Order in Cart.sell
      line: Line in Cart.sell
      open: Till in Cart.sell
      lock: till.lock() in Cart.sell
      gift: Gift in Cart.sell
      price: Price in Cart.sell
      none: Price in Cart.sell
      at: Price in Cart.Door.isOpen
      price: Price in Cart.Coin
      (): Cart in Helper.make`,
  },
}

describe('index of a whole file', () => {
  it.each(Object.entries(wholeFiles))('in %s', async (_language, { path, ...expected }) => {
    const facts = await readFacts(
      path,
      await readFile(new URL(`fixtures/facts/${path}`, import.meta.url)),
    )
    for (const [part, lines] of Object.entries(expected))
      expect(facts[part as keyof typeof expected], part).toEqual(trimLines(lines))
  })
})

type Part = 'whole' | 'symbols' | 'imports' | 'references' | 'bindings'

/** Indexes a text and returns one part of its index. */
const particulars: readonly [
  what: string,
  path: string,
  text: string,
  part: Part,
  expected: string,
][] = [
  [
    'TypeScript: what a function makes for itself is no reference, wherever it is made',
    'a.ts',
    `import { a, b, c, d, e, f, g, h } from './x.js'
    function local({ a, b: [b = g] }, ...c) {
      for (const d of h(a)) d(b, c)
      try {} catch (e) { e() }
      function f<g>(x: g) {}
      return (h) => f(h)
    }
    if (a) { const b = 1; b() }
    b(c, d => d, e)`,
    'references',
    `2 value g in local
     3 call h(1) in local
     8 value a
     9 call b(3)
     9 value c
     9 value e`,
  ],
  [
    'TypeScript: names taken apart, namespaces, overloads, what is declared for others',
    'a.ts',
    `export const { a, b: { c }, ...d } = load(), e = 1
    export namespace Shop { export const till = 1; function hidden() {} }
    declare module 'other' { export function f(): void }
    export function g(n: number): void
    export function g(n: string | number, m?: string): void {}
    export default async function (this: Shop) {}
    export const sold = { sell(n: number) {}, inner: { deep() {} }, quick: () => 1 } as const`,
    'symbols',
    `+ value a 1-1
     + value c 1-1
     + value d 1-1
     + value e 1-1
     + module Shop 2-2
     + value Shop.till 2-2
     - function Shop.hidden 2-2 c1 (0..0)
     + function f 3-3 c1 (0..0)
     + function g 4-4 c1 (1..1)
     + function g 5-5 c1 (1..2)
     + function default 6-6 c1 (0..0)
     + value sold 7-7
     + method sold.sell 7-7 c1 (1..1)
     + method sold.quick 7-7 c1 (0..0)`,
  ],
  [
    'JavaScript: classes as they once were written, and what CommonJS hands out',
    'a.js',
    `function Cart() {}
    Cart.prototype.sell = function (item, count) {}
    Cart.of = () => new Cart()
    other.thing = function () {}
    exports.helper = helper
    function helper() {}
    module.exports = class Till { pay() {} }`,
    'symbols',
    `- function Cart 1-1 c1 (0..0)
     + method sell 2-2 of Cart c1 (2..2)
     + method of 3-3 of Cart c1 (0..0)
     + function helper 6-6 c1 (0..0)
     + class Till 7-7
     + method Till.pay 7-7 c1 (0..0)`,
  ],
  [
    'JavaScript: modules that are asked for here and there',
    'a.js',
    `const { a, b: c = 1 } = require('x'), d = require('y').e
    import('./lazy.js').then((m) => m.go())
    export * as all from './all.js'
    export { default as one, two } from './some.js'
    import './effects.css'
    require(computed)`,
    'imports',
    `1 static x a b>c
     1 static y e>d
     2 dynamic ./lazy.js
     3 reexport ./all.js *>all
     4 reexport ./some.js default>one two
     5 static ./effects.css`,
  ],
  [
    'Vue: the scripts of a page on their own lines, as TypeScript',
    'a.vue',
    [
      '<template>',
      '  <Cart @click="sell()" />',
      '</template>',
      '<script lang="ts">',
      'export const a: Shop = 1',
      '</script>',
      '<style></style>',
      '<script setup>',
      'import Cart from "./Cart.vue"',
      'open(a)',
      '</script>',
      '',
    ].join('\n'),
    'references',
    `5 type Shop in a
     10 call open(1)
     10 value a`,
  ],
  [
    'Astro: what stands before the page',
    'a.astro',
    [
      '---',
      'import Cart from "./Cart.astro"',
      '---',
      '<Cart />',
      '<script>',
      'import { go } from "./go.js"',
      '</script>',
      '',
    ].join('\n'),
    'imports',
    `2 static ./Cart.astro default>Cart
     6 static ./go.js go`,
  ],
  [
    'Python: what a function makes for itself is no reference',
    'a.py',
    `from x import a, b, c, d, e, f
def local(a, *b, **c):
    with open(a) as d:
        e: int = d(b)
    [f for f in c if f]
    return lambda g: g(e, f)
class Cart:
    a = b
`,
    'references',
    `6 value f in local
     8 value b in Cart`,
  ],
  [
    'Python: what is hidden, and what is said to be for others all the same',
    'a.py',
    `__all__ = ("_open",)
_open = 1
_closed = 2
a = b = 3
class _Cart:
    def sell(self): pass
    @staticmethod
    def of(item, *, count): pass
    def __len__(self): pass
if True:
    def late(a, b=1): pass
else:
    def late(): pass
`,
    'symbols',
    `+ value _open 2-2
     - value _closed 3-3
     + value a 4-4
     + value b 4-4
     - class _Cart 5-9
     - method _Cart.sell 6-6 c1 (0..0)
     - method _Cart.of 8-8 c1 (2..2)
     - method _Cart.__len__ 9-9 c1 (0..0)
     + function late 11-11 c1 (1..2)
     + function late 13-13 c1 (0..0)`,
  ],
  [
    'Go: what a function makes for itself is no reference',
    'a.go',
    `package a
import "x"
var y, z = 1, 2
func local[T any](a T) {
	x := x.New()
	for y := range x { use(y, z) }
	if z := f(y); z > 0 { z() }
	g(func(use int) { use(x, y) }, Cart{y: z})
}
`,
    'references',
    `5 call x.New(0) in local
     6 call use(2) in local
     6 value z in local
     7 call f(1) in local
     7 value y in local
     8 call g(2) in local
     8 value y in local
     8 new Cart in local
     8 value z in local`,
  ],
  [
    'Java: what a method makes for itself is no reference, nor are parameters of types',
    'A.java',
    `import x.Cart; import x.Color;
class A<T> {
  <U> T local(U item, Cart Color) {
    for (Cart line : lines) Color.sell(line);
    try { } catch (Refused Cart) { Cart.report(); }
    return run((Color, b) -> Color.RED);
  }
}
`,
    'references',
    `3 type Cart in A.local
     4 type Cart in A.local
     4 call Color.sell(1) in A.local
     5 type Refused in A.local
     5 call Cart.report(0) in A.local
     6 call run(1) in A.local`,
  ],
]

describe('file index', () => {
  it.each(particulars)('%s', async (_what, path, text, part, expected) => {
    expect((await readFacts(path, Buffer.from(text)))[part]).toEqual(trimLines(expected))
  })

  it('has one-line signatures without decorators and bodies', async () => {
    const [result] = await reader.index([
      {
        path: 'a.ts',
        bytes: Buffer.from(
          [
            '@sealed()',
            'export class Cart<',
            '  T,',
            '> extends Base {',
            '  static of = (n: number): Cart => new Cart()',
            '}',
            'export const rate = 0.19',
            '',
          ].join('\n'),
        ),
      },
    ])
    expect(
      result && 'index' in result && result.index.symbols.map(({ signature }) => signature),
    ).toEqual([
      'export class Cart< T, > extends Base',
      'static of = (n: number): Cart',
      'export const rate = 0.19',
    ])
  })

  it('is the same for a single file as for many', async () => {
    await using syntax = createSyntaxParser({ fileDeadlineMs: 20_000 })
    const text = 'import { a } from "./a.js"\nexport const b = () => a(1)\n'
    const [result] = await reader.index([{ path: 'a.ts', bytes: Buffer.from(text) }])
    expect(await syntax.indexFile('a.ts', text)).toEqual(
      result && 'index' in result && result.index,
    )
    expect(await syntax.indexFile('a.txt', text)).toBeUndefined()
  })
})

const good = { path: 'good.ts', bytes: Buffer.from('export const a = 1\n') }

describe('hostile files', () => {
  it('case 39: marks a file that takes too long as unparsed and reads the others', async () => {
    await using impatient = createSyntaxParser({ threads: 1, fileDeadlineMs: 100 })
    const hanging = { path: 'hanging.ts', bytes: Buffer.from('['.repeat(500_000)) }
    const results = await impatient.index([
      good,
      hanging,
      good,
      { ...hanging, path: 'hanging.py' },
      good,
    ])
    expect(
      results.map((result) =>
        'unparsed' in result ? result.unparsed : result.index.symbols[0]?.name,
      ),
    ).toEqual(['a', 'too slow', 'a', 'too slow', 'a'])
  })

  it("case 39: marks a file that exhausts the parser's memory as unparsed", async () => {
    const greedy = { path: 'greedy.cpp', bytes: Buffer.from('a<b<'.repeat(120_000)) }
    const results = await reader.index([good, greedy, good])
    expect(
      results.map((result) =>
        'unparsed' in result ? result.unparsed : result.index.symbols.length,
      ),
    ).toEqual([1, 'could not be parsed', 1])
  })

  it('distinguishes oversized files from unknown languages', async () => {
    const results = await reader.index([
      { path: 'large.ts', bytes: Buffer.alloc(512 * 1024 + 1, 'a') },
      { path: 'notes.txt', bytes: Buffer.from('notes') },
      { path: 'empty.ts', bytes: Buffer.alloc(0) },
    ])
    expect(
      results.map((result) => ('unparsed' in result ? result.unparsed : result.index.lines)),
    ).toEqual(['too large', 'no grammar', 0])
  })

  const deep = 30_000
  it.each([
    ['a.ts', 'function f(){'.repeat(deep), '}'.repeat(deep)],
    ['b.ts', `x = ${'['.repeat(deep)}`, ']'.repeat(deep)],
    ['c.ts', `type A = ${'B<'.repeat(2_000)}`, '>'.repeat(2_000)],
    ['a.py', `x = ${'('.repeat(deep)}`, ')'.repeat(deep)],
    ['a.go', `package a\nfunc f() { ${'{'.repeat(deep)}`, `${'}'.repeat(deep)} }`],
    ['A.java', `class A { void f() { ${'{'.repeat(deep)}`, `${'}'.repeat(deep)} } }`],
    ['d.ts', `a${'.b()'.repeat(deep)}`, ''],
    ['e.ts', `x = ${'a && '.repeat(deep)}`, 'b'],
    ['f.js', 'a(b);'.repeat(deep), ''],
    ['a.vue', '<script>'.repeat(deep), '<script '.repeat(deep)],
  ])('reads code that is nested and repeated without end: %s', async (path, opening, closing) => {
    const [result] = await reader.index([{ path, bytes: Buffer.from(opening + closing) }])
    expect(result).toHaveProperty('index')
  })

  it('limits symbols, imports, names and bases, and marks the index as cut', async () => {
    const texts = [
      'class A {}\n'.repeat(6_000),
      'import "a"\n'.repeat(6_000),
      `import { ${'a, '.repeat(2_000)} } from "a"`,
      `class A implements ${'B, '.repeat(200)} C {}`,
      Array.from({ length: 52_000 }, (_, index) => `f(${index})`).join('\n'),
    ]
    const results = await reader.index(
      texts.map((text, index) => ({ path: `${index}.ts`, bytes: Buffer.from(text) })),
    )
    const facts = results.map((result) => ('index' in result ? result.index : undefined))
    expect(facts.map((one) => one?.incomplete)).toEqual([true, true, true, true, true])
    expect(facts[0]?.symbols.length).toBe(5_000)
    expect(facts[1]?.imports.length).toBe(5_000)
    expect(facts[2]?.imports[0]?.names.length).toBe(1_000)
    expect(facts[3]?.symbols[0]?.extends.length).toBe(50)
    expect(facts[4]?.references.length).toBe(50_000)
  })

  it('accepts bytes that are not text', async () => {
    const bytes = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0]),
      Buffer.from('\nexport const ä = f("😀")\n'),
    ])
    expect((await readFacts('a.ts', bytes)).references).toEqual(['2 call f(1) in ä'])
  })
})

const name = fc.string({ unit: 'binary', maxLength: 20 })
const within = fc.integer({ min: -1, max: 50 })
const line = fc.integer({ min: 1, max: 100_000 })
const anyFacts: fc.Arbitrary<FileIndex> = fc.record({
  lines: fc.nat(),
  complexity: fc.nat(),
  namespace: fc.option(name),
  incomplete: fc.boolean(),
  symbols: fc.array(
    fc.record({
      name,
      kind: fc.constantFrom(
        'function',
        'method',
        'class',
        'interface',
        'type',
        'enum',
        'module',
        'value',
      ),
      startLine: line,
      endLine: line,
      within,
      owner: fc.option(name),
      exported: fc.boolean(),
      signature: name,
      complexity: fc.nat(),
      parameters: fc.option(fc.record({ least: fc.nat(), most: fc.option(fc.nat()) })),
      extends: fc.array(name),
    }),
  ),
  imports: fc.array(
    fc.record({
      line,
      from: name,
      names: fc.array(fc.record({ name, local: name })),
      kind: fc.constantFrom('static', 'dynamic', 'reexport', 'type', 'include', 'system', 'all'),
    }),
  ),
  references: fc.array(
    fc.record({
      name,
      qualifier: fc.option(name),
      kind: fc.constantFrom('call', 'new', 'type', 'extends', 'value'),
      line,
      within,
      arguments: fc.option(fc.nat()),
    }),
  ),
  bindings: fc.array(fc.record({ name, type: name, within })),
})

describe('serialized index', () => {
  it('is restored unchanged', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        expect(decodeFileIndex(encodeFileIndex(facts))).toEqual(facts)
      }),
    )
  })

  it('is refused when invalid', () => {
    expect(() => decodeFileIndex(Buffer.from('not facts'))).toThrow()
  })
})
