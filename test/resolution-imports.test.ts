// Tests of import resolution: small repositories of each language with expected targets.
import { beforeAll, describe, expect, it } from 'vitest'
import { createImportResolver } from '../src/knowledge/resolution/import-resolver.ts'
import type { CodeImport } from '../src/languages/code-index.ts'
import { emptyImportConfig } from '../src/languages/common/import-config.ts'
import { type ResolvedCode, resolveCode } from './resolve-code.ts'

/** Returns a source that imports each of these. */
function importing(...sources: readonly string[]): string {
  return sources.map((source, index) => `import name${index} from '${source}'\n`).join('')
}

describe('imports of TypeScript and JavaScript', () => {
  const cases: readonly (readonly [path: string, from: string, expected: string])[] = [
    ['src/app.ts', './cart.js', 'src/cart.ts'],
    ['src/app.ts', './cart', 'src/cart.ts'],
    ['src/app.ts', './widgets', 'src/widgets/index.tsx'],
    ['src/app.ts', './plain.mjs', 'src/plain.mjs'],
    ['src/app.ts', './style.css', 'src/style.css'],
    ['src/app.ts', './style.css?inline', 'src/style.css'],
    ['src/app.ts', './Panel.svelte', 'src/Panel.svelte'],
    ['src/app.ts', '../package.json', 'package.json'],
    ['src/app.ts', '@/cart', 'src/cart.ts'],
    ['src/app.ts', 'shared/time', 'src/shared/time.ts'],
    ['src/app.ts', '#tool', 'src/tool.ts'],
    ['src/app.ts', '@acme/core', 'packages/core/src/main.ts'],
    ['src/app.ts', '@acme/core/math/add', 'packages/core/src/math/add.ts'],
    ['src/app.ts', '@acme/plain', 'packages/plain/lib/plain.js'],
    ['src/app.ts', '@acme/plain/lib/other', 'packages/plain/lib/other.js'],
    ['packages/core/src/main.ts', '@acme/core/math/add', 'packages/core/src/math/add.ts'],
    ['packages/core/src/main.ts', '~core/math/add', 'packages/core/src/math/add.ts'],
    // These targets are missing and must exist.
    ['src/app.ts', './gone', 'missing'],
    ['src/app.ts', './gone.js', 'missing'],
    ['src/app.ts', '@/gone', 'missing'],
    ['src/app.ts', './Gone.svelte', 'missing'],
    // These targets may be missing: libraries, assets, generated, ignored, optional or outside.
    ['src/app.ts', 'react', 'outside'],
    ['src/app.ts', 'node:fs', 'outside'],
    ['src/app.ts', '@acme/unknown', 'outside'],
    ['src/app.ts', './gone.css', 'outside'],
    ['src/app.ts', './gone.svg?raw', 'outside'],
    ['src/app.ts', './gone?worker', 'outside'],
    ['src/app.ts', './gone.generated', 'outside'],
    ['src/app.ts', './+types/route', 'outside'],
    ['src/app.ts', './prisma/client', 'outside'],
    ['src/app.ts', './prisma/clients', 'missing'],
    ['src/app.ts', '../dist/gone.js', 'outside'],
    ['src/app.ts', './proto/shop', 'outside'],
    ['src/app.ts', './local-settings', 'outside'],
    ['src/app.ts', '../linked/thing', 'outside'],
    ['src/app.ts', '../module/thing', 'outside'],
    ['src/app.ts', '../../../etc/passwd', 'outside'],
    ['src/lazy.ts', './gone-too', 'outside'],
    ['test/fixtures/broken.ts', './nothing', 'outside'],
  ]
  let code: ResolvedCode

  beforeAll(async () => {
    const sources = (path: string) =>
      cases.filter(([importer]) => importer === path).map(([, from]) => from)
    code = await resolveCode({
      '.gitignore': '# made\nsrc/proto/\nlocal-settings.ts\n',
      'package.json':
        '{"name": "acme", "workspaces": ["packages/*"], "imports": {"#tool": "./src/tool.ts"}}',
      'tsconfig.json':
        '{ // aliases\n "extends": "./configs/base", /* more */ "compilerOptions": { "baseUrl": "./src", }, }',
      'configs/base.json': '{"compilerOptions": {"paths": {"@/*": ["../src/*"]}}}',
      'src/app.ts': importing(...sources('src/app.ts')),
      'src/lazy.ts': "export const load = () => import('./gone-too')\n",
      'src/cart.ts': 'export default 1\n',
      'src/tool.ts': 'export default 1\n',
      'src/plain.mjs': 'export default 1\n',
      'src/style.css': '',
      'src/Panel.svelte': '<script>export let name</script>',
      'src/widgets/index.tsx': 'export default 1\n',
      'src/shared/time.ts': 'export default 1\n',
      'packages/core/package.json':
        '{"name": "@acme/core", "exports": {".": {"types": "./dist/main.d.ts", "default": "./dist/main.js"}, "./*": "./dist/*.js"}}',
      'packages/core/tsconfig.json': '{"compilerOptions": {"paths": {"~core/*": ["./src/*"]}}}',
      'packages/core/src/main.ts': importing(...sources('packages/core/src/main.ts')),
      'packages/core/src/math/add.ts': 'export default 1\n',
      'packages/plain/package.json': '{"name": "@acme/plain", "main": "lib/plain.js"}',
      'packages/plain/lib/plain.js': '',
      'packages/plain/lib/other.js': '',
      'test/fixtures/broken.ts': importing(...sources('test/fixtures/broken.ts')),
      linked: { content: '../elsewhere', mode: '120000' },
      module: { content: '0123456789012345678901234567890123456789', mode: '160000' },
    })
  })

  it.each(cases)('%s: %s leads to %s', (path, from, expected) => {
    expect(code.importTarget(path, from)).toBe(expected)
  })
})

