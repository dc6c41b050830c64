// Tests of the diff parser on diffs of every kind, damaged ones included.
import { describe, expect, it } from 'vitest'
import type { FileDiff } from '../src/domain/diff.ts'
import { commentableLines, isCommentable } from '../src/git/commentable-lines.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import { renderNumberedLines } from '../src/git/render-diff.ts'

const oids = 'index 1111111..2222222 100644'

function parseOne(...lines: string[]): FileDiff {
  const { files, problems } = parseDiff(`${lines.join('\n')}\n`)
  expect(problems).toEqual([])
  expect(files).toHaveLength(1)
  return files[0]!
}

const change = (name: string, ...hunk: string[]) => [
  `diff --git a/${name} b/${name}`,
  oids,
  `--- a/${name}`,
  `+++ b/${name}`,
  ...hunk,
]

describe('case 41: the content of a diff', () => {
  it('numbers the lines of both sides over several hunks', () => {
    const file = parseOne(
      ...change('a.ts', '@@ -1,3 +1,4 @@', ' one', '-two', '+2', '+2½', ' three'),
      ...['@@ -10,2 +11,2 @@ function f() {', '-ten', '+10', ' eleven'],
    )
    expect(file.hunks[1]).toMatchObject({ oldStart: 10, newStart: 11, section: 'function f() {' })
    expect(
      file.hunks.flatMap((hunk) =>
        hunk.lines.map((line) => [line.oldLine, line.newLine, line.text]),
      ),
    ).toEqual([
      [1, 1, 'one'],
      [2, null, 'two'],
      [null, 2, '2'],
      [null, 3, '2½'],
      [3, 4, 'three'],
      [10, null, 'ten'],
      [null, 11, '10'],
      [11, 12, 'eleven'],
    ])
    expect(file).toMatchObject({ status: 'modified', additions: 3, deletions: 2, truncated: false })
  })

  it('reads renames and copies, with and without changes', () => {
    const renamed = parseOne(
      ...[
        'diff --git a/old name b/new name',
        'similarity index 90%',
        'rename from old name',
        'rename to new name',
        oids,
      ],
      ...['--- a/old name\t', '+++ b/new name\t', '@@ -1 +1 @@', '-x', '+y'],
    )
    expect(renamed).toMatchObject({
      status: 'renamed',
      oldPath: 'old name',
      path: 'new name',
      additions: 1,
    })
    const copied = parseOne(
      'diff --git a/a b/b',
      'similarity index 100%',
      'copy from a',
      'copy to b',
    )
    expect(copied).toMatchObject({ status: 'copied', oldPath: 'a', path: 'b', hunks: [] })
  })

  it('reads a rename whose names could be split in two ways', () => {
    const file = parseOne(
      'diff --git a/x b/x b/x',
      'similarity index 100%',
      'rename from x b/x',
      'rename to x',
    )
    expect(file).toMatchObject({ oldPath: 'x b/x', path: 'x' })
  })

  it('reads a mode change without hunks of a file with spaces in its name', () => {
    const file = parseOne('diff --git a/a b/a b b/a b/a b', 'old mode 100644', 'new mode 100755')
    expect(file).toMatchObject({
      path: 'a b/a b',
      oldMode: '100644',
      newMode: '100755',
      status: 'modified',
      hunks: [],
    })
  })

  it('reads added and deleted empty files', () => {
    const { files, problems } = parseDiff(
      'diff --git a/in b/in\nnew file mode 100644\nindex 0000000..e69de29\n' +
        'diff --git a/out b/out\ndeleted file mode 100644\nindex e69de29..0000000\n',
    )
    expect(problems).toEqual([])
    expect(files.map(({ path, status, truncated }) => [path, status, truncated])).toEqual([
      ['in', 'added', false],
      ['out', 'deleted', false],
    ])
  })

  it('reads binary files, as a name only or as a patch', () => {
    const { files, problems } = parseDiff(
      `diff --git a/a.png b/a.png\n${oids}\nBinary files a/a.png and b/a.png differ\n` +
        `diff --git a/b.png b/b.png\n${oids}\nGIT binary patch\nliteral 3\nKcmZQ%W&i*\n\nliteral 0\nHcmV?d00001\n\n` +
        `${change('c.ts', '@@ -1 +1 @@', '-x', '+y').join('\n')}\n`,
    )
    expect(problems).toEqual([])
    expect(files.map(({ path, binary, truncated }) => [path, binary, truncated])).toEqual([
      ['a.png', true, false],
      ['b.png', true, false],
      ['c.ts', false, false],
    ])
  })

  it('reads submodules and symbolic links', () => {
    const moved = parseOne(
      ...[
        'diff --git a/lib b/lib',
        'index 1111111..2222222 160000',
        '--- a/lib',
        '+++ b/lib',
        '@@ -1 +1 @@',
      ],
      ...[
        '-Subproject commit 1111111111111111111111111111111111111111',
        `+Subproject commit ${'2'.repeat(40)}`,
      ],
    )
    expect(moved).toMatchObject({ submodule: true, oldMode: '160000', newMode: '160000' })
    const link = parseOne(
      ...[
        'diff --git a/l b/l',
        'new file mode 120000',
        'index 0000000..1111111',
        '--- /dev/null',
        '+++ b/l',
      ],
      ...['@@ -0,0 +1 @@', '+/etc/passwd', '\\ No newline at end of file'],
    )
    expect(link).toMatchObject({
      submodule: false,
      newMode: '120000',
      oldMode: null,
      status: 'added',
    })
  })

  it('uses the line counts when lines look like headers', () => {
    const file = parseOne(
      ...change(
        'q.sql',
        '@@ -1,3 +1,3 @@',
        '--- a/q.sql',
        '-- x',
        '+++ b/q.sql',
        '+++ y',
        ' diff --git a/x b/x',
      ),
    )
    expect(file.hunks[0]!.lines.map((line) => `${line.kind} ${line.text}`)).toEqual([
      'deleted -- a/q.sql',
      'deleted - x',
      'added ++ b/q.sql',
      'added ++ y',
      'context diff --git a/x b/x',
    ])
  })

  it('keeps carriage returns, and reports a missing newline at the end', () => {
    const file = parseOne(
      ...change(
        'a',
        '@@ -1,2 +1,2 @@',
        ' kept\r',
        '-x\r',
        '\\ No newline at end of file',
        '+y',
        '\\ No newline at end of file',
      ),
    )
    expect(file.hunks[0]!.lines.map((line) => [line.text, line.noNewlineAtEnd])).toEqual([
      ['kept\r', false],
      ['x\r', true],
      ['y', true],
    ])
  })

  it('skips the text before and after a patch in a mail', () => {
    const patch = change('a', '@@ -1 +1 @@', '-x', '+y').join('\n')
    const { files, problems } = parseDiff(
      `From 1234 Mon Sep 17\nSubject: x\n---\n a | 2 +-\n\n${patch}\n-- \n2.39.5\n\n`,
    )
    expect(problems).toEqual([])
    expect(files).toMatchObject([{ path: 'a', additions: 1, deletions: 1, truncated: false }])
  })
})

