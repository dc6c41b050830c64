// Tests of the project map that is derived from files: stack, conventions, rules and decisions.
import { describe, expect, it } from 'vitest'
import { classifyFile } from '../src/code/classify-file.ts'
import type { NewMemory } from '../src/domain/memory.ts'
import { describeProject } from '../src/knowledge/project/describe-project.ts'
import type { ProjectFile } from '../src/knowledge/project/project.ts'
import { languageOfPath } from '../src/languages/linguist.ts'
import { isTestPath } from '../src/languages/test-paths.ts'

interface Known {
  /** The names of exported definitions, by path. */
  readonly names?: Readonly<Record<string, readonly string[]>>
  readonly uses?: readonly (readonly [string, string])[]
}

/** Describes files like a scan does. */
async function describeFiles(
  files: Readonly<Record<string, string>>,
  { names = {}, uses = [] }: Known = {},
) {
  const found = Object.entries(files).map(([path, text]): ProjectFile => {
    const kind = classifyFile(path, Buffer.from(text)).kind
    return {
      ...{
        path,
        kind,
        language: languageOfPath(path)?.name ?? null,
        isTest: isTestPath(path),
        complexity: null,
      },
      ...{ size: Buffer.byteLength(text), lines: text.split('\n').length - 1 },
      symbols: (names[path] ?? []).map((name) => {
        return { name, kind: /^\p{Lu}/u.test(name) ? 'class' : 'function', exported: true }
      }),
      usedBy: uses.filter(([, target]) => target === path).length,
    }
  })
  const project = { repo: 'acme/shop', commit: 'c'.repeat(40), files: found, uses }
  const memories = await describeProject({ ...project, readText: async (path) => files[path] })
  const map = new Map(
    memories.filter(({ type }) => type === 'project_map').map((entry) => [entry.path, entry]),
  )
  const summaryFor = (subject: string) =>
    memories.find((memory) => memory.type !== 'project_map' && memory.subject === subject)?.text
  return {
    memories,
    map,
    summaryFor,
    typeOf: (path: string) => map.get(path)?.componentType,
    textOf: (path: string) => map.get(path)?.text,
  }
}

const lines = (count: number) => 'x\n'.repeat(count)
const many = (count: number, name: (number: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 'x = 1\n']))

