// Tests which comments are commands.
import { describe, expect, it } from 'vitest'
import { parseComment } from '../src/commands/parse-comment.ts'

const names = ['umpire-acme', 'umpire']
const parse = (body: string) => parseComment(body, names)
const command = (name: string, argument = '') => ({ kind: 'command', name, argument })

describe('a comment is a command', () => {
  it('when a line starts with a mention and a command, in any case', () => {
    for (const body of [
      '@umpire review',
      '@umpire-acme review',
      '@umpire-acme[bot] review',
      '@Umpire: REVIEW please.',
      '   @umpire, review!',
      'Thanks, fixed.\r\n\r\n@umpire review\r\n\r\nSee you',
      '> quoted\n\n@umpire review',
      '```\ncode\n```\n@umpire review',
      '~~~js\n```\n~~~\n@umpire review',
      '<!-- note -->\n@umpire review',
      'Write `<!--` and `<pre>` here.\n@umpire review',
      '- ```\n  code\n@umpire review',
      '1. a\n   ```\n   code\n   ```\n\n@umpire review',
      '- fixed `a`\n- fixed b\n@umpire review',
      '> ```\n> code\n\n@umpire review',
      'It is ` and ``.\n@umpire review',
      'Not \\`code\n@umpire review\nnor code`',
      'A `span`, a \\\\`span`\n@umpire review\n`',
      'Not ` code\n\n@umpire review\n\nnor code`',
      '```\n`\n```\n@umpire review\n`',
      'So: `a` and `b\nc`\n@umpire review',
      '`\\`\n@umpire review\n`',
    ])
      expect(parse(body), body).toEqual(command('review'))
    expect(parse('@umpire review  full')).toEqual(command('review full'))
  })

  it('whose argument continues to the end of the comment', () => {
    expect(parse('@umpire dismiss')).toEqual(command('dismiss'))
    expect(parse('@umpire dismiss It is\nintended. ')).toEqual(
      command('dismiss', 'It is\nintended.'),
    )
    expect(parse('Hm.\n@umpire ask\n\nWhy?\n> this')).toEqual(command('ask', 'Why?\n> this'))
  })

  it('and the first of several counts', () => {
    expect(parse('@umpire pause\n@umpire resume')).toEqual(command('pause'))
    expect(parse('@umpire is slow\n@umpire resume')).toEqual(command('resume'))
  })
})

describe('a comment is no command', () => {
  it('in code, quotes, HTML comments and other text', () => {
    for (const body of [
      '',
      'Please @umpire review',
      '- @umpire review',
      '`@umpire review`',
      '**@umpire review**',
      '> @umpire review',
      '> quoted\n@umpire review',
      '    @umpire review',
      '\t@umpire review',
      '```\n@umpire review\n```',
      '````\n```\n@umpire review\n````',
      '```\n@umpire review',
      '- ```\n  @umpire review\n  ```',
      '- a\n\n  ```\n  @umpire review\n  ```',
      '1. ~~~\n   @umpire review\n   ~~~',
      '- ```\n  code\n\n```\n@umpire review\n```',
      '> ```\n> @umpire review\n> ```',
      '> - ```\n>   @umpire review\n>   ```',
      'So: `\n@umpire review\n`',
      'So: ``a`\n@umpire review\n`b``',
      '<!--\n@umpire review\n-->',
      '<!-- a --> <!--\n@umpire review\n-->',
      '<pre>\n@umpire review\n</pre>',
      '<CODE>\n@umpire review\n</CODE>',
      '@umpire-other review',
      '@umpired review',
      '@umpire/team review',
      'alice@umpire review',
      'review',
    ])
      expect(parse(body), body).toEqual({ kind: 'none' })
  })

  it('when it goes on as a sentence, which counts as unknown if it starts the comment', () => {
    for (const body of [
      '@umpire',
      '@umpire merge',
      '@umpire review comments are great',
      '@umpire reviewer',
      '@umpire review-full',
      '@umpire help me',
      '\n\n@umpire thanks',
      '@umpire constructor',
    ])
      expect(parse(body), body).toEqual({ kind: 'unknown' })
    expect(parse('Thanks.\n@umpire is great')).toEqual({ kind: 'none' })
  })

  it('finds none in hostile text without delay', () => {
    for (const part of [
      '<!--',
      '<pre',
      '`',
      '@umpire ',
      '> ',
      '```\n',
      '- ```\n',
      '`\n',
      '` `` ',
      '@umpire review full ',
    ])
      expect(parse(part.repeat(20_000)).kind).not.toBe('command')
    expect(parse(`@umpire review${' '.repeat(200_000)}x`).kind).toBe('unknown')
  })
})
