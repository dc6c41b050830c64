// Tests of patterns: what code they match in several languages, and what is reported about it.

import { describe, expect, it } from 'vitest'
import { Parser } from 'web-tree-sitter'
import { loadGrammar } from '../src/code/grammars.ts'
import { type PatternLanguage, preparePatterns } from '../src/code/patterns/prepare-patterns.ts'
import { languageOfGrammarNamed, languages } from '../src/languages/index.ts'
import { createDeclarationIndex } from '../src/languages/rules/declaration-index.ts'
import { isConstant } from '../src/languages/rules/literals.ts'
import type { PatternCheck } from '../src/languages/rules/pattern-check.ts'
import type { Hit } from '../src/languages/rules/syntax-check.ts'
import { createWordIndex } from '../src/languages/rules/word-index.ts'
import { rules } from '../src/reviewers/rules/index.ts'
import { listSharedChecks, type Rule } from '../src/reviewers/rules/rule.ts'

async function loadLanguage(grammar: string): Promise<PatternLanguage> {
  const language = await loadGrammar(grammar)
  const parser = new Parser().setLanguage(language)
  const frame = languageOfGrammarNamed(grammar).grammar.statementFrame ?? ['', '']
  return { frame, parse: (code) => parser.parse(code)! }
}

/** Returns what a check reports in code, in the order of the code. */
async function findHits(grammar: string, check: PatternCheck, text: string): Promise<Hit[]> {
  const language = await loadLanguage(grammar)
  const tree = language.parse(text)
  const root = tree.rootNode
  const file = {
    path: 'src/code',
    language: grammar,
    text,
    lines: text.split('\n'),
    root,
    declarations: createDeclarationIndex(root),
    words: createWordIndex(text),
    findImported: () => undefined,
  }
  const checks = preparePatterns(check, language)
    .filter(({ words }) => words.every((group) => group.some((word) => text.includes(word))))
    .map(({ load }) => load())
  const hits: Hit[] = []
  const open = [root]
  while (open.length > 0) {
    const node = open.pop()!
    for (const { nodes, check } of checks) {
      const hit = nodes.includes(node.type) && check(node, file)
      if (hit) hits.push(hit)
    }
    open.push(...node.children.toReversed())
  }
  tree.delete()
  return hits
}

/** Returns the code that a check matches, or another text of the match. */
async function find(
  grammar: string,
  check: PatternCheck | string,
  text: string,
  title = '$$MATCH',
): Promise<string[]> {
  const described = typeof check === 'string' ? { patterns: [check] } : check
  return (await findHits(grammar, { title, ...described }, text)).map((hit) => hit.title)
}

describe('a pattern', () => {
  it('binds a metavariable to the same code at each place', async () => {
    const code = 'a = a; a = b; a.b = a.b; a.b = a.c'
    expect(await find('javascript', '$X = $X', code)).toEqual(['a = a', 'a.b = a.b'])
  })

  it('matches anything where a metavariable has no name', async () => {
    expect(await find('python', 'f($_, $_)', 'f(1, x)\nf(1)\nf(1, 2, 3)')).toEqual(['f(1, x)'])
  })

  it('matches any number of arguments where it has an ellipsis', async () => {
    const code = 'f()\nf(timeout=1)\nf(a, b, timeout=1, c=2)\ng(timeout=1)'
    expect(await find('python', 'f($$$, timeout=1, $$$)', code)).toEqual([
      'f(timeout=1)',
      'f(a, b, timeout=1, c=2)',
    ])
  })

  it('gives a rule the nodes of an ellipsis with a name', async () => {
    const check: PatternCheck = {
      patterns: ['f($FIRST, $$$OTHERS)'],
      refine: ({ list }) => ({
        title: list('OTHERS')
          .map(({ text }) => text)
          .join(' '),
      }),
    }
    expect(await find('typescript', check, 'f(1, 2, 3); f(4)')).toEqual(['2 3', ''])
  })

  it('matches statements where an ellipsis is in a block', async () => {
    const code = 'for rows.Next() { a(); b() }\nfor rows.Next() {}\nfor x.Next() { a() }'
    const wrapped = `package p\nfunc f() {\n${code}\n}`
    expect(await find('go', 'for rows.Next() { $$$ }', wrapped)).toHaveLength(2)
  })

  it('ignores quotation marks, comments, parentheses, final commas and types', async () => {
    const code = 'f("a", /* why */ x,); f(`a`, (x)); f<string>("a", x); f("b", x)'
    expect(await find('typescript', "f('a', x)", code)).toHaveLength(3)
  })

  it('ignores modifiers and annotations of a method', async () => {
    const code = 'class A { @Override public boolean equals(final Object o) { return true; } }'
    expect(await find('java', 'boolean equals(Object $O) { $$$; }', code)).toHaveLength(1)
  })

  it('requires the parentheses that are written in it', async () => {
    const code = 'x in ("a")\nx in ("a",)\nx in "a"'
    expect(await find('python', '$_ in ($_)', code)).toEqual(['x in ("a")'])
  })

  it('matches any plain string where a metavariable is in quotation marks', async () => {
    const code = 'log("a")\nlog(\'b\')\nlog(f"{c}")\nlog(d)'
    expect(await find('python', "log('$TEXT')", code, '$$TEXT')).toEqual(['a', 'b'])
  })

  it('matches any operator that is written like a comparison', async () => {
    const code = 'a == 1\na is not 1\na not in b\na + 1'
    expect(await find('python', 'a $OP $_', code, '$$OP')).toEqual(['==', 'is not', 'not in'])
  })

  it('matches only the marked part', async () => {
    const code = 'g({ off: false }, { on: false })'
    expect(await find('javascript', '({ «off: false» })', code)).toEqual(['off: false'])
  })

  it('matches only statements of their own with a final semicolon', async () => {
    const code = 'start()\nx = start()\nreturn start()\n'
    expect(await find('python', 'start();', code)).toEqual(['start()'])
  })

  it('is refused if it is no code, or matches everything', async () => {
    await expect(find('python', 'f(', 'f()')).rejects.toThrow('no valid code: f(')
    await expect(find('python', '$X', 'f()')).rejects.toThrow('any code: $X')
  })

  it('gives up on code for which it would have to compare too much', async () => {
    const code = `f(${Array.from({ length: 20_000 }, (_, index) => index).join()})`
    const pattern = 'f($$$, $A, $$$, $B, $$$, $A, $$$)'
    expect(await find('javascript', pattern, code)).toEqual([])
    const deep = `${'f('.repeat(3_000)}${')'.repeat(3_000)}`
    expect(await find('javascript', { patterns: ['f()'], inside: ['g($_)'] }, deep)).toEqual([])
  })
})