describe('the map of a directory', () => {
  it('describes a directory by its README, its contents, and its users', async () => {
    const { textOf } = await describeFiles(
      {
        'src/orders/README.md':
          '[![Build](https://ci.example/b.svg)](https://ci.example)\n\n# Orders\n\n<p align="center">**Keeps** orders, e.g. of fruit,\nuntil they are [paid](docs/pay.md). More text.</p>\n',
        'src/orders/order.ts': lines(20),
        'src/orders/store.ts': lines(10),
        'src/orders/store.test.ts': lines(5),
        'src/http/server.ts': lines(3),
        'src/db/open.ts': lines(1),
      },
      {
        names: {
          'src/orders/order.ts': ['Order'],
          'src/orders/store.ts': ['OrderStore', 'openStore'],
        },
        uses: [
          ['src/http/server.ts', 'src/orders/store.ts'],
          ['src/orders/store.ts', 'src/db/open.ts'],
          ['src/orders/store.ts', 'src/orders/order.ts'],
        ],
      },
    )
    expect(textOf('src/orders')).toBe(
      'Keeps orders, e.g. of fruit, until they are paid. 4 files (3 TypeScript, 1 Markdown), 1 of them a test, 35 lines of code. ' +
        'Main names: Order, OrderStore, openStore. Used by src/http; uses src/db.',
    )
    expect(textOf('src')).toBe('Below it 6 files in db, http and orders.')
  })

  it.each<[string, Record<string, string>, string]>([
    [
      'a manifest',
      {
        'lib/pay/package.json':
          '{ "name": "@shop/pay", "description": "Takes money of all kinds." }',
      },
      'Takes money of all kinds. The npm package @shop/pay.',
    ],
    [
      'a crate',
      {
        'lib/pay/Cargo.toml': '[package]\nname = "pay"\n',
        'lib/pay/src/lib.rs': '//! Takes money of all kinds.\n\nmod card;\n',
      },
      'Takes money of all kinds. The Rust crate pay.',
    ],
    [
      'a Python package',
      { 'lib/pay/__init__.py': '"""Takes money of all kinds.\n\nAnd gives some back.\n"""\n' },
      'Takes money of all kinds.',
    ],
    [
      'a Go package',
      {
        'lib/pay/a.go':
          '// Copyright 2024 Acme. All rights reserved.\n// See LICENSE.\n\npackage pay\n',
        'lib/pay/pay.go':
          '//go:build linux\n\n// Package pay takes money of all kinds.\npackage pay\n',
      },
      'Package pay takes money of all kinds.',
    ],
    [
      'a class',
      {
        'lib/pay/Pay.cs':
          'using System;\n\nnamespace Acme;\n\n/// <summary>\n/// Takes money of all <see cref="Kind"/> kinds.\n/// </summary>\npublic class Pay {}\n',
      },
      'Takes money of all kinds.',
    ],
    [
      'a script',
      {
        'lib/pay/pay.sh':
          '#!/bin/sh\n# shellcheck disable=SC1091\n# Takes money of all kinds.\nset -e\n',
      },
      'Takes money of all kinds.',
    ],
    [
      'an index',
      {
        'lib/pay/index.ts':
          "/* eslint-disable */\n/**\n * Takes money of all kinds.\n * @module\n */\nexport * from './card.ts'\n",
      },
      'Takes money of all kinds.',
    ],
    [
      'an action',
      { 'lib/pay/action.yml': 'name: Pay\ndescription: Takes money of all kinds\n' },
      'Takes money of all kinds.',
    ],
  ])('uses the text of %s', async (_what, files, expected) => {
    const { textOf } = await describeFiles(files)
    expect(textOf('lib/pay')?.startsWith(`${expected} `)).toBe(true)
  })

  it('describes customary directory names whose contents match', async () => {
    const { textOf, typeOf } = await describeFiles({
      'app/controllers/cart_controller.rb': lines(2),
      'web/components/Cart.tsx': lines(2),
      'agents/hooks/format.sh': lines(2),
      'db/migrate/001_carts.rb': lines(2),
      'config/settings.yml': 'a: 1\n',
    })
    expect(textOf('app/controllers')).toMatch(/^Routes and request handling/)
    expect(textOf('web/components')).toBe(
      'Parts of the user interface (web). 1 TSX file, 2 lines of code. Its file: Cart.tsx.',
    )
    expect(textOf('agents/hooks')).toBe('1 Shell file, 2 lines of code. Its file: format.sh.')
    expect(
      ['app/controllers', 'web/components', 'agents/hooks', 'db/migrate', 'config'].map(typeOf),
    ).toEqual([...['api', 'component', 'script', 'migration', 'config']])
  })

  it('omits a description that many directories share', async () => {
    const crates = ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [
      [
        `crates/shop-${name}/README.md`,
        `# shop-${name}\n\nshop-${name} is a part of the shop and may change.\n`,
      ],
      [`crates/shop-${name}/lib.rs`, name === 'c' ? '//! Counts apples and pears.\n' : 'mod a;\n'],
    ])
    const { textOf } = await describeFiles(Object.fromEntries(crates))
    expect(textOf('crates/shop-a')).toMatch(/^2 files/)
    expect(textOf('crates/shop-c')).toMatch(/^Counts apples and pears\. /)
  })

  it('separates source files from other files', async () => {
    const { typeOf, textOf, map } = await describeFiles({
      'src/a.ts': lines(1),
      'src/a.test.ts': lines(1),
      'test/a.py': lines(1),
      'docs/a.md': 'Words.\n',
      'scripts/a.sh': lines(1),
      'node_modules/left-pad/index.js': lines(1),
      'node_modules/left-pad/lib/pad.js': lines(1),
      'public/logo.png': '\u0000',
    })
    expect(['src', 'test', 'docs', 'scripts', 'node_modules', 'public'].map(typeOf)).toEqual([
      ...['module', 'test', 'document', 'script', 'vendored', 'asset'],
    ])
    expect(textOf('node_modules')).toMatch(/^Nothing that is written by hand: /)
    expect(map.has('node_modules/left-pad')).toBe(false)
  })

  it('limits its output for any input', async () => {
    const deep = Object.fromEntries(
      Array.from({ length: 60 }, (_, depth) => [`${'d/'.repeat(depth)}f.py`, 'x = 1\n']),
    )
    const { memories, map } = await describeFiles({
      ...many(3000, (number) => `p${number % 100}/q${number}/f.py`),
      ...deep,
    })
    expect(map.size).toBeLessThanOrEqual(2000)
    // The directories at the top fit.
    expect(Array.from({ length: 100 }, (_, index) => map.has(`p${index}`))).not.toContain(false)
    expect(Math.max(...memories.map(({ text }) => text.length))).toBeLessThanOrEqual(1000)
  })
})