describe('case 41: incomplete diffs', () => {
  const hunk = ['@@ -1,3 +1,3 @@', ' a', '-b', '+c', ' d']

  it.each([
    [
      'the last line is cut',
      change('f', ...hunk.slice(0, -1))
        .join('\n')
        .slice(0, -1),
    ],
    ['lines are missing', `${change('f', ...hunk.slice(0, -1)).join('\n')}\n`],
    ['there is a line too much', `${change('f', ...hunk, ' e').join('\n')}\n`],
    [
      'one side has more than its count',
      `${change('f', '@@ -1,1 +1,3 @@', '-a', '-b', '+c', '+d', '+e').join('\n')}\n`,
    ],
    ['there is no hunk', `${change('f').join('\n')}\n`],
    [
      'a hunk lies before the one above',
      `${change('f', ...hunk, '@@ -2 +2 @@', '-x', '+y').join('\n')}\n`,
    ],
    ['a hunk begins at line 0', `${change('f', '@@ -0,1 +1,1 @@', '-x', '+y').join('\n')}\n`],
    ['a hunk header is malformed', `${change('f', '@@ -1 @@', '-x', '+y').join('\n')}\n`],
    [
      'an empty line took the place of context',
      `${change('f', '@@ -1,3 +1,3 @@', ' a', '', '-b', '+c').join('\n')}\n`,
    ],
  ])('reports that %s', (_, text) => {
    const { files, problems } = parseDiff(text)
    expect(files).toMatchObject([{ path: 'f', truncated: true }])
    expect(problems).not.toEqual([])
    const correct = new Set(['1 1 a', '2 null b', 'null 2 c', '3 3 d', '1 null a'])
    for (const { oldLine, newLine, text } of files[0]!.hunks.flatMap((part) => part.lines))
      expect(correct).toContain(`${oldLine} ${newLine} ${text}`)
  })

  it('continues with the next file after a damaged one', () => {
    const damaged = change('f', ...hunk.slice(0, -1)).join('\n')
    const { files } = parseDiff(
      `${damaged}\n${change('g', '@@ -1 +1 @@', '-x', '+y').join('\n')}\n`,
    )
    expect(files.map(({ path, truncated }) => [path, truncated])).toEqual([
      ['f', true],
      ['g', false],
    ])
  })

  it.each([
    [
      'a combined diff',
      'diff --cc a.ts\nindex 1,2..3\n--- a/a.ts\n+++ b/a.ts\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n',
    ],
    ['a rename without its names', 'diff --git a/x b/y\nsimilarity index 90%\n'],
    ['a file without a word', 'diff --git a/x b/x\n'],
    ['a quoted name without an end', `diff --git "a/x b/x\n${oids}\n`],
    ['half a change of mode', 'diff --git a/x b/x\nold mode 100644\n'],
    ['a page instead of a diff', '<!DOCTYPE html>\n<html></html>\n'],
  ])('reports the problem for %s, and no file', (_, text) => {
    const { files, problems } = parseDiff(text)
    expect(files).toEqual([])
    expect(problems).toHaveLength(1)
  })

  it('accepts an empty diff', () => {
    expect(parseDiff('')).toEqual({ files: [], problems: [] })
  })

  it('parses 50 MB correctly and leaves out the rest', () => {
    const line = (number: number) => `+${String(number).padStart(7, '0')} ${'x'.repeat(90)}\n`
    const count = 530_000
    const lines = Array.from({ length: count }, (_, index) => line(index + 1)).join('')
    const header =
      'diff --git a/f b/f\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/f\n'
    const text = `${header}@@ -0,0 +1,${count} @@\n${lines}`
    expect(text.length).toBeGreaterThan(50 * 1024 * 1024)

    const cut = parseDiff(text)
    expect(cut.problems[0]).toBe('The diff is larger than 50 MiB: the rest was left out.')
    expect(cut.files).toMatchObject([{ path: 'f', truncated: true }])
    const whole = parseDiff(Buffer.from(text), { maxBytes: 60 * 1024 * 1024 })
    expect(whole.problems).toEqual([])
    expect(whole.files[0]).toMatchObject({ additions: count, truncated: false })
    for (const parsed of [cut, whole]) {
      const all = parsed.files[0]!.hunks[0]!.lines
      expect(all.length).toBeGreaterThan(520_000)
      expect(all.every((each) => Number(each.text.slice(0, 7)) === each.newLine)).toBe(true)
    }
  })

  it('limits the number of lines', () => {
    const many = Array.from({ length: 1000 }, () => '+').join('\n')
    const header =
      'diff --git a/f b/f\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/f\n'
    const next = change('g', '@@ -1 +1 @@', '-x', '+y').join('\n')
    const { files, problems } = parseDiff(`${header}@@ -0,0 +1,1000 @@\n${many}\n${next}\n`, {
      maxLines: 100,
    })
    expect(files).toMatchObject([{ path: 'f', additions: 100, truncated: true }])
    expect(problems).toEqual(['The diff has too many lines: the rest was left out.'])
  })

  it('limits the number of reported problems', () => {
    const { problems } = parseDiff('diff --git a b\n'.repeat(100_000))
    expect(problems).toHaveLength(51)
    expect(problems.at(-1)).toContain('99950 more')
  })
})

