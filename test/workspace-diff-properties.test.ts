// Property tests of the diff parser: random changes through git must rebuild the new tree.
import { afterAll, describe, expect, it } from 'vitest'
import type { DiffHunk, FileDiff } from '../src/domain/diff.ts'
import { parseDiff } from '../src/git/parse-diff.ts'
import { pathFromBytes } from '../src/git/path-encoding.ts'
import {
  type CommitFile,
  createBareRepository,
  latin1Name,
  nameBytes,
} from './fakes/bare-repository.ts'
import { renderFileDiff } from './render-file-diff.ts'

const repository = await createBareRepository()
afterAll(() => repository[Symbol.asyncDispose]())

type Random = (below: number) => number

/** mulberry32: a small random number generator with the same output on every machine. */
function createRandom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) % below
  }
}

const names = [
  'plain.ts',
  'with space.ts',
  ' leading and trailing ',
  'tab\there',
  'new\nline',
  'quo"te',
  '"quoted"',
  'back\\slash',
  'ünïcode/…/日本',
  '-dash',
  '--output=x',
  'a b/x',
  'x b/x',
  'b/b',
  'deep/er/and/deeper',
  'carriage\rreturn',
  'DEL\x7f',
  '"caf\\351"',
  latin1Name('caf\xe9'),
  latin1Name('\xff\xfe/\x80'),
]
const texts = [
  '',
  ' ',
  '-- x',
  '--- a/plain.ts',
  '++ y',
  '+++ b/plain.ts',
  '@@ -1,3 +1,3 @@',
  'diff --git a/x b/x',
  '\\ No newline at end of file',
  'GIT binary patch',
  'é…日本\u{1F600}',
  '\u2028between\u2028',
  '\ttab',
  '\rlone\rreturn',
  'function f() {',
  '}',
  'one',
  'two',
]

function randomLines(random: Random, count: number): string[] {
  const end = random(3) === 0 ? '\r\n' : '\n'
  return Array.from({ length: count }, () => {
    const text = random(3) === 0 ? `line ${random(1000)}` : texts[random(texts.length)]!
    return `${text}${random(12) === 0 ? '\r\n' : end}`
  })
}

function editLines(random: Random, lines: readonly string[]): string[] {
  const edited = [...lines]
  for (let edits = random(6); edits > 0; edits--) {
    const added = randomLines(random, random(4))
    edited.splice(random(edited.length + 1), random(4), ...added)
  }
  if (random(4) === 0 && edited.length > 0) edited.push(edited.pop()!.replace(/\r?\n$/, ''))
  return edited
}

interface Version {
  readonly lines: string[]
  readonly mode: CommitFile['mode']
}

function randomTrees(random: Random): { old: Map<string, Version>; new: Map<string, Version> } {
  const before = new Map<string, Version>()
  const after = new Map<string, Version>()
  const pickName = () =>
    `d${random(3)}/${names[random(names.length)]}`.replace(/^(d\d\/)latin1:/, 'latin1:$1')
  const pickMode = () => (random(5) === 0 ? '100755' : '100644')
  for (let count = 3 + random(8); count > 0; count--) {
    const name = pickName()
    const lines =
      random(15) === 0 ? ['\0binary\n', ...randomLines(random, 5)] : randomLines(random, random(40))
    const version = {
      lines: random(4) === 0 ? editLines(random, lines) : lines,
      mode: pickMode(),
    } as const
    before.set(name, version)
    const fate = random(8)
    if (fate === 0) continue
    const newName = fate === 1 ? pickName() : name
    after.set(
      newName,
      fate < 6 ? { lines: editLines(random, version.lines), mode: pickMode() } : version,
    )
  }
  for (let count = random(3); count > 0; count--) {
    const name = pickName()
    if (!before.has(name) || !after.has(name))
      after.set(name, { lines: randomLines(random, random(20)), mode: pickMode() })
  }
  return { old: withoutFolderClash(before), new: withoutFolderClash(after) }
}

/** A path can't be both a file and a folder. */
function withoutFolderClash(tree: Map<string, Version>): Map<string, Version> {
  const paths = [...tree.keys()]
  return new Map([...tree].filter(([name]) => !paths.some((other) => other.startsWith(`${name}/`))))
}

function toFiles(tree: Map<string, Version>): Map<string, CommitFile> {
  return new Map(
    [...tree].map(([name, { lines, mode }]) => [name, { content: lines.join(''), mode }]),
  )
}

function toContents(tree: Map<string, Version>): Map<string, Version> {
  const entries = [...tree].map(
    ([name, version]) => [pathFromBytes(nameBytes(name)), version] as const,
  )
  // Lines are split at line feeds only, as in git.
  return new Map(
    entries.map(([path, { lines, mode }]) => [path, { lines: splitLines(lines.join('')), mode }]),
  )
}

function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== '')
}

