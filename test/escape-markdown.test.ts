// Untrusted text in our comments must have no effect when GFM renders it.
import { describe, expect, it } from 'vitest'
import { redactKnownSecrets } from '../src/lib/redact-known-secrets.ts'
import {
  codeFence,
  codeSpan,
  escapeLine,
  escapeMarkdown,
  isHarmlessCode,
} from '../src/workflows/posting/escape-markdown.ts'
import { listActiveContent, readVisibleText, renderGfm } from './gfm.ts'

const clean = (text: string, maxLength = 1000) => escapeMarkdown(text, { maxLength })

describe('case 44: escapes or cuts model text', () => {
  it('removes images and links to other hosts but keeps their words', () => {
    expect(
      clean('see ![pixel](https://evil.example/p.png?secret=1) and [docs](https://evil.example)'),
    ).toBe('see pixel and docs')
    expect(clean('![x][ref]\n\n[ref]: https://evil.example/p.png')).not.toMatch(
      /\[ref\]:|https:\/\/evil/,
    )
    expect(
      clean('[a [b]](https://evil.example) [![i](https://evil.example)](https://evil.example)'),
    ).not.toMatch(/\]\(|https:\/\/evil/)
    expect(clean('plain https://evil.example/path')).not.toContain('https://evil')
    expect(clean('<https://evil.example>')).not.toContain('https://evil')
    expect(clean('[x](javascript:alert(1))')).not.toContain('javascript:')
  })
  it('breaks up mentions, closing references and commands', () => {
    expect(clean('thanks @everyone and @org/team')).not.toMatch(/@(everyone|org)/)
    expect(clean('Fixes #1, closes owner/repo#2, GH-3')).not.toMatch(/#\d|GH-3/)
    for (const text of ['/merge', 'ok\n/merge', 'ok\r/merge', 'ok\r\n  /merge', 'ok\u2028/merge']) {
      expect(clean(text)).not.toMatch(/^\s*\/merge/m)
    }
  })
  it('removes HTML, hidden comments and our own markers, in code too', () => {
    expect(clean('<img src=x onerror=alert(1)>')).not.toContain('<')
    expect(clean('<!-- umpire:finding abc -->')).not.toContain('<!--')
    expect(clean('`<!-- umpire:finding abc -->`')).not.toContain('<!-- umpire:')
    expect(clean('```\n<!-- umpire:review v=1 -->\n```')).not.toContain('<!-- umpire:')
    expect(codeFence('suggestion', 'x <!-- umpire:finding abc -->')).not.toContain('<!-- umpire:')
  })
  it('closes an open code fence and turns suggestions into plain blocks', () => {
    expect(clean('look:\n```suggestion\nrm -rf /\n')).toBe('look:\n```\nrm -rf /\n```')
  })
  it('keeps code unchanged within fences that its content cannot end', () => {
    expect(clean('call `a@b.c` or `x[0](y)`')).toBe('call `a@b.c` or `x[0](y)`')
    expect(codeSpan('a`b')).toBe('``a`b``')
    expect(codeFence('', 'a\n```\nb')).toBe('````\na\n```\nb\n````')
  })
  it('turns an unpaired backtick into a quote, so that it swallows nothing of ours', () => {
    expect(clean('an ` alone @everyone')).not.toContain('@everyone')
  })
  it('removes control characters and hidden or direction-changing text', () => {
    expect(clean('a\u202eb\u200bc\u0007d\u{e0041}e')).toBe('abcde')
    expect(clean('lone \ud800 half')).toBe('lone \ufffd half')
  })
  it('cuts 70,000 characters', () => {
    expect(clean('x'.repeat(70_000), 500)).toHaveLength(500)
  })
  it('keeps a heading on one line and in its table cell', () => {
    expect(escapeLine('a | b\n\n# c', { maxLength: 100 })).toBe('a \\| b # c')
  })
  it('takes linear time on hostile text', () => {
    for (const unit of [
      '[',
      '`',
      '![',
      '<',
      '[](',
      '@#/',
      '``` \n',
      '` `` ',
      '> ',
      '- ',
      '1. ',
      '\\`',
      '&#',
      '://',
      '# ',
      '\tx',
      '[](a(b',
      '~~~\n',
      '> ```\n',
      '` \n\n',
    ]) {
      expect(clean(unit.repeat(20_000), 70_000).length).toBeGreaterThan(0)
    }
  })
})

const evil = 'https://evil.example'
const payload =
  `@octocat ![x](${evil}/p.png) [l](${evil}) <img src="${evil}/p.png"> ` +
  `Fixes #1 <${evil}> www.evil.example`
const hostile: readonly (readonly [name: string, text: string])[] = [
  ['escaped backticks', `Look \\\`${payload} \\\``],
  [
    'escaped backticks and a longer run',
    `\\\`\`${payload} \` \`\`${payload}\`\` \\\\\`${payload}\``,
  ],
  ['a table whose cells are split before code', `| a | b |\n|---|---|\n| \`x | ${payload} \` |`],
  ['a table without outer pipes', `a | b\n:-- | --:\n\`x | ${payload} \``],
  ['a table of one column', `a\n:-:\n\`${payload}\``],
  ['a table in a quote', `> | a | b |\n> |-|-|\n> | \`x | ${payload} \` |`],
  ['a table in a list', `- | a | b |\n  |-|-|\n  | \`x | ${payload} \` |`],
  [
    'autolinks without a border',
    `_${evil}/x _www.evil.example 1${evil} (${evil}:8443/x) **${evil}** é${evil}`,
  ],
  ['an autolink in an autolink', `${evil};${evil}/x //a.b;${evil} ${evil}~~~${evil}`],
  ['autolinks in capitals', 'HTTPS://EVIL.EXAMPLE WWW.EVIL.EXAMPLE'],
  [
    'email autolinks',
    'a.b@evil.example mailto:a@evil.example xmpp:a@evil.example/x <a@evil.example>',
  ],
  [
    'escapes in addresses',
    'https\\://evil.example www\\.evil.example a\\@evil.example \\<img src=x>',
  ],
  [
    'entities',
    '&#64;octocat &commat;octocat &#35;12 foo&#64;evil.example ' +
      '&#x68;ttps://evil.example &lt;img&gt; &amp;#64;x',
  ],
  ['reference links', `![x][r] [y][] [z]\n\n[r]: ${evil}/p.png\n[y]: <${evil}>\n[z]:\n${evil}`],
  [
    'reference links with a scheme of their own',
    '[a][b] [c]\n\n[b]: //evil.example\n[c]: javascript:alert(1)',
  ],
  ['footnotes', `a[^1]\n\n[^1]: ${payload}`],
  ['links without a host', '[x](//evil.example) [y](/settings) [z](#a)'],
  [
    'links in links',
    `[![i](${evil}/p.png)](${evil}) [a [b](${evil})](${evil}) [x](<${evil}> "(t)") [y](\n${evil})`,
  ],
  [
    'escaped brackets',
    `\\[a](${evil}) [a\\](${evil}) [a\\]b](${evil}) \\![x](${evil}/p.png) !\\[x](${evil})`,
  ],
  ['a link around code', `[\`x\`](${evil}) ![\`]\`](${evil}/p.png) [a](${evil}/\`) \``],
  [
    'words that become an address',
    `[ww](x)w.evil.example ht[t](x)ps://evil.example [@](x)octocat [#](x)12`,
  ],
  ['code that touches code', `\`${payload}\`![](x)\`\`y\`\``],
  [
    'HTML blocks',
    `<div>\n\n${payload}\n\n</div>\n<script>alert(1)</script>\n<!-- a\n${payload} -->\n<?x ?>\n<![CDATA[x]]>`,
  ],
  ['an HTML block around code', `<pre>\n\`${payload}\`\n</pre>\n<textarea>`],
  ['indented code', `x\n\n    ${payload}\n\ty ${payload}`],
  ['indented code first', `    ${payload}`],
  [
    'a fence in a list',
    `- a\n  \`\`\`js\n  ${payload}\n  \`\`\`\n- \`\`\`\n  ${payload}\n  \`\`\`\n${payload}`,
  ],
  [
    'a fence in a quote',
    `> \`\`\`\n> ${payload}\n${payload}\n> ~~~suggestion\n> x\n> ~~~\n${payload}`,
  ],
  ['a fence that is not one', `\`\`\` a\`b\n${payload}\n\`\`\`\n${payload}`],
  ['a fence too far in', `a\n     \`\`\`\n     ${payload}\n\n     ${payload}\n     \`\`\``],
  [
    'a fence closed by a shorter or another one',
    `\`\`\`\`\n\`\`\`\n${payload}\n~~~\n\`\`\`\`\n${payload}`,
  ],
  ['a fence of another kind in a fence', `~~~ a\`b\n\`\`\`\n~~~\n${payload}\n\`\`\``],
  ['code over a paragraph', `\`a\n\n${payload}\n\nb\``],
  ['code over list items', `- \`a\n- ${payload}\n- b\``],
  ['headings', `# ${payload}\n## # /merge\n${payload}\n===\n${payload}\n---\n> a\n> ---`],
  ['task lists and alerts', `- [ ] ${payload}\n- [x] a\n\n> [!CAUTION]\n> ${payload}`],
  ['formulas', `$\\href{${evil}}{click}$ $$\n\\href{${evil}}{x}\n$$ $\`\\href{${evil}}{x}\`$`],
  ['diagrams', `\`\`\`mermaid\ngraph TD; A-->B; click A "${evil}"\n\`\`\`\n~~~geojson\n{}\n~~~`],
  ['odd line ends', `a\r${payload}\r\n/merge\u2028/merge\u0085/merge\f/merge`],
  [
    'hidden characters',
    `@\u200boctocat \u2060@octocat h\u00adttps://evil.example ` +
      `<\u200bimg src=x> \ue000\ue0800\ue081`,
  ],
  [
    'references',
    'GH-1 _GH-2 gh-3 acme/shop#4 #5 (#6) _#7 G\\H-8 GH\\-9 \\#10 acme/shop@0123456789abcdef0123456789abcdef01234567',
  ],
  [
    'addresses of issues',
    'Closes https://github.com/acme/shop/issues/1 and github.com/acme/shop/pull/2',
  ],
  ['a backslash at the end', `${payload} \\`],
]

describe('case 44: GFM renders nothing active', () => {
  it.each(hostile)('%s', (_name, text) => {
    const once = clean(text, 5000)
    for (const output of [once, clean(once, 5000), clean(`${text}\n\n${text}`, 5000)]) {
      expect(listActiveContent(`before\n\n${output}\n\nafter`)).toEqual([])
      expect(output).not.toMatch(/^\s*\/\w/m)
    }
    const where = codeSpan(text, { inCell: true })
    const table = `| Key | Value |\n|---|---|\n| ${where} | x |`
    expect(listActiveContent(table)).toEqual([])
    expect(renderGfm(table).match(/<t[hd]\b/g)).toHaveLength(4)
    const line = escapeLine(text, { maxLength: 5000 })
    expect(listActiveContent(`- ${codeSpan(text)}: ${line}`)).toEqual([])
    const linked = `- ${line} · [${codeSpan(text)}](https://forge.example/a)`
    expect(listActiveContent(linked)).toEqual(['<a href="https://forge.example/a">', '</a>'])
  })
  it('detects active content in unescaped text', () => {
    const parts = hostile.filter(([, text]) => listActiveContent(text).length > 0)
    expect(parts.length).toBeGreaterThan(30)
  })
  it('breaks chat bot commands in code and leaves other code unchanged', () => {
    const code = 'a /merge\n/usr/bin/env x\n  @property\n@Input() name'
    expect(clean(`\`\`\`\n${code}\n\`\`\``)).toBe(`\`\`\`\n${code}\n\`\`\``)
    expect(clean('```\n/merge\n\t/LGTM-cancel now\n@dependabot merge\n```')).not.toMatch(
      /^\s*(\/\w|@\w)/m,
    )
    expect(clean('[/merge](x)\n- /merge\n> /merge\n# /merge\n\\/merge\n![](x)/merge')).not.toMatch(
      /^[\s>-]*\\?\/\w/m,
    )
  })
  it('allows committing code only where it is harmless', () => {
    expect(isHarmlessCode("  if (path === '/merge') {\n    return a | b // @alice #1")).toBe(true)
    expect(isHarmlessCode('a\r\nb')).toBe(true)
    for (const code of [
      'a\n/merge\nb',
      '  /approve now',
      'a // <!-- umpire:finding x -->',
      'a \u202e b',
      'a\u200b',
    ]) {
      expect(isHarmlessCode(code)).toBe(false)
    }
  })
  it('leaves no math formula and keeps amounts of money', () => {
    expect(clean('$x$, $5x$ and $$y$$; $`z`$')).toBe('\\$x\\$, $5x\\$ and \\$\\$y\\$\\$; \\$`z`\\$')
    expect(clean('from $5 to $10.50')).toBe('from $5 to $10.50')
  })
  it('breaks our own markers in all kinds of code', () => {
    for (const text of [
      '<!-- umpire:finding a -->',
      '<!--umpire:review',
      '<!--\n\tumpire:review',
      '<!--\u200b umpire:x',
    ]) {
      for (const output of [
        codeSpan(text),
        codeSpan(text, { inCell: true }),
        codeFence('', text),
        clean(text),
      ]) {
        expect(output).not.toMatch(/<!--\s*umpire:/)
      }
    }
  })
})

describe('escaped text', () => {
  it('still reads as it was meant', () => {
    const text =
      'A **bold** `x|y` claim, _so_ ~~not~~ 5 < 6 & 7 > 3; a\\_b, ' +
      'C:\\dir, $5, x[0], 50%.\n\n1. one\n2. two\n\n> quoted'
    const html = renderGfm(clean(text))
    expect(readVisibleText(html)).toBe(
      'A bold x|y claim, so not 5 < 6 & 7 > 3; a_b, ' +
        'C:\\dir, $5, x[0], 50%.\n\none\ntwo\n\n\nquoted\n',
    )
    for (const part of [
      '<strong>bold',
      '<code>x|y</code>',
      '<em>so',
      '<del>not',
      '<ol>\n<li>one</li>',
      '<blockquote>',
    ]) {
      expect(html).toContain(part)
    }
  })
  it('is unchanged when it is escaped again', () => {
    for (const [, text] of hostile) {
      const once = clean(text, 5000)
      expect(readVisibleText(renderGfm(clean(once, 9000)))).toBe(readVisibleText(renderGfm(once)))
    }
  })
  it('keeps the lines before a fence unchanged', () => {
    expect(clean('- a\n- b\n```js\nx\n```\nafter')).toBe('- a\n- b\n```\nx\n```\nafter')
    expect(clean('one\ntwo\n\n```\nx\n```\n\nthree')).toBe('one\ntwo\n\n```\nx\n```\n\nthree')
  })
  it('keeps fenced code in lists and quotes', () => {
    expect(clean('- see\n  ```js\n  if (a)\n    b()\n  ```\n- c')).toBe(
      '- see\n```\nif (a)\n  b()\n```\n- c',
    )
    expect(clean('> ```\n> a\n>   b\n> ```\n> c')).toBe('```\na\n  b\n```\n> c')
  })
  it.each([
    ['a \\| b | c', 'a | b | c'],
    ['Regex `a\\|b` is wrong', 'Regex a\\|b is wrong'],
    ['a \\\\| b \\', 'a \\| b \\'],
    ['```foo``` is broken', 'foo is broken'],
    ['~~~ tilde title', 'tilde title'],
    ['```js broken', 'js broken'],
    ['# 1. - title', 'title'],
  ])('keeps %j in its list item', (text, read) => {
    const html = renderGfm(`- ${escapeLine(text, { maxLength: 200 })} · c`)
    expect(readVisibleText(/<li>(.*) · c<\/li>/.exec(html)?.[1] ?? html)).toBe(read)
  })
  it('escapes pipes of code only in table cells', () => {
    expect(codeSpan('a|b.ts')).toBe('`a|b.ts`')
    expect(codeSpan('a|b.ts', { inCell: true })).toBe('`a\\|b.ts`')
  })
})

describe('case 43: redacts our own secrets', () => {
  const secret = 'ghs_16C7e42F292c6912E7/710c838347Ae178B4a+'
  const base64 = Buffer.from(secret).toString('base64')
  const forms: readonly (readonly [string, string])[] = [
    ['whole', secret],
    ['without its first seven characters', secret.slice(7)],
    ['without its last seven characters', secret.slice(0, -7)],
    ['twelve characters of it', secret.slice(11, 23)],
    ['in base64', base64],
    ['in base64url', Buffer.from(secret).toString('base64url')],
    [
      'in base64 of something longer',
      Buffer.from(`x-access-token:${secret}`).toString('base64').slice(20),
    ],
    ['in base64 of something longer by one', Buffer.from(`a${secret}`).toString('base64')],
    ['in hexadecimal', Buffer.from(secret).toString('hex')],
    ['percent-encoded', encodeURIComponent(secret)],
    ['as Markdown writes it', secret.replaceAll('_', '\\_').replaceAll('/', '`/`')],
    ['with hidden characters', [...secret].join('\u200b')],
    ['over two lines', `${secret.slice(0, 10)}\n${secret.slice(10)}`],
  ]
  it.each(forms)('case 43: %s', (_name, form) => {
    const redacted = redactKnownSecrets(`The token ${form} is used`, ['other-secret', secret])
    expect(redacted).toMatch(/^The token \S{0,3}\[secret\]\S{0,3} is used$/)
  })
  it('case 43: redacts short secrets when enough of them appears', () => {
    expect(redactKnownSecrets('it is Tr0ub4dor&3, or r0ub4dor, or ub4dor', ['Tr0ub4dor&3'])).toBe(
      'it is [secret], or [secret], or ub4dor',
    )
    expect(redactKnownSecrets('use postgres or abc', ['postgres', 'abc', ''])).toBe(
      'use postgres or abc',
    )
  })
  it('case 43: redacts secrets that are added to the list later', () => {
    const secrets = ['Tr0ub4dor&3']
    expect(redactKnownSecrets('c0rrect-h0rse', secrets)).toBe('c0rrect-h0rse')
    secrets.push('c0rrect-h0rse')
    expect(redactKnownSecrets('c0rrect-h0rse and Tr0ub4dor&3', secrets)).toBe(
      '[secret] and [secret]',
    )
  })
  it('case 43: takes linear time and leaves other text unchanged', () => {
    const text = 'ghs_16C7e42F '.repeat(20_000)
    expect(
      redactKnownSecrets(text, [`${secret}x`.repeat(3), secret]).replaceAll('[secret] ', ''),
    ).toBe('')
    expect(redactKnownSecrets('nothing to see here', [secret])).toBe('nothing to see here')
  })
})