describe('a check by patterns', () => {
  const calls = 'f(1); f(x); f(NAME); f("1")'

  it('requires its conditions', async () => {
    const number: PatternCheck = { patterns: ['f($X)'], where: { X: /^\d$/ } }
    expect(await find('javascript', number, calls)).toEqual(['f(1)'])
    const constant: PatternCheck = { patterns: ['f($X)'], where: { X: isConstant } }
    expect(await find('javascript', constant, calls)).toEqual(['f(1)', 'f(NAME)', 'f("1")'])
  })

  it('excludes other patterns, which know its metavariables', async () => {
    const check: PatternCheck = { patterns: ['f($A, $B)'], not: ['f($A, $A)'] }
    expect(await find('javascript', check, 'f(1, 1); f(1, 2)')).toEqual(['f(1, 2)'])
  })

  it('looks at what is around the code', async () => {
    const code = 'try { f(1) } catch (e) {} finally {}\nwith_(() => f(2))'
    const within = { patterns: ['f($_)'], inside: ['with_($$$)'] }
    expect(await find('javascript', within, code)).toEqual(['f(2)'])
    const outside = { patterns: ['f($_)'], notInside: ['with_($$$)'] }
    expect(await find('javascript', outside, code)).toEqual(['f(1)'])
  })

  it('inserts the code into its texts, quoted and on one line', async () => {
    const check: PatternCheck = {
      patterns: ['$LIST.sort($BY)'],
      title: '`$LIST.sort` by $BY',
      body: 'When this runs, `sort` gets $$BY.',
      at: 'BY',
      replacement: '$LIST => $LIST',
    }
    expect(await findHits('javascript', check, 'x\n  .y.sort(z)')).toEqual([
      {
        at: { startLine: 2, endLine: 2 },
        title: '`x .y.sort` by `z`',
        body: 'When this runs, `sort` gets z.',
        suggestion: '  .y.sort(x\n  .y => x\n  .y)',
      },
    ])
    expect(await find('javascript', 'f($X)', 'f(`$X $MATCH`)', '$X')).toEqual(['`$X $MATCH`'])
  })

  it('lets its function change what is reported, or report nothing', async () => {
    const check: PatternCheck = {
      patterns: ['f($X)'],
      refine: ({ text }) => (text('X') === 'x' ? { title: 'this one' } : text('X') === '1'),
    }
    expect(await find('javascript', check, calls)).toEqual(['f(1)', 'this one'])
  })
})

describe('the patterns of the rules', () => {
  it('are valid code of their languages and bind what they refer to', async () => {
    for (const { grammar, check, rule } of await listChecks()) {
      for (const { load } of preparePatterns(check, await loadLanguage(grammar)))
        expect(() => load(), rule.id).not.toThrow()
      const around = [...(check.not ?? []), ...(check.inside ?? []), ...(check.notInside ?? [])]
      const texts = [check.at && `$${check.at}`, check.body, check.replacement].join()
      for (const [, name] of texts.replaceAll('$MATCH', '').matchAll(/\$([A-Z]\w*)/g))
        for (const pattern of check.patterns)
          expect([pattern, ...around].join(), rule.id).toMatch(new RegExp(`\\$${name}\\b`))
    }
  })

  it('have conditions only for metavariables that they bind', () => {
    for (const rule of rules) {
      const patterns = JSON.stringify([rule, rule.syntax])
      const checks = [rule, ...(rule.syntax ?? [])] as { where?: PatternCheck['where'] }[]
      for (const name of checks.flatMap(({ where = {} }) => Object.keys(where)))
        expect(patterns, rule.id).toMatch(new RegExp(`\\$${name}\\b`))
    }
  })
})

/** Lists the checks by patterns of all rules for each grammar. */
async function listChecks() {
  const found: { grammar: string; check: PatternCheck; rule: Rule }[] = []
  for (const { grammars, loadRules } of languages) {
    const own = (await loadRules?.())?.checks ?? {}
    for (const { name: grammar } of grammars)
      for (const rule of rules)
        for (const check of [...listSharedChecks(rule, grammar), ...(own[rule.id] ?? [])])
          if ('patterns' in check) found.push({ grammar, check: { ...rule, ...check }, rule })
  }
  return found
}