describe('imports of Python', () => {
  const cases: readonly (readonly [path: string, from: string, expected: string])[] = [
    ['src/shop/cart.py', '.', 'src/shop/__init__.py src/shop/models.py'],
    ['src/shop/cart.py', '.models', 'src/shop/models.py'],
    ['src/shop/cart.py', '..shop.models', 'src/shop/models.py'],
    ['src/shop/cart.py', 'shop.models', 'src/shop/models.py'],
    ['src/shop/cart.py', 'shop.plugins', 'src/shop/plugins/paypal.py'],
    ['tests/test_cart.py', 'shop', 'src/shop/__init__.py src/shop/cart.py'],
    ['tests/test_cart.py', 'shop.cart', 'src/shop/cart.py'],
    ['scripts/run.py', 'helpers', 'scripts/helpers.py'],
    ['src/shop/cart.py', '.gone', 'missing'],
    ['src/shop/cart.py', 'shop.gone', 'missing'],
    ['src/shop/cart.py', '._speedups', 'outside'],
    ['src/shop/cart.py', '.native', 'outside'],
    ['src/shop/cart.py', '.shop_pb2', 'outside'],
    ['src/shop/cart.py', 'numpy.linalg', 'outside'],
    ['tests/test_cart.py', 'shop.gone.too', 'outside'],
    ['tests/test_cart.py', 'shop.lost', 'missing'],
    ['scripts/run.py', 'logging', 'outside'],
    ['scripts/run.py', 'requests', 'outside'],
  ]
  let code: ResolvedCode

  beforeAll(async () => {
    const names: Record<string, string> = {
      '.': 'models, discount',
      'shop.plugins': 'paypal',
      shop: 'cart, version',
    }
    const text = (path: string) =>
      cases
        .filter(([importer]) => importer === path)
        .map(([, from]) => `from ${from} import ${names[from] ?? 'thing'}\n`)
        .join('')
    code = await resolveCode({
      'pyproject.toml':
        '[project]\nname = "shop"\n[tool.setuptools.packages.find]\nwhere = [\n  "src", # here\n]\n',
      'src/shop/__init__.py': 'version = 1\n',
      'src/shop/models.py': 'thing = 1\n',
      'src/shop/cart.py': text('src/shop/cart.py'),
      'src/shop/native.c': 'int thing;\n',
      'src/shop/plugins/paypal.py': '',
      'tests/test_cart.py': text('tests/test_cart.py'),
      'scripts/run.py': text('scripts/run.py'),
      'scripts/helpers.py': '',
      'scripts/logging.py': '',
    })
  })

  it.each(cases)('%s: %s leads to %s', (path, from, expected) => {
    expect(code.importTarget(path, from)).toBe(expected)
  })
})