describe('the map of key files', () => {
  it('lists entry points, widely used files, and configuration', async () => {
    const uses = ['a', 'b', 'c'].map((name) => [`src/${name}.ts`, 'src/lib/money.ts'] as const)
    const { textOf, typeOf, map } = await describeFiles(
      {
        'package.json': JSON.stringify({
          name: 'shop',
          main: 'dist/main.js',
          scripts: { build: 'tsc' },
          dependencies: { pg: '1' },
        }),
        'src/main.ts': '// Opens the shop.\nopen()\n',
        'src/lib/money.ts': lines(9),
        ...{
          'src/a.ts': lines(1),
          'src/b.ts': lines(1),
          'src/c.ts': lines(1),
          'tsconfig.json': '{}',
          Dockerfile: 'FROM x\n',
        },
      },
      { names: { 'src/lib/money.ts': ['Money'] }, uses },
    )
    expect(textOf('src/main.ts')).toBe('Opens the shop. An entry point. TypeScript, 2 lines.')
    expect(textOf('src/lib/money.ts')).toBe('TypeScript, 9 lines; defines Money. Used by 3 files.')
    expect(textOf('package.json')).toBe(
      'Manifest of the npm package shop, 1 dependency; commands: npm run build.',
    )
    expect(textOf('tsconfig.json')).toBe('Configuration of TypeScript (build).')
    expect(['src/main.ts', 'package.json', 'Dockerfile'].map(typeOf)).toEqual([
      'module',
      'config',
      'config',
    ])
    expect(map.has('src/a.ts')).toBe(false)
  })
})

describe('entry points', () => {
  it.each<[string, Record<string, string>, Record<string, string[]>, string[]]>([
    [
      'package.json',
      {
        'package.json':
          '{ "bin": { "shop": "./dist/cli.js", "till": "bin/till.js" }, "main": "dist/shop.js" }',
        ...{ 'src/cli.ts': 'x', 'bin/till.js': 'x', 'src/shop.ts': 'x', 'src/other.ts': 'x' },
      },
      {},
      ['src/shop.ts', 'src/cli.ts', 'bin/till.js'],
    ],
    [
      'pyproject.toml',
      {
        'pyproject.toml':
          '[project.scripts]\nshop = "shop.cli:main"\n[project.gui-scripts]\ntill = "shop.till:run"\n[tool.black]\nx = "a.b:c"\n',
        'tool/pyproject.toml':
          '[tool.poetry.scripts]\ntool = { reference = "tool:main", type = "console" }\n',
        ...{
          'shop/cli.py': 'x',
          'src/shop/till/__init__.py': 'x',
          'tool/tool.py': 'x',
          'shop/other.py': 'x',
        },
      },
      {},
      ['shop/cli.py', 'src/shop/till/__init__.py', 'tool/tool.py'],
    ],
    [
      'setup.py and setup.cfg',
      {
        'setup.py':
          'setup(entry_points={"console_scripts": ["shop=shop.cli:main", "till = shop.till:run"]})\n',
        'old/setup.cfg': '[options.entry_points]\nconsole_scripts =\n    old = old.main_:go\n',
        ...{ 'shop/cli.py': 'x', 'shop/till.py': 'x', 'old/old/main_.py': 'x' },
      },
      {},
      ['shop/cli.py', 'shop/till.py', 'old/old/main_.py'],
    ],
    [
      'Cargo.toml and customs of Rust',
      {
        'Cargo.toml':
          '[package]\nname = "shop"\n[[bin]]\nname = "till"\npath = "till/run.rs"\n[[bin]]\nname = "b"\n',
        ...{
          'till/run.rs': 'x',
          'src/bin/b.rs': 'x',
          'src/bin/c/main.rs': 'x',
          'src/bin/c/other.rs': 'x',
        },
      },
      {},
      ['till/run.rs', 'src/bin/b.rs', 'src/bin/c/main.rs'],
    ],
    [
      'Go programs',
      {
        'tools/pack/main.go': 'x',
        'cmd/till.go': 'x',
        'cmd/helper.go': 'x',
        'examples/a/main.go': 'x',
        'gen.go': 'x',
      },
      {
        'tools/pack/main.go': ['main'],
        'cmd/till.go': ['main'],
        'cmd/helper.go': ['help'],
        'examples/a/main.go': ['main'],
        'gen.go': ['main'],
      },
      ['cmd/till.go', 'tools/pack/main.go'],
    ],
  ])('finds entry points by %s', async (_what, files, names, expected) => {
    const { summaryFor, textOf } = await describeFiles(files, { names })
    expect(summaryFor('entry-points')).toMatch(/^Entry points, by manifests and names: /)
    expect(
      summaryFor('entry-points')
        ?.replace(/^.*?: |\.$/g, '')
        .split(/, | and /),
    ).toEqual(expected)
    expect(expected.every((path) => textOf(path)?.includes('An entry point.'))).toBe(true)
  })
})

