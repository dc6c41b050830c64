// Tests of inferring the type of a call's result from the declaration of the called function.
import { describe, expect, it } from 'vitest'
import { resolveCode } from './resolve-code.ts'

type Files = Readonly<Record<string, string>>

/** Each has a definition with a common name, so that the name alone is ambiguous. */
const languages: Readonly<
  Record<string, { files: Files; meant: readonly (readonly [string, string, string])[] }>
> = {
  TypeScript: {
    files: {
      'cart.ts': `export class Cart { sellAll() { return this } ; static of() { return new Cart() } }
export class Rival { sellAll() {} ; payOut() {} }
`,
      'make.ts': `import { Cart, Rival } from './cart'
export function declared(): Cart { return load() }
export async function promised(): Promise<Cart | undefined> { return load() }
export const evident = () => new Cart()
export function either(some: boolean) { if (some) return new Cart(); return new Rival() }
export function nested() { [1].map(() => { return new Cart() }); return null }
export class Factory { make(): Cart { return evident() } }
declare function load(): never
`,
      'app.ts': `import { Cart } from './cart'
import { declared, either, evident, Factory, nested, promised } from './make'
export async function run() {
  const a = declared(); a.sellAll()
  const b = await promised(); b?.sellAll()
  const c = evident(); c.sellAll()
  const d = either(true); d.sellAll()
  const e = nested(); e.sellAll()
  const factory = new Factory()
  const f = factory.make(); f.sellAll()
  const g = Cart.of(); g.sellAll(); g.payOut()
  const h = h.sellAll()
  const i = g.sellAll(); i.sellAll()
}
export function local(declared: () => unknown) { const j = declared(); j.sellAll() }
`,
    },
    meant: [
      ['app.ts', 'a.sellAll', 'cart.ts Cart.sellAll 0.85'],
      ['app.ts', 'b.sellAll', 'cart.ts Cart.sellAll 0.85'],
      ['app.ts', 'c.sellAll', 'cart.ts Cart.sellAll 0.85'],
      ['app.ts', 'd.sellAll', 'cart.ts Cart.sellAll, cart.ts Rival.sellAll 0.5'],
      ['app.ts', 'e.sellAll', 'cart.ts Cart.sellAll, cart.ts Rival.sellAll 0.5'],
      ['app.ts', 'f.sellAll', 'cart.ts Cart.sellAll 0.85'],
      ['app.ts', 'g.sellAll', 'cart.ts Cart.sellAll 0.85'],
      ['app.ts', 'g.payOut', 'nothing'],
      ['app.ts', 'h.sellAll', 'cart.ts Cart.sellAll, cart.ts Rival.sellAll 0.5'],
      ['app.ts', 'i.sellAll', 'cart.ts Cart.sellAll 0.85'],
      // The called function is local.
      ['app.ts', 'j.sellAll', 'cart.ts Cart.sellAll, cart.ts Rival.sellAll 0.5'],
    ],
  },
  Python: {
    files: {
      'cart.py':
        'class Cart:\n    def sell_all(self): pass\nclass Rival:\n    def sell_all(self): pass\n',
      'make.py': 'from cart import Cart\ndef make_cart() -> "Cart":\n    return load()\n',
      'app.py':
        'from make import make_cart\ndef run():\n    cart = make_cart()\n    cart.sell_all()\n',
    },
    meant: [['app.py', 'cart.sell_all', 'cart.py Cart.sell_all 0.85']],
  },
  Go: {
    files: {
      'go.mod': 'module example.com/shop\n',
      'store/cart.go': `package store
type Cart struct{}
type Rival struct{}
func (c *Cart) SellAll() {}
func (r *Rival) SellAll() {}
func NewCart() (*Cart, error) { return &Cart{}, nil }
`,
      'main.go': `package main
import "example.com/shop/store"
func main() {
	cart, err := store.NewCart()
	cart.SellAll()
	print(err)
}
`,
    },
    meant: [['main.go', 'cart.SellAll', 'store/cart.go Cart.SellAll 0.85']],
  },
  Java: {
    files: {
      'shop/Cart.java': 'package shop;\npublic class Cart { public void sellAll() {} }\n',
      'shop/Rival.java': 'package shop;\npublic class Rival { public void sellAll() {} }\n',
      'shop/Maker.java':
        'package shop;\npublic class Maker { public static Cart make() { return null; } }\n',
      'shop/App.java':
        'package shop;\nclass App { void run() { var cart = Maker.make(); cart.sellAll(); } }\n',
    },
    meant: [['shop/App.java', 'cart.sellAll', 'shop/Cart.java Cart.sellAll 0.85']],
  },
  'C#': {
    files: {
      'Cart.cs': 'namespace Shop;\npublic class Cart { public void SellAll() {} }\n',
      'Rival.cs': 'namespace Shop;\npublic class Rival { public void SellAll() {} }\n',
      'Maker.cs':
        'namespace Shop;\npublic class Maker { public static async Task<Cart> Make() { return null; } }\n',
      'App.cs':
        'namespace Shop;\nclass App { async Task Run() { var cart = await Maker.Make(); cart.SellAll(); } }\n',
    },
    meant: [['App.cs', 'cart.SellAll', 'Cart.cs Cart.SellAll 0.85']],
  },
  Rust: {
    files: {
      'Cargo.toml': '[package]\nname = "shop"\n',
      'src/lib.rs': 'pub mod cart;\npub mod app;\n',
      'src/cart.rs': `pub struct Cart;
pub struct Rival;
impl Cart { pub fn sell_all(&self) {} pub fn loaded() -> Result<Self, ()> { Ok(Cart) } }
impl Rival { pub fn sell_all(&self) {} }
pub fn make_cart() -> Cart { Cart }
`,
      'src/app.rs': `use crate::cart::{make_cart, Cart};
pub fn run() -> Result<(), ()> {
    let cart = make_cart();
    cart.sell_all();
    let other = Cart::loaded()?;
    other.sell_all();
    Ok(())
}
`,
    },
    meant: [
      ['src/app.rs', 'cart.sell_all', 'src/cart.rs Cart.sell_all 0.85'],
      ['src/app.rs', 'other.sell_all', 'src/cart.rs Cart.sell_all 0.85'],
    ],
  },
  PHP: {
    files: {
      'composer.json': '{"autoload":{"psr-4":{"Shop\\\\":"src/"}}}',
      'src/Cart.php':
        '<?php\nnamespace Shop;\nclass Cart { public static function make(): static { return new static(); } public function sellAll() {} }\n',
      'src/Rival.php': '<?php\nnamespace Shop;\nclass Rival { public function sellAll() {} }\n',
      'src/App.php':
        '<?php\nnamespace Shop;\nclass App { function run() { $cart = Cart::make(); $cart->sellAll(); } }\n',
    },
    meant: [['src/App.php', 'cart.sellAll', 'src/Cart.php Cart.sellAll 0.85']],
  },
}

describe('types of call results', () => {
  it.each(Object.entries(languages))(
    'infers the type of a name in %s',
    async (_language, { files, meant }) => {
      const code = await resolveCode(files)
      const actual = meant.map(([path, reference]) => [
        path,
        reference,
        code.referenceTarget(path, reference),
      ])
      expect(actual).toEqual(meant)
    },
  )

  it('stops at a bounded depth', async () => {
    const steps = Array.from({ length: 3_000 }, (_, at) => `  const v${at + 1} = v${at}.next()`)
    const files = {
      'a.ts': `class Step { next() { return this } }\nfunction run() {\n  const v0 = new Step()\n${steps.join('\n')}\n}\n`,
    }
    const code = await resolveCode(files)
    expect(code.referenceTarget('a.ts', 'v1.next')).toBe('a.ts Step.next 0.85')
  })
})