describe('case 40: names', () => {
  it.each([
    ['"a/new\\nline" "b/new\\nline"', 'new\nline'],
    ['"a/quo\\"te" "b/quo\\"te"', 'quo"te'],
    ['"a/\\303\\274" "b/\\303\\274"', 'ü'],
    ['a/ü b/ü', 'ü'],
    ['"a/caf\\351" "b/caf\\351"', '"caf\\351"'],
  ])('reads %s', (names, path) => {
    expect(parseOne(`diff --git ${names}`, 'old mode 100644', 'new mode 100755').path).toBe(path)
  })

  it('reads names that are neither quoted nor UTF-8', () => {
    const bytes = Buffer.from(
      'diff --git a/caf\xe9 b/caf\xe9\nold mode 100644\nnew mode 100755\n',
      'latin1',
    )
    expect(parseDiff(bytes).files[0]!.path).toBe('"caf\\351"')
  })
})

describe('lines that can be commented on', () => {
  const file = parseOne(
    ...change(
      'a',
      '@@ -1,3 +1,2 @@',
      ' one',
      '-two',
      ' three',
      '@@ -10,0 +10,2 @@',
      '+ten',
      '+eleven',
    ),
  )

  it('returns a range per hunk, with context on both sides', () => {
    expect(commentableLines(file)).toEqual({
      LEFT: [{ start: 1, end: 3 }],
      RIGHT: [
        { start: 1, end: 2 },
        { start: 10, end: 11 },
      ],
    })
  })

  it.each([
    ['LEFT', 2, 2, true],
    ['LEFT', 1, 3, true],
    ['LEFT', 4, 4, false],
    ['LEFT', 10, 10, false],
    ['RIGHT', 10, 11, true],
    ['RIGHT', 2, 10, false],
    ['RIGHT', 3, 3, false],
    ['RIGHT', 11, 10, false],
    ['RIGHT', 0, 1, false],
    ['RIGHT', -1, 1, false],
    ['RIGHT', 1.5, 2, false],
    ['RIGHT', Number.NaN, 1, false],
    ['RIGHT', 1e9, 1e9, false],
  ] as const)('%s %d to %d: %s', (side, start, end, expected) => {
    expect(isCommentable(file, side, start, end)).toBe(expected)
  })

  it('shows line numbers of the base for removed lines, of the head for the rest', () => {
    const lines = file.hunks[0]!.lines
    expect(renderNumberedLines(lines, 'all')).toBe('1  one\n2 -two\n2  three')
    expect(renderNumberedLines(lines, 'some')).toBe('1  one\n2 -two\n three')
  })
})