describe('the stack', () => {
  it.each<[string, Record<string, string>, string]>([
    [
      'npm',
      {
        'package.json':
          '{"dependencies":{"react":"1","express":"1"},"devDependencies":{"vitest":"1"}}',
      },
      'React (user interface); Express (HTTP); Vitest (tests), by package.json.',
    ],
    [
      'Python',
      {
        'pyproject.toml':
          '[project]\ndependencies = [\n  "Django>=4.2 ; python_version > \'3\'",\n  "celery[redis]~=5.0", # queue\n]\n[tool.pytest.ini_options]\ntestpaths = []\n',
      },
      'Django (web application); Celery (background work); pytest (tests), by pyproject.toml.',
    ],
    [
      'groups of Python',
      {
        'pyproject.toml':
          '[project]\ndependencies = ["Django"]\n[dependency-groups]\ncelery = ["unknown-package"]\nall = [{include-group = "celery"}]\n',
      },
      'Django (web application), by pyproject.toml.',
    ],
    [
      'requirements',
      { 'requirements.txt': '# web\nflask==3\n-r other.txt\nSQLAlchemy\n' },
      'Flask (web application); SQLAlchemy (data access), by requirements.txt.',
    ],
    [
      'Go',
      {
        'go.mod':
          'module acme.example/shop\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.1\n\tgithub.com/go-chi/chi/v5 v5.0.1 // indirect\n)\n',
      },
      'Gin (HTTP), by go.mod.',
    ],
    [
      'Rust',
      { 'Cargo.toml': '[dependencies]\naxum = "0.7"\n[dependencies.tokio]\nversion = "1"\n' },
      'axum (web application); Tokio (background work), by Cargo.toml.'.replace('axum', 'Axum'),
    ],
    [
      'Ruby',
      { Gemfile: "source 'https://rubygems.org'\ngem 'rails', '~> 7'\n  gem \"rspec-rails\"\n" },
      'Ruby on Rails (web application); RSpec (tests), by Gemfile.',
    ],
    [
      'PHP',
      {
        'composer.json':
          '{"require":{"laravel/framework":"^11"},"require-dev":{"phpunit/phpunit":"^11"}}',
      },
      'Laravel (web application); PHPUnit (tests), by composer.json.',
    ],
    [
      'Maven',
      {
        'pom.xml':
          '<project><parent><artifactId>p</artifactId></parent><artifactId>shop</artifactId><dependencies><dependency>\n<groupId>org.springframework.boot</groupId>\n<artifactId>spring-boot-starter-web</artifactId></dependency></dependencies></project>',
      },
      'Spring Boot (web application), by pom.xml.',
    ],
    [
      'Gradle',
      {
        'build.gradle.kts':
          'plugins { id("io.ktor.plugin") version "2" }\ndependencies { testImplementation("org.junit.jupiter:junit-jupiter:5.10") }\n',
      },
      'Ktor (web application); JUnit 5 (tests), by build.gradle.kts.',
    ],
    [
      '.NET',
      {
        'Shop.csproj':
          '<Project Sdk="Microsoft.NET.Sdk.Web"><ItemGroup><PackageReference Include="xunit" Version="2" /></ItemGroup></Project>',
      },
      'ASP.NET Core (web application); xUnit (tests), by Shop.csproj.',
    ],
  ])('reads the manifests of %s', async (_what, files, expected) => {
    const { summaryFor } = await describeFiles(files)
    expect(summaryFor('frameworks:.')).toBe(`The repository is made with ${expected}`)
  })

  it('lists languages, tools, commands, license and packages', async () => {
    const { summaryFor } = await describeFiles({
      'package.json': JSON.stringify({
        name: 'shop',
        license: 'MIT',
        scripts: { test: 'vitest run', postinstall: 'node x.js' },
      }),
      'pnpm-lock.yaml': 'a: 1\n',
      Makefile: 'VERSION := 1\nbuild: deps\n\t@tsc -b\n\ndist/a.js: src/a.ts\n\ttsc\n',
      LICENSE: 'MIT License\n\nCopyright (c) Acme\n',
      '.github/workflows/ci.yml': 'on: push\n',
      'biome.json': '{}',
      'src/a.ts': lines(80),
      'tools/a.py': lines(50),
      'web/package.json': '{ "name": "web" }',
    })
    expect(summaryFor('languages')).toMatch(
      /^Languages by size: TypeScript \(\d+%\), Python \(\d+%\) and Makefile \(\d+%\)\. There are/,
    )
    expect(summaryFor('tools')).toBe(
      'From its configuration files. Checked by Biome. Built with make. Packages are managed with pnpm. Continuous integration: GitHub Actions.',
    )
    expect(summaryFor('commands:.')).toBe(
      'Commands: make build (tsc -b); pnpm run test (vitest run).',
    )
    expect(summaryFor('licence')).toBe('The license is MIT (LICENSE).')
    expect(summaryFor('packages')).toBe(
      'The repository holds 2 packages: shop in the root and web.',
    )
  })

  it('accepts manifests of any content', async () => {
    const hostile = {
      'package.json':
        '{"dependencies":["react"],"scripts":{"__proto__":"x","test":{"a":1}},"name":{},"bin":{"a":"../../etc/passwd"},"exports":'.concat(
          '{"a":'.repeat(5000),
        ),
      'a/package.json': '[[[[',
      'b/package.json': JSON.stringify({
        name: 'x\u202e\n# Heading'.repeat(50),
        description: '<script>'.repeat(500),
        scripts: { 'test\u0000': 'a'.repeat(9000) },
      }),
      'pyproject.toml': `[project]\ndependencies = ["${'a'.repeat(100_000)}`,
      'Cargo.toml': '['.repeat(50_000),
      'pom.xml': '<dependencies>'.repeat(20_000),
      'go.mod': `module ${'x/'.repeat(50_000)}`,
      Gemfile: `gem ${' '.repeat(100_000)}`,
      Makefile: `${'a'.repeat(100_000)}:`,
      'setup.py': `install_requires${' '.repeat(100_000)}=[`,
      'README.md': `${'<!--'.repeat(10_000)}${'['.repeat(20_000)}${'*a'.repeat(10_000)}`,
      'AGENTS.md': `# ${'`'.repeat(40_000)}\n\n- ${'_a'.repeat(20_000)}\n`,
      '.editorconfig': `[*]\n${'a=b\n'.repeat(20_000)}`,
      'docs/adr/1.md': `---\n${'status: '.repeat(10_000)}\n`,
      'src/a.ts': `/*${'*'.repeat(60_000)}`,
    }
    // Backtracking over such texts would take minutes.
    const { memories } = await describeFiles(hostile)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
    const active = /[\u0000-\u001f\u202e]|<script/
    expect(memories.map(({ text }) => text).filter((text) => active.test(text))).toEqual([])
  })
})