/** Applies hunks to lines and checks every number and every old text on the way. */
function applyHunks(old: readonly string[], hunks: readonly DiffHunk[]): string[] {
  const result: string[] = []
  let taken = 0
  for (const hunk of hunks) {
    const start = hunk.oldCount === 0 ? hunk.oldStart : hunk.oldStart - 1
    result.push(...old.slice(taken, start))
    taken = start
    for (const line of hunk.lines) {
      const text = line.text + (line.noNewlineAtEnd ? '' : '\n')
      if (line.kind !== 'added') {
        expect(text).toBe(old[taken])
        expect(line.oldLine).toBe(++taken)
      } else expect(line.oldLine).toBeNull()
      if (line.kind !== 'deleted') expect(line.newLine).toBe(result.push(text))
      else expect(line.newLine).toBeNull()
    }
  }
  return [...result, ...old.slice(taken)]
}

function rebuild(
  old: Map<string, Version>,
  files: readonly FileDiff[],
  wanted: Map<string, Version>,
): Map<string, Version> {
  const tree = new Map(old)
  for (const file of files)
    if (file.status === 'deleted' || file.status === 'renamed') tree.delete(file.oldPath)
  for (const file of files) {
    const before = file.status === 'added' ? [] : old.get(file.oldPath)!.lines
    const lines = file.binary ? wanted.get(file.path)?.lines : applyHunks(before, file.hunks)
    const mode = (file.newMode ?? old.get(file.oldPath)?.mode) as Version['mode']
    if (file.status === 'deleted') expect(file.binary ? [] : lines).toEqual([])
    else tree.set(file.path, { lines: lines!, mode })
  }
  return tree
}

const withoutOids = (diff: string) =>
  diff.replaceAll(/^(index|similarity index|dissimilarity index) .*\n/gm, '')

async function gitDiff(random: Random) {
  const trees = randomTrees(random)
  const oldSha = await repository.commit(toFiles(trees.old))
  const newSha = await repository.commit(toFiles(trees.new))
  const copies = random(3) === 0 ? ['--find-copies-harder'] : []
  const bytes = await repository.git([
    'diff',
    '--full-index',
    '-M',
    ...copies,
    '--no-color',
    oldSha,
    newSha,
  ])
  return { trees, oldSha, newSha, bytes }
}

describe('case 41: random changes, seed by seed', () => {
  for (let seed = 1; seed <= 60; seed++) {
    it(`rebuilds the new tree from the old one and the parsed diff (seed ${seed})`, async () => {
      const { trees, newSha, oldSha, bytes } = await gitDiff(createRandom(seed))
      const diff = parseDiff(bytes)
      expect(diff.problems).toEqual([])
      expect(diff.files.filter((file) => file.truncated)).toEqual([])
      const wanted = toContents(trees.new)
      expect(rebuild(toContents(trees.old), diff.files, wanted)).toEqual(wanted)

      const rendered = diff.files.map((file) => renderFileDiff(file)).join('')
      expect(rendered).toBe(withoutOids(bytes.toString()))
      if (rendered === '' || diff.files.some((file) => file.binary)) return
      await repository.git(['read-tree', oldSha])
      await repository.git(['apply', '--cached', '--whitespace=nowarn', '-'], rendered)
      const tree = await repository.git(['write-tree'])
      expect(tree.toString().trim()).toBe(
        (await repository.git(['rev-parse', `${newSha}^{tree}`])).toString().trim(),
      )
    })
  }
})

describe('case 41: cut and damaged diffs', () => {
  for (let seed = 100; seed < 110; seed++) {
    it(`returns only lines of the complete diff (seed ${seed})`, async () => {
      const random = createRandom(seed)
      const { bytes } = await gitDiff(random)
      const whole = parseDiff(bytes)
      const key = (file: FileDiff) => `${file.oldPath}\0${file.path}\0${file.status === 'deleted'}`
      const known = new Map(whole.files.map((file) => [key(file), file]))
      for (let tries = 0; tries < 200; tries++) {
        const cut = bytes.subarray(0, random(bytes.length))
        const { files, problems } = parseDiff(cut)
        if (cut.length > 0 && cut.at(-1) !== 0x0a) expect(problems).not.toEqual([])
        for (const file of files) {
          const full = known.get(key(file))
          expect(full, `${file.path} is made up`).toBeDefined()
          const lines = full!.hunks.flatMap((hunk) => hunk.lines)
          const kept = file.hunks
            .flatMap((hunk) => hunk.lines)
            .map((line, index, all) => {
              // The cut may have removed the "no newline at end of file" note.
              return index === all.length - 1 && file === files.at(-1)
                ? { ...line, noNewlineAtEnd: lines[index]!.noNewlineAtEnd }
                : line
            })
          expect(kept).toEqual(lines.slice(0, kept.length))
          if (kept.length < lines.length && cut.at(-1) !== 0x0a && file === files.at(-1))
            expect(file.truncated).toBe(true)
        }
      }
    })
  }

  it('accepts any bytes without throwing', async () => {
    const random = createRandom(7)
    const { bytes } = await gitDiff(random)
    for (let tries = 0; tries < 300; tries++) {
      const damaged = Buffer.from(bytes)
      for (let count = 1 + random(20); count > 0; count--)
        damaged[random(damaged.length)] = random(256)
      const { files } = parseDiff(damaged)
      for (const hunk of files.flatMap((file) => file.hunks)) {
        expect(hunk.lines.filter((line) => line.oldLine !== null)).toHaveLength(hunk.oldCount)
        expect(hunk.lines.filter((line) => line.newLine !== null)).toHaveLength(hunk.newCount)
      }
    }
  })
})