describe('imports of Go', () => {
  const cases: readonly (readonly [path: string, from: string, expected: string])[] = [
    ['main.go', 'acme.example/shop/cart', 'cart/cart.go cart/total.go'],
    ['main.go', 'acme.example/tools/log', 'tools/log/log.go'],
    ['main.go', 'other.example/money', 'third/money/money.go'],
    ['main.go', 'acme.example/shop/gone', 'missing'],
    ['main.go', 'acme.example/shop/tested', 'missing'],
    ['main.go', 'acme.example/shop/made', 'outside'],
    ['main.go', 'acme.example/shop/gen/shoppb', 'outside'],
    ['main.go', 'acme.example/unknown/cart', 'outside'],
    ['main.go', 'fmt', 'outside'],
  ]
  let code: ResolvedCode

  beforeAll(async () => {
    code = await resolveCode({
      'go.mod':
        'module acme.example/shop\n\ngo 1.22\n\nreplace (\n\tother.example/money v1.0.0 => ./third/money\n)\n',
      'main.go': `package main\n\nimport (\n${cases.map(([, from]) => `\t"${from}"\n`).join('')})\n`,
      'cart/cart.go': 'package cart\n',
      'cart/total.go': 'package cart\n',
      'cart/cart_test.go': 'package cart\n',
      'tested/tested_test.go': 'package tested\n',
      'made/made.peg': '',
      'tools/go.mod': 'module acme.example/tools\n',
      'tools/log/log.go': 'package log\n',
      'third/money/money.go': 'package money\n',
    })
  })

  it.each(cases)('%s: %s leads to %s', (path, from, expected) => {
    expect(code.importTarget(path, from)).toBe(expected)
  })
})

describe('imports of Java', () => {
  const cases: readonly (readonly [path: string, from: string, expected: string])[] = [
    [
      'app/src/main/java/com/acme/App.java',
      'com.acme.cart.Cart',
      'core/src/main/java/com/acme/cart/Cart.java',
    ],
    [
      'app/src/main/java/com/acme/App.java',
      'com.acme.cart.Cart.Line',
      'core/src/main/java/com/acme/cart/Cart.java',
    ],
    [
      'app/src/main/java/com/acme/App.java',
      'com.acme.cart.Money',
      'core/src/main/java/com/acme/cart/Money.java',
    ],
    [
      'app/src/main/java/com/acme/App.java',
      'com.acme.cart',
      'core/src/main/java/com/acme/cart/Cart.java core/src/main/java/com/acme/cart/Money.java',
    ],
    ['app/src/main/java/com/acme/App.java', 'com.acme.cart.Gone', 'missing'],
    ['app/src/main/java/com/acme/App.java', 'com.acme.cart.QCart', 'outside'],
    ['app/src/main/java/com/acme/App.java', 'java.util.List', 'outside'],
    ['app/src/main/java/com/acme/App.java', 'org.other.Cart', 'outside'],
  ]
  let code: ResolvedCode

  beforeAll(async () => {
    code = await resolveCode({
      'app/src/main/java/com/acme/App.java': `package com.acme;
import com.acme.cart.Cart;
import com.acme.cart.Cart.Line;
import static com.acme.cart.Money.round;
import com.acme.cart.*;
import com.acme.cart.Gone;
import com.acme.cart.QCart;
import java.util.List;
import org.other.Cart;
class App {}
`,
      'core/src/main/java/com/acme/cart/Cart.java':
        'package com.acme.cart;\npublic class Cart { public class Line {} }\n',
      'core/src/main/java/com/acme/cart/Money.java':
        'package com.acme.cart;\npublic class Money {}\n',
    })
  })

  it.each(cases)('%s: %s leads to %s', (path, from, expected) => {
    expect(code.importTarget(path, from)).toBe(expected)
  })
})