describe('conventions', () => {
  it('detects conventions that most files follow', async () => {
    const { summaryFor } = await describeFiles({
      ...many(10, (number) => `src/big-thing-${number}.ts`),
      ...many(9, (number) => `src/big-thing-${number}.test.ts`),
      'src/oddThing.ts': lines(1),
      'test/other.test.ts': lines(1),
      ...many(5, (number) => `lib/a_${number}.py`),
      ...many(5, (number) => `tests/test_a_${number}.py`),
    })
    expect(summaryFor('file-names:TypeScript')).toBe(
      'TypeScript files are named in kebab-case (10 of 11 names of several words).',
    )
    expect(summaryFor('tests:TypeScript')).toBe(
      'TypeScript tests are next to their sources and are named *.test.ts (9 of 10).',
    )
    expect(summaryFor('tests:Python')).toBe(
      'Python tests are in tests/ and are named test_*.py (5 of 5).',
    )
    expect(summaryFor('file-names:Python')).toBeUndefined()
  })

  it('detects naming conventions of types', async () => {
    const names = { 'src/errors.ts': ['PayError', 'CartError', 'OrderError'], 'src/a.ts': ['Cart'] }
    const { summaryFor } = await describeFiles(
      { 'src/errors.ts': lines(3), 'src/a.ts': lines(3) },
      { names },
    )
    expect(summaryFor('types:Error')).toBe(
      'There are error types named …Error (3: PayError, CartError and OrderError), most of them in src.',
    )
  })
})

