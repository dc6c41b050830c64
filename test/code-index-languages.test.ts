// The code index of C#, Ruby, Rust, PHP, C++, C, Kotlin and Scala files.
import { readFile } from 'node:fs/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'
import { formatFileIndex, trimLines } from './format-file-index.ts'

const reader = createSyntaxParser({ threads: 1, fileDeadlineMs: 20_000 })
afterAll(() => reader[Symbol.asyncDispose]())

async function readFacts(path: string, bytes: Uint8Array) {
  const [result] = await reader.index([{ path, bytes }])
  if (!result || 'unparsed' in result) throw new Error(`${path}: ${result?.unparsed}`)
  return formatFileIndex(result.index)
}

const wholeFiles = {
  'C#': {
    path: 'cart.cs',
    whole: `
      35 lines, complexity 10, namespace Shop.Carts`,
    symbols: `
      + interface ISells 8-8 < IPriced
      + method ISells.Sell 8-8 c1 (1..2)
      + class Cart 10-33 < BaseCart, ISells
      + value Cart.Till 13-13
      + value Cart.Most 14-14
      + method Cart.Cart 16-16 c1 (1..)
      + method Cart.SellAsync 18-28 c6 (1..2)
      + method Cart.Dispose 30-30 c1 (0..0)
      - enum Cart.State 32-32
      - value Cart.State.Open 32-32
      - value Cart.State.Closed 32-32
      + class Line 35-35
      + value Line.Name 35-35
      + value Line.Price 35-35`,
    imports: `
      1 all System
      2 all Shop.Prices.Rounding
      3 static Shop.Storage.Shelf Shelf>Stock
      4 all Shop.Common`,
    references: `
      8 extends IPriced in ISells
      8 type Receipt in ISells.Sell
      8 type Item in ISells.Sell
      10 extends BaseCart in Cart
      10 extends ISells in Cart
      10 type ILogger in Cart
      10 type Item in Cart
      12 type Stock in Cart
      12 new Stock(1) in Cart
      13 type Till in Cart.Till
      16 type Till in Cart.Cart
      18 type Task in Cart.SellAsync
      18 type Receipt in Cart.SellAsync
      18 type Item in Cart.SellAsync
      18 type Options in Cart.SellAsync
      20 new Order(2) in Cart.SellAsync
      21 type Coupon in Cart.SellAsync
      21 call Coupon.Parse(1) in Cart.SellAsync
      22 type Food in Cart.SellAsync
      23 call Add(2) in Cart.SellAsync
      24 call Till.PayAsync(1) in Cart.SellAsync
      25 call log.Write(1) in Cart.SellAsync
      26 new PaidException(1) in Cart.SellAsync
      26 call Receipts.From(1) in Cart.SellAsync
      26 type Order in Cart.SellAsync
      30 type IDisposable in Cart.Dispose
      30 call stock.Clear(0) in Cart.Dispose`,
    bindings: `
      (): Receipt in ISells.Sell
      item: Item in ISells.Sell
      log: ILogger in Cart
      stock: Stock in Cart
      Till: Till in Cart
      till: Till in Cart.Cart
      (): Receipt in Cart.SellAsync
      item: Item in Cart.SellAsync
      options: Options in Cart.SellAsync
      order: Order in Cart.SellAsync
      coupon: Coupon in Cart.SellAsync
      food: Food in Cart.SellAsync`,
  },
  Ruby: {
    path: 'cart.rb',
    whole: `
      43 lines, complexity 12, namespace null`,
    symbols: `
      + module Shop 5-41
      + class Shop.Cart 6-40 < Basket, Enumerable, Sells, Countable
      + value Shop.Cart.items 9-9
      + value Shop.Cart.till 9-9
      + value Shop.Cart.MOST 10-10
      + method Shop.Cart.initialize 12-18 c3 (2..)
      + method Shop.Cart.build 20-20 c1 (1..1)
      + method Shop.Cart.empty 23-23 c1 (0..0)
      + method Shop.Cart.pay! 26-31 c2 (0..0)
      - method Shop.Cart.tidy 35-37 c2 (0..0)
      - method Shop.Cart.shelf= 39-39 c1 (1..1)
      + function open_shop 43-43 c1 (1..1)`,
    imports: `
      1 static json
      2 static ../store/shelf
      3 static shop/till Till`,
    references: `
      6 extends Base.Basket in Shop.Cart
      8 extends Sells in Shop.Cart
      8 extends Countable in Shop.Cart
      13 new Till(1) in Shop.Cart.initialize
      14 new Orders.Order(1) in Shop.Cart.initialize
      15 call order.add(2) in Shop.Cart.initialize
      16 call check(1) in Shop.Cart.initialize
      17 call tidy(0) in Shop.Cart.initialize
      20 call new(2) in Shop.Cart.build
      27 call till.pay(1) in Shop.Cart.pay!
      28 call items.each(0) in Shop.Cart.pay!
      28 call items(0) in Shop.Cart.pay!
      28 call item.mark(0) in Shop.Cart.pay!
      29 type PaymentError in Shop.Cart.pay!
      30 type Refused in Shop.Cart.pay!
      30 call e.message(0) in Shop.Cart.pay!
      36 call size(0) in Shop.Cart.tidy
      36 call Shelf.clear(0) in Shop.Cart.tidy
      36 call Log.write(1) in Shop.Cart.tidy
      43 call Cart.build(1) in open_shop`,
    bindings: `
      till: Till in Shop.Cart
      order: Order in Shop.Cart.initialize`,
  },
  Rust: {
    path: 'cart.rs',
    whole: `
      47 lines, complexity 12, namespace null`,
    symbols: `
      + class Cart 7-10 < Sell
      + enum State 12-12
      + value State.Open 12-12
      + value State.Closed 12-12
      + interface Sell 14-17 < Priced, Send
      + method Sell.sell 15-15 c1 (2..2)
      + method Sell.one 16-16 c1 (0..0)
      + method sell 20-30 of Cart c6 (2..2)
      + value MOST 34-34 of Cart
      + method new 35-35 of Cart c1 (1..1)
      - type Slots 38-38
      - value OPEN 39-39
      + function price 40-40 c1
      - module tests 43-47
      - function tests.sells 46-46 c1 (0..0)`,
    imports: `
      1 static std::collections collections
      1 static std::collections::hash_map::Entry Entry>Slot
      1 static std::collections::HashMap HashMap
      2 all crate::store
      3 reexport super::till::Till Till
      4 static self::shelf *>shelf
      5 static serde *>ser
      44 all super`,
    references: `
      7 type Item in Cart
      8 type Vec in Cart
      9 type Option in Cart
      9 type Box in Cart
      9 type Till in Cart
      12 type Order in State.Open
      14 extends Priced in Sell
      15 type Item in Sell.sell
      15 type Receipt in Sell.sell
      16 type Receipt in Sell.one
      16 call self.sell(2) in Sell.one
      16 call Item.default(0) in Sell.one
      19 extends Sell
      19 type Item
      19 type Cart
      20 type Item in sell
      20 type Receipt in sell
      21 call Order.new(2) in sell
      22 type Coupon in sell
      22 call parse(1) in sell
      23 call coupon.fresh(0) in sell
      23 call items.is_empty(0) in sell
      23 call helper(1) in sell
      24 call order.lines(0) in sell
      24 call add(1) in sell
      25 new State.Open(1) in sell
      25 value State.Open in sell
      25 type State in sell
      25 call till.pay(1) in sell
      25 value MOST in sell
      28 call total in sell
      29 call Self.finish(1) in sell
      29 new Receipt in sell
      33 type Cart
      35 type Till in new
      35 new Cart in new
      35 call Box.new(1) in new
      38 type HashMap in Slots
      38 type String in Slots
      38 type Cart in Slots
      38 type Food in Slots
      39 type State in OPEN
      39 value State.Closed in OPEN
      46 call .sell(2) in tests.sells
      46 call Cart.new(1) in tests.sells
      46 call Till.open(0) in tests.sells`,
    bindings: `
      items: Vec in Cart
      till: Option in Cart
      (): Receipt in Sell.sell
      item: Item in Sell.sell
      (): Receipt in Sell.one
      (): Receipt in sell
      item: Item in sell
      order: Order in sell
      coupon: Coupon in sell
      (): Self in new
      till: Till in new
      OPEN: State`,
  },
  PHP: {
    path: 'cart.php',
    whole: `
      44 lines, complexity 13, namespace Shop\\Carts`,
    symbols: `
      + value LIMIT 10-10
      + class Cart 12-39 < Base, Sells, Countable, Logs, Caches
      + value Cart.MOST 15-15
      + method Cart.__construct 18-21 c1 (1..)
      + method Cart.make 23-28 c1 (1..2)
      + method Cart.sell 30-38 c6 (1..1)
      + interface Sells 41-41 < Priced
      + method Sells.sell 41-41 c1 (1..1)
      + class Logs 42-42
      + method Logs.write 42-42 c1 (0..0)
      + enum State 43-43 < HasLabel
      + value State.Open 43-43
      + method State.label 43-43 c1 (0..0)
      + function open_shop 44-44 c1 (1..)`,
    imports: `
      4 static Shop\\Models\\Item Item
      5 static Shop\\Models\\Order Order
      5 static Shop\\Models\\Till Till>Desk
      6 static Shop\\Prices\\round_up round_up
      7 static Shop\\Prices\\TAX TAX
      8 include ./lib/helpers.php`,
    references: `
      12 extends Base in Cart
      12 extends Sells in Cart
      12 extends Countable in Cart
      14 extends Logs in Cart
      14 extends Caches in Cart
      16 type Desk in Cart
      18 type Shelf in Cart.__construct
      18 type Item in Cart.__construct
      20 call parent.__construct(1) in Cart.__construct
      23 type Item in Cart.make
      25 new Order in Cart.make
      26 call order.add(2) in Cart.make
      27 new Cart(1) in Cart.make
      30 type Item in Cart.sell
      30 type Receipt in Cart.sell
      32 call shelf.take(1) in Cart.sell
      33 call desk.pay(1) in Cart.sell
      34 type Food in Cart.sell
      34 call item.fresh(0) in Cart.sell
      34 call count(1) in Cart.sell
      34 value LIMIT in Cart.sell
      35 call round_up(1) in Cart.sell
      36 call .mark(0) in Cart.sell
      36 call Item.find(1) in Cart.sell
      36 type PaymentError in Cart.sell
      36 type Refused in Cart.sell
      36 new RuntimeException(1) in Cart.sell
      37 call Receipt.from(1) in Cart.sell
      37 call helper(1) in Cart.sell
      41 extends Priced in Sells
      41 type Item in Sells.sell
      43 extends HasLabel in State
      44 type Cart in open_shop
      44 call Cart.make(1) in open_shop`,
    bindings: `
      desk: Desk in Cart
      shelf: Shelf in Cart.__construct
      shelf: Shelf in Cart
      (): self in Cart.make
      first: Item in Cart.make
      order: Order in Cart.make
      (): Receipt in Cart.sell
      item: Item in Cart.sell
      item: Item in Sells.sell
      (): Cart in open_shop`,
  },
  'C++': {
    path: 'cart.cpp',
    whole: `
      41 lines, complexity 19, namespace null`,
    symbols: `
      + value MOST 3-3
      + function TWICE 4-4 c1 (1..1)
      + type Items 7-7
      + module carts 9-41
      + class carts.Cart 12-26 < Base, Sells
      + method carts.Cart.Cart 14-14 c1 (1..2)
      + method carts.Cart.~Cart 15-15 c1 (0..0)
      + method carts.Cart.sell 16-16 c1 (1..)
      + method carts.Cart.make 17-17 c1 (0..0)
      + method carts.Cart.operator+= 18-18 c1 (1..1)
      + method carts.Cart.first 19-19 c1 (1..1)
      - value carts.Cart.kMost 23-23
      - enum carts.Cart.State 24-24
      - value carts.Cart.State.Open 24-24
      - value carts.Cart.State.Closed 24-24
      - method carts.Cart.tidy 25-25 c1 (0..0)
      + method carts.sell 28-37 of Cart c8 (2..2)
      - function carts.twice 39-39 c1 (1..1)
      + class carts.Hash 40-40 < Hasher
      + method carts.Hash.operator() 40-40 c1 (1..1)`,
    imports: `
      1 system vector
      2 include shop/item.h
      5 all prices
      6 static std::string string`,
    references: `
      7 type std.vector in Items
      7 type Item in Items
      12 extends Base in carts.Cart
      12 extends sells.Sells in carts.Cart
      12 type Item in carts.Cart
      14 type Till in carts.Cart.Cart
      14 call reserve(1) in carts.Cart.Cart
      16 type Receipt in carts.Cart
      16 type Item in carts.Cart.sell
      17 type Cart in carts.Cart
      18 type Cart in carts.Cart
      22 type std.unique_ptr in carts.Cart
      22 type Till in carts.Cart
      28 type Receipt in carts.sell
      28 type Item in carts.sell
      29 type Order in carts.sell
      30 new Coupon(1) in carts.sell
      31 call std.make_unique(1) in carts.sell
      31 type Shelf in carts.sell
      32 call coupon.fresh(0) in carts.sell
      32 call till_.pay(2) in carts.sell
      32 value MOST in carts.sell
      33 call order.lines(0) in carts.sell
      33 call add(1) in carts.sell
      34 call tidy(0) in carts.sell
      35 call prices.round_up(1) in carts.sell
      35 type Refused in carts.sell
      35 call Failure(1) in carts.sell
      36 call Receipt.from(1) in carts.sell
      40 extends Hasher in carts.Hash
      40 type Cart in carts.Hash`,
    bindings: `
      till: Till in carts.Cart.Cart
      fallback: T in carts.Cart.first
      till_: Till in carts.Cart
      item: Item in carts.sell
      order: Order in carts.sell
      coupon: Coupon in carts.sell
      shelf: Shelf in carts.sell
      e: Refused in carts.sell`,
  },
  C: {
    path: 'cart.c',
    whole: `
      27 lines, complexity 11, namespace null`,
    symbols: `
      + class cart 4-4
      + class till 5-5
      + type till_t 5-5
      + type seller 6-6
      + enum state 7-7
      + value state.OPEN 7-7
      + value state.CLOSED 7-7
      + value most 10-10
      + value count 11-11
      - value ops 12-12
      + function cart_sell 14-19 c6 (2..)
      - function tidy 21-21 c2 (2..2)
      + function cart_make 24-24 c1 (0..0)
      + function cart_make 26-26 c1 (0..0)`,
    imports: `
      1 system stdio.h
      2 include cart.h`,
    references: `
      4 type item in cart
      6 type cart in seller
      9 type cart
      12 type ops
      12 value cart_sell in ops
      14 type cart in cart_sell
      14 type till_t in cart_sell
      15 type item in cart_sell
      16 value most in cart_sell
      16 call tidy(2) in cart_sell
      17 value count in cart_sell
      17 call till.pay(1) in cart_sell
      18 call printf(2) in cart_sell
      18 call till_open(1) in cart_sell
      18 type receipt in cart_sell
      18 value CLOSED in cart_sell
      21 type cart in tidy
      21 call tidy(2) in tidy
      26 call make_cart(1) in cart_make`,
    bindings: `
      first: item in cart
      ops: ops
      cart: cart in cart_sell
      till: till_t in cart_sell
      item: item in cart_sell
      cart: cart in tidy`,
  },
  Kotlin: {
    path: 'Cart.kt',
    whole: `
      85 lines, complexity 19, namespace com.acme.shop`,
    symbols: `
      + type Prices 9-9
      + value MOST 11-11
      - value log 12-12
      + class Cart 16-61 < BaseCart, Sells, Priced
      + method Cart.constructor 16-20 c1 (1..)
      + value Cart.till 17-17
      - value Cart.count 18-18
      + value Cart.shelf 21-21
      + value Cart.opened 22-22
      + value Cart.total 23-25
      + method Cart.constructor 27-27 c1 (1..1)
      + method Cart.sell 33-51 c8 (2..2)
      + method Cart.create 54-54 c1 (0..0)
      + class Cart.Line 57-57
      + method Cart.Line.constructor 57-57 c1 (1..1)
      + value Cart.Line.at 57-57
      - class Cart.Hidden 58-60
      - method Cart.Hidden.gone 59-59 c1 (0..0)
      + interface Door 63-65
      + method Door.open 64-64 c1 (1..1)
      + interface State 66-66
      + enum Kind 67-74
      + method Kind.constructor 67-67 c1 (1..1)
      + value Kind.id 67-67
      + value Kind.FOOD 68-70
      + value Kind.BOOK 71-71
      + method Kind.sellable 73-73 c1 (0..0)
      + method shout 76-76 of String c1 (1..)
      + value second 77-77 of List
      + function open 79-85 c1 (1..1)`,
    imports: `
      5 static com.acme.prices.Price Price
      6 static com.acme.prices.round round>up
      7 all com.acme.shelf`,
    references: `
      1 type JvmName
      9 type Map
      9 type Price
      12 call Logger.of(1)
      15 type Serializable in Cart
      16 type Item in Cart
      17 type Till in Cart
      20 extends BaseCart in Cart
      20 call BaseCart(1) in Cart
      20 extends Sells in Cart
      20 extends Priced in Cart
      20 type Price in Cart
      21 call Shelf(0) in Cart
      22 call lazy(1) in Cart
      22 call Clock.now(0) in Cart
      23 type Price in Cart
      23 call Price(1) in Cart
      24 call field.rounded(0) in Cart
      27 type Till in Cart.constructor
      30 call register(1) in Cart
      33 type Item in Cart.sell
      33 type Receipt in Cart.sell
      34 call Order(1) in Cart.sell
      35 call order.first(1) in Cart.sell
      35 type Line in Cart.sell
      36 call each.add in Cart.sell
      37 call order.each(2) in Cart.sell
      37 call given.take(1) in Cart.sell
      38 call till.pay(1) in Cart.sell
      38 call none(0) in Cart.sell
      40 type Gift in Cart.sell
      40 call kind.wrap(1) in Cart.sell
      40 type Color in Cart.sell
      41 type Kind in Cart.sell
      41 value Kind.FOOD in Cart.sell
      41 value Kind.BOOK in Cart.sell
      41 call check(1) in Cart.sell
      41 type Food in Cart.sell
      42 call Refused(1) in Cart.sell
      45 call store.merge(1) in Cart.sell
      46 type Closed in Cart.sell
      47 call e.report(0) in Cart.sell
      49 call super.sell(2) in Cart.sell
      50 call .let(1) in Cart.sell
      50 call lines.map(1) in Cart.sell
      53 extends Makes in Cart
      54 type Cart in Cart.create
      54 type Item in Cart.create
      54 call Cart(1) in Cart.create
      54 call Till.open(0) in Cart.create
      57 type Price in Cart.Line
      64 type Price in Door.open
      77 type List
      79 type Cart in open
      80 extends Door in open
      81 type Price in open
      81 call cart.sell(2) in open
      81 type Item in open
      83 call door.open(1) in open
      83 call up(1) in open`,
    bindings: `
      log: Logger.of()
      till: Till in Cart
      shelf: Shelf() in Cart
      opened: Clock.now() in Cart
      total: Price in Cart
      till: Till in Cart.constructor
      (): Receipt in Cart.sell
      item: Item in Cart.sell
      order: Order() in Cart.sell
      e: Closed in Cart.sell
      (): Cart in Cart.create
      at: Price in Cart.Line
      at: Price in Door.open
      second: T
      cart: Cart in open
      at: Price in open`,
  },
  Scala: {
    path: 'Cart.scala',
    whole: `
      86 lines, complexity 25, namespace com.acme.shop`,
    symbols: `
      + module limits 10-12
      + value limits.Most 11-11
      + class Cart 16-48 < BaseCart, Sells, Logging
      + method Cart.constructor 16-16 c1 (1..)
      + value Cart.till 16-16
      - value Cart.count 16-16
      + method Cart.constructor 22-22 c1 (1..1)
      + type Cart.Lines 24-24
      - value Cart.shelf 25-25
      + value Cart.desk 26-26
      + value Cart.a 27-27
      + value Cart.b 27-27
      + method Cart.sell 30-45 c8 (1..2)
      + method Cart.tidy 47-47 c1 (0..0)
      + class Line 50-50
      + method Line.constructor 50-50 c1 (1..2)
      + value Line.price 50-50
      + value Line.n 50-50
      + class Line 52-57 < Makes
      + method Line.make 53-53 c1 (1..1)
      + class Line.Rich 54-56
      + method Line.Rich.constructor 54-54 c1 (1..1)
      - value Line.Rich.line 54-54
      + method Line.Rich.twice 55-55 c1
      + enum Kind 59-67 < Ordered
      + method Kind.constructor 59-59 c1 (1..1)
      + value Kind.id 59-59
      + value Kind.Food 60-60
      + value Kind.Book 61-61
      + value Kind.Paper 61-61
      + class Kind.Mixed 62-62
      + method Kind.Mixed.constructor 62-62 c1 (0..)
      + value Kind.Mixed.kinds 62-62
      + method Kind.label 64-67 c2
      + method shout 70-70 of Line c1 (1..1)
      + class lineOrder 72-73 < Ordering
      + method lineOrder.compare 73-73 c1 (2..2)
      + value given_Ordering 75-75
      + type Id 77-77
      + function open 79-84 c2 (1..)
      + function run 86-86 c1 (0..0)`,
    imports: `
      4 static com.acme.prices.Price Price
      4 static com.acme.prices.Round Round>Up
      4 all com.acme.prices
      5 all com.acme.shelf
      6 static com.acme.till.Till Till>Desk
      7 all scala.util
      7 static scala.util.Try Try
      8 static com.acme.a.A A
      8 static com.acme.b.B B`,
    references: `
      15 type Serializable in Cart
      16 type Item in Cart
      16 type Till in Cart
      17 type Clock in Cart
      18 extends BaseCart in Cart
      18 call BaseCart(1) in Cart
      19 extends Sells in Cart
      20 type Logging in Cart
      22 type Till in Cart.constructor
      24 type List in Cart
      24 type Line in Cart
      25 new Shelf(1) in Cart
      26 type Desk in Cart
      26 call Desk.open(0) in Cart
      26 value Desk in Cart
      27 call Price(1) in Cart
      28 call shelf.ends in Cart
      30 type Item in Cart.sell
      30 type Price in Cart.sell
      30 type Log in Cart.sell
      30 type Receipt in Cart.sell
      31 new Order(1) in Cart.sell
      31 call tidy(0) in Cart.sell
      32 call order.lines in Cart.sell
      32 call line.open in Cart.sell
      32 call line.price in Cart.sell
      32 call add(2) in Cart.sell
      33 call .foreach(1) in Cart.sell
      33 call lines.map(1) in Cart.sell
      33 call order.lines in Cart.sell
      33 call .price in Cart.sell
      33 call each.take(1) in Cart.sell
      35 type Gift in Cart.sell
      35 call name.isEmpty in Cart.sell
      35 call wrap(1) in Cart.sell
      36 type Food in Cart.sell
      36 call food.cook in Cart.sell
      37 value Kind.Book in Cart.sell
      37 value Kind.Paper in Cart.sell
      37 call read(1) in Cart.sell
      38 new Refused(1) in Cart.sell
      40 call store.merge in Cart.sell
      41 type Closed in Cart.sell
      41 call e.report(0) in Cart.sell
      42 call super.sell(1) in Cart.sell
      42 call check(1) in Cart.sell
      42 type Food in Cart.sell
      43 call store.add(1) in Cart.sell
      44 call Receipt.of(2) in Cart.sell
      50 type Price in Line
      52 extends Makes in Line
      52 type Line in Line
      53 type Price in Line.make
      53 type Line in Line.make
      53 call Line(1) in Line.make
      54 type Line in Line.Rich
      55 call line.n in Line.Rich.twice
      59 extends Ordered in Kind
      59 type Kind in Kind
      60 type Kind in Kind
      62 type Kind in Kind.Mixed
      67 call toString.toLowerCase in Kind.label
      69 type Line
      70 call line.text in shout
      72 type Ordering in lineOrder
      72 type Line in lineOrder
      73 type Line in lineOrder.compare
      73 call one.n in lineOrder.compare
      73 call other.n in lineOrder.compare
      75 type Ordering
      75 type Price
      75 call Price.ordering
      79 type Cart in open
      79 type Door in open
      80 call Door.make(0) in open
      81 call door.closed in open
      82 call door.push(0) in open
      83 call doors.foreach(1) in open
      84 call each.open(1) in open
      86 type main in run
      86 call open(1) in run`,
    bindings: `
      till: Till in Cart
      clock: Clock in Cart
      till: Till in Cart.constructor
      shelf: Shelf in Cart
      desk: Desk in Cart
      a: Price in Cart
      b: Price in Cart
      (): Receipt in Cart.sell
      item: Item in Cart.sell
      paid: Price in Cart.sell
      log: Log in Cart.sell
      order: Order in Cart.sell
      food: Food in Cart.sell
      e: Closed in Cart.sell
      price: Price in Line
      (): Line in Line.make
      price: Price in Line.make
      line: Line in Line.Rich
      line: Line in shout
      one: Line in lineOrder.compare
      other: Line in lineOrder.compare
      cart: Cart in open
      door: Door.make() in open`,
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
    'C#: namespaces with braces, of which the first counts; operators, indexers, delegates, events',
    'a.cs',
    [
      'namespace Shop.Carts { namespace Inner { class Cart {',
      '      public event Action Changed; public delegate int Priced(int n); public int ' +
        'this[int i] => i; ~Cart() { }',
      '      public static Cart operator +(Cart a, Cart b) => a; int Hidden; static int ' +
        'Twice(this int n, int by, int more = 1) => n; } } }',
    ].join('\n'),
    'symbols',
    `+ class Cart 1-3
     + value Cart.Changed 2-2
     + type Cart.Priced 2-2
     + method Cart.this 2-2 c1 (1..1)
     - method Cart.~Cart 2-2 c1 (0..0)
     + method Cart.operator + 3-3 c1 (2..2)
     - method Cart.Twice 3-3 c1 (1..3)`,
  ],
  [
    'C#: what is local or a type parameter is no reference',
    'a.cs',
    [
      'class Cart<T> { T Find<U>(Func<T, U> pick, State state) { var order = ' +
        'pick(first); foreach (var line in order) Add(line);',
      '      int Count(U u) => 1; Count(line); return Kind.Food == state ? from item in ' +
        'lines select item.Price : cart!.Shelf.Find<T>(x => x.Go()); } }',
    ].join('\n'),
    'references',
    `1 type Func in Cart.Find
     1 type State in Cart.Find
     1 call Add(1) in Cart.Find
     2 type Kind in Cart.Find
     2 call Shelf.Find(1) in Cart.Find
     2 call x.Go(0) in Cart.Find`,
  ],
  [
    'Ruby: what is hidden by name, by a word before it, and below',
    'a.rb',
    [
      'class Shop::Cart',
      '  def a; end',
      '  def b; end',
      '  private :a',
      '  private def c; end',
      '  private',
      '  attr_reader :d',
      '  public',
      '  alias e b',
      '  alias_method :f, :b',
      '  define_method(:g) { 1 }',
      '  Line = Struct.new(:price) do',
      '    def half = price / 2',
      '  end',
      '  def self.h; end',
      '  private_class_method :h',
      'end',
      '',
    ].join('\n'),
    'symbols',
    `+ class Cart 1-17 of Shop
     - method Cart.a 2-2 c1 (0..0)
     + method Cart.b 3-3 c1 (0..0)
     - method Cart.c 5-5 c1 (0..0)
     - value Cart.d 7-7
     + method Cart.e 9-9 c1
     + method Cart.f 10-10 c1
     + method Cart.g 11-11 c1
     + class Cart.Line 12-14
     + method Cart.Line.half 13-13 c1 (0..0)
     - method Cart.h 15-15 c1 (0..0)`,
  ],
  [
    'Ruby: a name alone is a call unless it is a local one; several keywords may be one hash',
    'a.rb',
    [
      'def sell(item, *rest, by: 1)',
      '  order = item',
      '  rest.each do |line, (price, n)|',
      '    order + line + price + n + tax',
      '  end',
      '  cart.size = 3',
      '  add(item, by: by)',
      '  add(a: 1, b: 2)',
      '  add(*rest)',
      '  super',
      'end',
      '',
    ].join('\n'),
    'references',
    `3 call rest.each(0) in sell
     4 call tax(0) in sell
     6 call cart.size=(1) in sell
     6 call cart(0) in sell
     7 call add(2) in sell
     8 call add in sell
     9 call add in sell`,
  ],
  [
    'Ruby: paths that are put together lead nowhere',
    'a.rb',
    `require "shop/#{name}"\nrequire name\nrequire_relative 'shelf'\nload 'tasks/shop.rake'\n`,
    'imports',
    `3 static ./shelf
     4 static tasks/shop.rake`,
  ],
  [
    'Rust: groups in groups, globs that are passed on, modules in modules',
    'a.rs',
    [
      'pub use a::*;',
      'use b::{*, c::{self as d, e::F}, r#type};',
      'mod inner { mod deep; }',
      'pub(crate) mod open;',
      '',
    ].join('\n'),
    'imports',
    `1 reexport a *
     2 all b
     2 static b::c c>d
     2 static b::c::e::F F
     2 static b::r#type r#type
     3 static self::inner::deep *>deep
     4 static self::open *>open`,
  ],
  [
    'Rust: calls within macros; the language’s own macros and variants are left out',
    'a.rs',
    [
      'fn check(cart: &Cart) {',
      '  assert_eq!(cart.total(1), Some(helper(2)), "{}", Order::new(3));',
      '  tracing::debug!(count = 1);',
      '  let State::Open(order) = cart.state else { return Err(Refused { why: 1 }) };',
      '  pay(order);',
      '}',
      '',
    ].join('\n'),
    'references',
    `1 type Cart in check
     2 call cart.total in check
     2 call Order.new in check
     2 call helper in check
     3 call tracing.debug in check
     4 type State in check
     4 new Refused in check
     5 call pay(1) in check`,
  ],
  [
    'Rust: types of what is made, borrowed and boxed',
    'a.rs',
    [
      'fn f(a: &mut Cart, b: Box<dyn Sell>, c: Arc<shop::Till>, d: impl Sell) { let e = ' +
        'Order::with_item(1); let f = Line { n: 1 }; let g = Order::count(); }',
      '',
    ].join('\n'),
    'bindings',
    `a: Cart in f
     b: Sell in f
     c: Till in f
     d: Sell in f
     e: Order in f
     f: Line in f
     g: Order.count() in f`,
  ],
  [
    'PHP: functions and constants under a condition, anonymous classes, enums',
    'a.php',
    [
      '<?php',
      "    if (!function_exists('money')) { function money(int $n, ...$more) { if ($n " +
        'and $more) { return new class extends Base { function inner() {} }; } } }',
      "    define('LIMIT', 3); const TAX = 1, FEE = 2;",
      '    return new class extends Migration { public function up() { ' +
        "Schema::create('carts', fn ($t) => $t->id()); } };",
    ].join('\n'),
    'symbols',
    `+ function money 2-2 c3 (1..)
     + value LIMIT 3-3
     + value TAX 3-3
     + value FEE 3-3
     + method up 4-4 c1 (0..0)`,
  ],
  [
    'PHP: paths that are put together lead nowhere',
    'a.php',
    "<?php require 'a.php'; include_once(__DIR__ . '/../b.php'); require $path . " +
      "'/c.php'; require base('d.php');",
    'imports',
    `1 include a.php
     1 include ./../b.php`,
  ],
  [
    'PHP: static members, first-class callables, names from elsewhere',
    'a.php',
    '<?php function f(Shop\\Cart|null $cart) { Till::$count; Kind::Food; ' +
      'array_map(trim(...), $cart?->items()); \\Shop\\pay(1); new \\Shop\\Order; ' +
      'static::go(); $cart::make(); }',
    'references',
    `1 type Shop.Cart in f
     1 type Till in f
     1 type Kind in f
     1 call array_map(2) in f
     1 call trim in f
     1 call cart.items(0) in f
     1 call Shop.pay(1) in f
     1 new Shop.Order(0) in f
     1 call static.go(0) in f
     1 call cart.make(0) in f`,
  ],
  [
    'C++: what other files can’t reach',
    'a.cpp',
    [
      'namespace { int hidden(); struct Hidden {}; }',
      'static int also = 1;',
      'namespace shop { class Cart { int own(); public: int open(); protected: int ' +
        'half(); struct In {}; private: struct Own {}; }; }',
      '',
    ].join('\n'),
    'symbols',
    `- function hidden 1-1 c1 (0..0)
     - class Hidden 1-1
     - value also 2-2
     + module shop 3-3
     + class shop.Cart 3-3
     - method shop.Cart.own 3-3 c1 (0..0)
     + method shop.Cart.open 3-3 c1 (0..0)
     + method shop.Cart.half 3-3 c1 (0..0)
     + class shop.Cart.In 3-3
     - class shop.Cart.Own 3-3`,
  ],
  [
    'C++: templates, lambdas, casts, structured bindings',
    'a.cpp',
    [
      'struct Cart { template <typename T> void add(T t) { auto [a, b] = t.pair(); ' +
        'each([&](const Line& l) { a(l); b(l); shop::pay<T>(l); }); ' +
        'static_cast<Till*>(t)->go(); pick(State::Open); } };',
      '',
    ].join('\n'),
    'references',
    `1 call t.pair(0) in Cart.add
     1 call each(1) in Cart.add
     1 type Line in Cart.add
     1 call shop.pay(1) in Cart.add
     1 call .go(0) in Cart.add
     1 type Till in Cart.add
     1 call pick(1) in Cart.add
     1 type State in Cart.add`,
  ],
  [
    'C++: macros in a class are none of its methods, pointers to functions neither',
    'a.cpp',
    [
      'struct Cart {',
      '  METADATA_HEADER(Cart, View);',
      '  Cart();',
      '  operator bool() const;',
      '  int (*pick)(int);',
      '  HRESULT (__stdcall *Sell)(Cart *cart);',
      '};',
      'int (*picker)(int);',
      'int Cart::open = 1;',
      '',
    ].join('\n'),
    'symbols',
    `+ class Cart 1-7
     + method Cart.Cart 3-3 c1 (0..0)
     + method Cart.operator bool 4-4 c1 (0..0)
     + value picker 8-8
     + value open 9-9 of Cart`,
  ],
  [
    'C++: macros before class names and after types, braces only for C++',
    'a.h',
    [
      '#ifdef __cplusplus',
      'extern "C" {',
      '#endif',
      'class SHOP_EXPORT Cart final : public Base {',
      ' public:',
      '  void open();',
      '};',
      'struct SHOP_API(1) Till { int n; };',
      'int SHOP_CALL sell(int n) { return n; }',
      '#ifdef __cplusplus',
      '}',
      '#endif',
      '',
    ].join('\n'),
    'symbols',
    `+ class Cart 4-7 < Base
     + method Cart.open 6-6 c1 (0..0)
     + class Till 8-8
     + function sell 9-9 c1 (1..1)`,
  ],
  [
    'C: headers with prototypes, guards, macros and types without a name of their own',
    'a.h',
    [
      '#ifndef CART_H',
      '#define CART_H',
      '#define MOST 3',
      '#define MAX(a, b) ((a) > (b) \\',
      '  ? (a) : (b))',
      '#if defined(A) && defined(B)',
      'int cart_sell(struct cart *cart, int (*pick)(int), ...);',
      '#endif',
      'typedef struct { int size; } shelf_t;',
      'typedef enum { LOW, HIGH } level_t, *level_p;',
      'static inline int twice(int n) { return MAX(n, HIGH); }',
      '#endif',
      '',
    ].join('\n'),
    'symbols',
    `+ value MOST 3-3
     + function MAX 4-5 c1 (2..2)
     + function cart_sell 7-7 c1 (2..)
     + class shelf_t 9-9
     + enum level_t 10-10
     + value level_t.LOW 10-10
     + value level_t.HIGH 10-10
     + type level_p 10-10
     - function twice 11-11 c1 (1..1)`,
  ],
]

describe('index of language features', () => {
  it.each(particulars)('%s', async (_what, path, text, part, expected) => {
    const facts = await readFacts(path, Buffer.from(text))
    expect(facts[part]).toEqual(trimLines(expected))
  })

  it.each([
    ['a.cs', 'class A { class A { '],
    ['a.rb', 'class A; def a; [1].each { |a| '],
    ['a.rs', 'mod a { use b::{c::{'],
    ['a.php', '<?php namespace A { if (1) { fn() => '],
    ['a.cpp', 'namespace a { class A : B<C<'],
    ['a.c', 'struct a { int (*a)(int (*a)(int '],
    ['a.kt', 'class A { fun a() { if (b) { '],
    ['a.scala', 'a('],
  ])(
    'in %s, code nested thousands deep and never closed is marked as damaged',
    async (path, opening) => {
      const facts = await readFacts(path, Buffer.from(opening.repeat(3_000)))
      expect(facts.whole[0]).toContain('damaged')
    },
  )
})