describe('imports of other languages', () => {
  const cases: readonly (readonly [path: string, from: string, expected: string])[] = [
    ['app/Shop/Till.php', 'App\\Shop\\Cart', 'app/Shop/Cart.php'],
    ['app/Shop/Till.php', 'App\\Money\\round_up', 'app/Money/functions.php'],
    ['app/Shop/Till.php', './helpers.php', 'app/Shop/helpers.php'],
    ['app/Shop/Till.php', 'Legacy_Cart', 'legacy/Legacy/Cart.php'],
    ['app/Shop/Till.php', 'App\\Shop\\Gone', 'missing'],
    ['app/Shop/Till.php', 'Vendor\\Thing', 'outside'],
    ['lib/shop/till.rb', './cart', 'lib/shop/cart.rb'],
    ['lib/shop/till.rb', 'shop/money', 'lib/shop/money.rb'],
    ['lib/shop/till.rb', './gone', 'missing'],
    ['lib/shop/till.rb', 'json', 'outside'],
    ['crates/till/src/main.rs', 'crate::cart::Cart', 'crates/till/src/cart.rs'],
    ['crates/till/src/main.rs', 'crate::store::shelf::Shelf', 'crates/till/src/store/shelf.rs'],
    ['crates/till/src/main.rs', 'acme_core::money::Money', 'crates/core/src/money.rs'],
    ['crates/till/src/main.rs', 'coins::Coin', 'crates/core/src/lib.rs'],
    ['crates/till/src/main.rs', 'self::cart', 'crates/till/src/cart.rs'],
    ['crates/till/src/main.rs', 'self::gone', 'missing'],
    ['crates/till/src/main.rs', 'std::fmt', 'outside'],
    ['crates/till/src/store/shelf.rs', 'super::Store', 'crates/till/src/store/mod.rs'],
    ['till/Till.kt', 'com.acme.shop.Cart', 'src/com/acme/shop/Cart.kt'],
    ['till/Till.kt', 'com.acme.shop.round', 'src/com/acme/shop/functions.kt'],
    ['till/Till.kt', 'com.acme.till', 'till/Coin.kt till/Till.kt'],
    ['till/Till.kt', 'kotlin.math', 'outside'],
    ['till/Desk.scala', 'com.acme.shop.Cart.Line', 'src/com/acme/shop/Cart.kt'],
    ['till/Desk.scala', 'com.acme.till', 'till/Coin.kt till/Till.kt'],
    ['till/Desk.scala', 'scala.util.Try', 'outside'],
    ['Shop/Till.cs', 'Acme.Shop', 'Shop/Cart.cs Shop/Till.cs'],
    ['Shop/Till.cs', 'Acme.Money', 'Money/Coin.cs'],
    ['Shop/Till.cs', 'System.Linq', 'outside'],
    ['native/till.c', 'cart.h', 'native/cart.h'],
    ['native/till.c', 'shop/money.h', 'include/shop/money.h'],
    ['native/till.c', 'stdio.h', 'outside'],
    ['native/till.c', 'zlib.h', 'outside'],
    ['native/till.c', '../native/gone.h', 'missing'],
    ['native/till.c', 'config.h', 'outside'],
  ]
  let code: ResolvedCode

  beforeAll(async () => {
    code = await resolveCode({
      'src/com/acme/shop/Cart.kt': 'package com.acme.shop\nclass Cart { class Line }\n',
      'src/com/acme/shop/functions.kt': 'package com.acme.shop\nfun round(n: Int) = n\n',
      'till/Coin.kt': 'package com.acme.till\nclass Coin\n',
      'till/Till.kt': `package com.acme.till
import com.acme.shop.Cart
import com.acme.shop.round
import com.acme.till.*
import kotlin.math.*
`,
      'till/Desk.scala': `import com.acme.shop.Cart.Line
import com.acme.till._
import scala.util.Try
`,
      'composer.json':
        '{"autoload": {"psr-4": {"App\\\\": "app/"}, "psr-0": {"Legacy_": "legacy/"}}}',
      'app/Shop/Till.php': `<?php
namespace App\\Shop;
use App\\Shop\\Cart;
use App\\Shop\\Gone;
use Legacy_Cart;
use Vendor\\Thing;
use function App\\Money\\round_up;
require __DIR__ . '/helpers.php';
`,
      'app/Shop/Cart.php': '<?php\nnamespace App\\Shop;\nclass Cart {}\n',
      'app/Shop/helpers.php': '<?php\n',
      'app/Money/functions.php':
        '<?php\nnamespace App\\Money;\nfunction round_up($a) { return $a; }\n',
      'legacy/Legacy/Cart.php': '<?php\nclass Legacy_Cart {}\n',
      'lib/shop/till.rb':
        "require 'json'\nrequire 'shop/money'\nrequire_relative 'cart'\nrequire_relative 'gone'\n",
      'lib/shop/cart.rb': '',
      'lib/shop/money.rb': '',
      'crates/till/Cargo.toml':
        '[package]\nname = "till"\n[dependencies]\nacme-core = { path = "../core" }\ncoins = { package = "acme-core", path = "../core" }\n',
      'crates/till/src/main.rs':
        'mod cart;\nmod gone;\nuse crate::cart::Cart;\nuse crate::store::shelf::Shelf;\nuse acme_core::money::Money;\nuse coins::Coin;\nuse std::fmt;\nfn main() {}\n',
      'crates/till/src/cart.rs': 'pub struct Cart;\n',
      'crates/till/src/store/mod.rs': 'pub struct Store;\n',
      'crates/till/src/store/shelf.rs': 'use super::Store;\npub struct Shelf;\n',
      'crates/core/Cargo.toml': '[package]\nname = "acme-core" # the core\nversion = "1.0.0"\n',
      'crates/core/src/lib.rs': 'pub mod money;\npub struct Coin;\n',
      'crates/core/src/money.rs': 'pub struct Money;\n',
      'Shop/Till.cs':
        'using System.Linq;\nusing Acme.Shop;\nusing Acme.Money;\nnamespace Acme.Shop { class Till {} }\n',
      'Shop/Cart.cs': 'namespace Acme.Shop { class Cart {} }\n',
      'Money/Coin.cs': 'namespace Acme.Money { public class Coin {} }\n',
      'native/till.c':
        '#include "cart.h"\n#include <shop/money.h>\n#include <stdio.h>\n#include <zlib.h>\n#include "../native/gone.h"\n#include "config.h"\n',
      'native/cart.h': '',
      'include/shop/money.h': '',
    })
  })

  it.each(cases)('%s: %s leads to %s', (path, from, expected) => {
    const found = code.importTarget(path, from)
    expect(found.split(' ').sort().join(' ')).toBe(expected)
  })
})