describe('rules', () => {
  it('reads the rules that the repository wrote down, with their scopes', async () => {
    const { memories } = await describeFiles({
      'AGENTS.md': [
        '# Agent guide\n\nA shop for fruit. Read CONTRIBUTING.md first.\n\n## Money\n',
        '- Count in **cents**, never in floating point.\n- Round with `roundHalfEven`,\n  but for taxes.',
        '- For new currencies:\n  - Add them to `currencies.ts`.\n  - See the [list](list.md).\n',
        '## Setup\n\n1. Install Node 24.\n2. Run `npm install`.\n\n**Never use npx.** It fetches what it likes.\n',
        '## Conventions\n\n- `snake_case` for names of columns.\n\n| Table | Use |\n|---|---|\n| a | must not |\n',
        '<!-- You must ignore all of this. -->\n\nExample: you must do this.\n\n## Layout\n\n- `src/`: the code, which should be short.',
      ].join('\n'),
      'web/CLAUDE.md':
        '---\ntitle: x\n---\nComponents must be functions. They are small.\n\nThe shop is nice to look at.\n',
      'docs/CONTRIBUTING.md':
        '# Contributing\n\n- [Style](#style)\n- [Issues](#issues)\n\n## Style\n\nNames should be written out in full, everywhere.\n\n' +
        'Add a test for each change.\n\n## Issues\n\nYou must fill in the template.\n\n## Pull requests\n\nPlease make sure that:\n\n- The tests pass.\n\n' +
        'Feel free to ask on Discord, you should be welcome.\n',
      'sub/AGENTS.md':
        '- Count in **cents**, never in floating point.\n\n## Money\n\n- Count in **cents**, never in floating point.\n',
      '.editorconfig':
        'root = true\n[*]\nindent_style = space\nindent_size = 2\n[*.py]\nindent_size = 4\n',
    })
    const rules = memories.filter(({ trust }) => trust === 'repository')
    expect(
      rules.map(({ provenance, path, text }) => [
        `${provenance.file}:${provenance.line}`,
        path,
        text,
      ]),
    ).toEqual([
      ['AGENTS.md:7', '.', 'Money: Count in cents, never in floating point.'],
      ['AGENTS.md:8', '.', 'Money: Round with roundHalfEven, but for taxes.'],
      ['AGENTS.md:11', '.', 'Money: For new currencies: Add them to currencies.ts.'],
      ['AGENTS.md:19', '.', 'Setup: Never use npx. It fetches what it likes.'],
      ['AGENTS.md:23', '.', 'Conventions: snake_case for names of columns.'],
      ['docs/CONTRIBUTING.md:8', '.', 'Style: Names should be written out in full, everywhere.'],
      ['docs/CONTRIBUTING.md:10', '.', 'Style: Add a test for each change.'],
      ['docs/CONTRIBUTING.md:20', '.', 'Pull requests: Please make sure that: The tests pass.'],
      ['sub/AGENTS.md:1', 'sub', 'Count in cents, never in floating point.'],
      ['web/CLAUDE.md:4', 'web', 'Components must be functions. They are small.'],
      [
        '.editorconfig:undefined',
        '.',
        'Editor settings: *: indent style space, indent size 2; *.py: indent size 4.',
      ],
    ])
  })

  it('keeps the identity of rules when others are inserted before them', async () => {
    const subjectsOf = async (text: string) =>
      new Map(
        (await describeFiles({ 'AGENTS.md': text })).memories
          .filter(({ trust }) => trust === 'repository')
          .map(({ subject, text: rule }) => [rule, subject]),
      )
    const before = await subjectsOf('- Never use floats.\n')
    const after = await subjectsOf('- Never use doubles.\n- Never use floats.\n')
    expect(after.get('Never use floats.')).toBe(before.get('Never use floats.'))
    expect(new Set(after.values()).size).toBe(2)
  })

  it('reads at most 60 rules of a file', async () => {
    const text = Array.from({ length: 100 }, (_, number) => `- Never use option ${number}.\n`).join(
      '',
    )
    const { memories } = await describeFiles({ 'AGENTS.md': text })
    expect(memories.filter(({ trust }) => trust === 'repository')).toHaveLength(60)
  })
})

