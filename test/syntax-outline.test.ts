// Tests of source outlines: definitions with their lines and parents.
import { afterAll, describe, expect, it } from 'vitest'
import { createSyntaxParser } from '../src/code/syntax-parser.ts'

const syntax = createSyntaxParser({ fileDeadlineMs: 500 })
afterAll(() => syntax[Symbol.asyncDispose]())

const outline = async (path: string, text: string) =>
  (await syntax.outline(path, text))?.map(
    ({ kind, container, name, startLine, endLine }) =>
      `${kind} ${container === '' ? '' : `${container}.`}${name} ${startLine}-${endLine}`,
  )

describe('outlines', () => {
  it.each([
    [
      'a.ts',
      'export class Shop {\n  total(): number {\n    return 1\n  }\n}\nexport const tax = (n: number) => n\ninterface Cart { a: string }\n',
      ['class Shop 1-5', 'method Shop.total 2-4', 'function tax 6-6', 'interface Cart 7-7'],
    ],
    [
      'a.py',
      'class Shop:\n  def total(self):\n    return 1\n',
      ['class Shop 1-3', 'function Shop.total 2-3'],
    ],
    [
      'a.go',
      'package a\nfunc (s *Shop) Total() int {\n  return 1\n}\ntype Shop struct{}\n',
      ['method Total 2-4', 'type Shop 5-5'],
    ],
    [
      'a.java',
      'class Shop {\n  int total() { return 1; }\n}\n',
      ['class Shop 1-3', 'method Shop.total 2-2'],
    ],
    [
      'a.cs',
      'namespace N {\n  class Shop { int Total() => 1; }\n}\n',
      ['module N 1-3', 'class N.Shop 2-2', 'method N.Shop.Total 2-2'],
    ],
    [
      'a.rb',
      'module M\n  class Shop\n    def total = 1\n  end\nend\n',
      ['module M 1-5', 'class M.Shop 2-4', 'method M.Shop.total 3-3'],
    ],
    [
      'a.rs',
      'impl Shop {\n  fn total(&self) -> u8 { 1 }\n}\n',
      ['class Shop 1-3', 'function Shop.total 2-2'],
    ],
    [
      'a.php',
      '<?php\nclass Shop {\n  function total() { return 1; }\n}\n',
      ['class Shop 2-4', 'method Shop.total 3-3'],
    ],
    [
      'a.c',
      'static int *total(int n) {\n  return 0;\n}\ntypedef struct Shop { int n; } Shop;\n',
      ['function total 1-3', 'type Shop 4-4', 'class Shop.Shop 4-4'],
    ],
  ])('describes %s', async (path, text, expected) => {
    expect(await outline(path, text)).toEqual(expected)
  })

  it('returns signatures on one line, up to the body', async () => {
    const found = await syntax.outline(
      'a.ts',
      'async function total(\n  cart: Cart,\n): Promise<number> {\n  return 1\n}\n',
    )
    expect(found?.[0]?.signature).toBe('async function total( cart: Cart, ): Promise<number>')
  })

  it('returns nothing without a grammar or when parsing takes too long', async () => {
    expect(await syntax.outline('a.txt', 'class Shop {}')).toBeUndefined()
    expect(await syntax.outline('a.ts', 'x'.repeat(600 * 1024))).toBeUndefined()
  })
})