describe('hostile manifests', () => {
  it('never resolves outside the tree, and uses no key of the prototype', async () => {
    const code = await resolveCode({
      'package.json':
        '{"name": "__proto__", "exports": {"__proto__": "./a.js", ".": "./../../secret.js", "./a": "/etc/passwd"}, "workspaces": {"__proto__": ["*"]}}',
      'tsconfig.json':
        '{"extends": ["./tsconfig.json", "../outside.json", "/etc/passwd"], "compilerOptions": {"baseUrl": "../..", "paths": {"__proto__": ["../x"], "a": "b", "@/*": ["../../*"], "constructor": [1, null]}}}',
      'composer.json':
        '{"autoload": {"psr-4": {"": "../../", "__proto__": "x", "A\\\\": ["../..", 1]}}}',
      'go.mod': 'module acme\nreplace a => ../../../b\n',
      'Cargo.toml': '[package]\nname = "x"\n[lib]\npath = "../../../x.rs"\n',
      'setup.cfg': '[options.packages.find]\nwhere = ../../../\n',
      'app.ts': importing('__proto__', 'constructor', '@/etc/passwd', 'a'),
      'app.js': '',
    })
    expect(code.importTarget('app.ts', '__proto__')).toBe('outside')
    expect(code.importTarget('app.ts', 'constructor')).toBe('outside')
    expect(code.importTarget('app.ts', '@/etc/passwd')).toBe('outside')
    expect(JSON.stringify(code.resolution)).not.toMatch(/\.\.\/|etc\/passwd"/)
  })

  it('reads manifests that extend each other, are broken, nested or too large', async () => {
    const nested = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const deepExports = `${'{"import":'.repeat(2_000)}"./a.js"${'}'.repeat(2_000)}`
    const code = await resolveCode({
      'package.json': `{"name": "deep", "exports": ${deepExports}}`,
      'a/package.json': nested,
      'b/package.json': `{"name": "${'x'.repeat(600_000)}"}`,
      'c/package.json': '{"name": ',
      'd/package.json': `// nested\n${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
      'd/pyproject.toml': `tool${'.a'.repeat(20_000)} = 1\n`,
      'e/pyproject.toml': `tool = ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
      'tsconfig.json':
        '{"extends": "./tsconfig.other.json", "compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
      'tsconfig.other.json':
        '{"extends": ["./tsconfig.json", "./tsconfig.json", "./tsconfig.json"]}',
      'pnpm-workspace.yaml': `packages: &a [*a, *a, ${'['.repeat(500)}`,
      'Cargo.toml': `[package]\nname = [${'"a",'.repeat(10_000)}\n`,
      '.gitignore': `${'*a'.repeat(90)}\n${'[!'.repeat(1_000)}\n`,
      'src/app.ts': importing('@/cart', './gone'),
      'src/cart.ts': '',
    })
    expect(code.importTarget('src/app.ts', '@/cart')).toBe('src/cart.ts')
    expect(code.importTarget('src/app.ts', './gone')).toBe('missing')
  })

  it('accepts any text as an import', () => {
    const paths = [
      'a/b.ts',
      'a/b.py',
      'a/b.go',
      'a/B.java',
      'a/b.php',
      'a/b.rb',
      'src/lib.rs',
      'a/b.c',
      'a/b.cs',
    ]
    const imports = createImportResolver(paths, emptyImportConfig)
    const texts = [
      '.',
      '..',
      '/',
      '//',
      '',
      '*',
      '../'.repeat(160),
      'x'.repeat(100_000),
      '\0',
      '::',
      '\\',
      '@',
      '#',
      '$&',
    ]
    const kinds = ['static', 'dynamic', 'reexport', 'type', 'include', 'system', 'all'] as const
    for (const path of paths)
      for (const from of texts)
        for (const kind of kinds) {
          const item: CodeImport = {
            line: 1,
            from,
            kind,
            names: [{ name: '../..', local: '__proto__' }],
          }
          for (const found of imports.resolve(path, item).paths) expect(paths).toContain(found)
        }
  })
})