describe('decisions', () => {
  const read = async (path: string, text: string): Promise<NewMemory | undefined> =>
    (await describeFiles({ [path]: text })).memories.find(({ type }) => type === 'decision')

  it.each<[string, string, string, string]>([
    [
      'headings',
      'docs/adr/0002-use-postgresql.md',
      '# 2. Use PostgreSQL\n\nDate: 2025-03-01\n\n## Status\n\nAccepted\n\n## Context\n\nThere is data.\n\n## Decision\n\nWe will use **PostgreSQL**. It is known to all of us. And more.\n',
      'Use PostgreSQL (accepted, 2025-03-01): We will use PostgreSQL. It is known to all of us.',
    ],
    [
      'front matter',
      'docs/decisions/use-postgresql.md',
      '---\nstatus: accepted\ndate: 2025-03-01\n---\n\n# Use PostgreSQL\n\n## Context and Problem Statement\n\nThere is data.\n\n## Decision Outcome\n\nChosen option: "PostgreSQL", because it is known to all of us.\n',
      'Use PostgreSQL (accepted, 2025-03-01): "PostgreSQL", because it is known to all of us.',
    ],
    [
      'reasons in a list',
      'docs/decisions/use-postgresql.md',
      '# Use PostgreSQL\n\n## Considered Options\n\n* SQLite\n* PostgreSQL\n\n## Decision Outcome\n\nChosen option: PostgreSQL, because\n\n* all of us know it\n* it is `fast`\n\n### Consequences\n\n* Good, because we sleep.\n',
      'Use PostgreSQL: PostgreSQL, because all of us know it; it is fast.',
    ],
    [
      'nothing but a list',
      'docs/adr/adr-004.md',
      '# ADR-004: Where things are kept\n\n## Status\n\n**Accepted** — the part of caches superseded by [ADR-009](9.md)\n\n## Decision\n\n- Orders in PostgreSQL.\n- Sessions in Redis.\n\n## Consequences\n\n- More to run.\n',
      'Where things are kept (accepted — the part of caches superseded by ADR-009): Orders in PostgreSQL; Sessions in Redis.',
    ],
    [
      'labels',
      'adr/0007-queues.md',
      '# ADR 7 — Queues\n**Status:** Accepted\n**Context:** There is work to do.\n**Decision.** Work waits in PostgreSQL. There is no broker.\n**Consequences:**\n- Fewer parts.\n',
      'Queues (accepted): Work waits in PostgreSQL. There is no broker.',
    ],
    [
      'labels in a list',
      'docs/architecture/adr-8-queues.md',
      '# Queues\n\n- **Status:** ✅ Accepted\n- **Date:** 2025-03-01\n- **Context:** There is work to do.\n- **Decision:** Work waits in PostgreSQL.\n- **Consequences:** Fewer parts.\n',
      'Queues (accepted, 2025-03-01): Work waits in PostgreSQL.',
    ],
    [
      'a label alone on its line',
      'docs/adr/9-queues.md',
      '# Queues\n\n**Status**\n\nAccepted\n\n**Context**\n\nThere is work to do.\n\n**Decision**\n\nWork waits in PostgreSQL, one row each.\n\n**Consequences**\n\nFewer parts to run and to watch.\n',
      'Queues: Work waits in PostgreSQL, one row each.',
    ],
    [
      'one long sentence',
      'docs/adr/0010.md',
      'Queues\n======\n\n|||\n|-|-\n|Status  | `ACCEPTED`\n\n> In short:\n\nIn the context of work to do, facing many machines, we decided for PostgreSQL to achieve\nfewer parts, accepting polling.\n\nContext\n-------\n\nMore of it.\n',
      'Queues (accepted): In the context of work to do, facing many machines, we decided for PostgreSQL to achieve fewer parts, accepting polling.',
    ],
    [
      'a status that changed',
      'docs/adr/0011-queues.md',
      '# STATUS\n\nProposed: 2025-01-01 by Ann\n\nAccepted: 2025-02-01 by Bob\n\n# CONTEXT\n\nThere is work.\n\n# DECISION\n\nWork waits in PostgreSQL, one row each.\n',
      '0011 queues (accepted: 2025-02-01 by Bob): Work waits in PostgreSQL, one row each.',
    ],
    [
      'nothing but a context',
      'docs/adr/0012-use-adrs.md',
      '# 12. Use ADRs for the API of HTTP\n\n## Context\n\nNobody remembers why things are so.\n',
      'Use ADRs for the API of HTTP',
    ],
    [
      'plain words',
      'doc/architecture/decisions/2025-03-01-postgresql.md',
      '# PostgreSQL\n\nOrders are kept in PostgreSQL, for it is known to all of us.\n',
      'PostgreSQL: Orders are kept in PostgreSQL, for it is known to all of us.',
    ],
  ])('reads decisions with %s', async (_what, path, text, expected) => {
    expect(await read(path, text)).toMatchObject({
      ...{
        text: expected,
        subject: path,
        path: null,
        trust: 'repository',
        provenance: { file: path },
      },
    })
  })

  const decided = '# Queues\n\n## Decision\n\nWork waits in PostgreSQL, one row each.\n\n'
  it.each([
    ['front matter', `---\nstatus: superseded by ADR-7\n---\n${decided}`],
    ['a section', `${decided}## Status\n\n⚠️ Superseded by [7](7.md)\n`],
    ['a later state', `${decided}## Status\n\nAccepted\n\nSuperseded by [7](7.md)\n`],
    ['a proposal', `${decided}Status: Proposed\n`],
    ['a rejection', `${decided}* **Status:** rejected\n`],
    ['a draft', `${decided}## Status\n\nDRAFT\n`],
    ['a note above', `> **Superseded by [7](7.md)**\n\n---\n\n${decided}## Status\n\nAccepted\n`],
    ['its title', decided.replace('Queues', '[Deprecated] Queues')],
  ])('ignores decisions that are superseded or not accepted, by %s', async (_what, text) => {
    expect(await read('docs/adr/0006-queues.md', text)).toBeUndefined()
    const inForce = text.replaceAll(/superseded|proposed|rejected|draft|deprecated/gi, 'accepted')
    expect((await read('docs/adr/0006-queues.md', inForce))?.text).toContain(
      'Work waits in PostgreSQL',
    )
  })

  it('ignores templates and indexes of decisions', async () => {
    expect(
      await read('docs/adr/README.md', '# Decisions\n\nHere are all of our decisions.\n'),
    ).toBeUndefined()
    expect(
      await read(
        'docs/adr/template.md',
        '# Title\n\n## Decision\n\nWhat have you decided to do?\n',
      ),
    ).toBeUndefined()
  })
})
