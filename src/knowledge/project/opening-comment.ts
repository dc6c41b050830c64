// Reads a source file's description from the comment at its start.
import { braces, type CommentStyle, classes, hashes } from '../../languages/common/comment-style.ts'
import { languages } from '../../languages/index.ts'
import { longPattern } from '../../lib/long-pattern.ts'
import { readFirstParagraph } from './markdown.ts'
import { firstSentence, isReadable, toPlainText, truncateText } from './plain-text.ts'

const dashes: CommentStyle = { line: ['--'], blocks: [['/*', '*/']], afterImports: false }
const tags: CommentStyle = { line: [], blocks: [['<!--', '-->']], afterImports: false }

/** Languages that have no folder. */
const otherStyles: readonly (readonly [style: CommentStyle, names: string])[] = [
  [
    braces,
    `Objective-C|Objective-C++|Dart|Zig|GLSL|Protocol Buffer|Solidity|D|CSS|SCSS|Less|Groovy|Gradle
    |Gradle Kotlin DSL|Cuda|HCL|Prisma|Thrift|JSON with Comments`,
  ],
  [classes, 'Swift'],
  [
    hashes,
    `Shell|YAML|TOML|Makefile|Dockerfile|Elixir|Perl|R|Julia|CMake|PowerShell|Nim|Crystal|Starlark
    |Nix|Tcl|GraphQL`,
  ],
  [dashes, 'SQL|Lua'],
  [{ line: ['--'], blocks: [['{-', '-}']], afterImports: false }, 'Haskell'],
  [tags, 'Vue|Svelte|HTML|XML'],
]

/** The keys are names of linguist. */
const styles: ReadonlyMap<string, CommentStyle> = new Map([
  ...otherStyles.flatMap(([style, names]) =>
    names.split(/\s*\|/).map((name) => [name, style] as const),
  ),
  ...languages.flatMap(({ names, comments }) => names.map((name) => [name, comments] as const)),
])

/** These lines can stand between the start of a file and the comment of its class. */
const preamble = longPattern()`
  ^(import\b|from\b|using\b|global using\b|package\b|namespace\b|use\b|require\b
  |require_relative\b|#include\b|#pragma\b|#if\b|#ifn?def\b|#define\b|#endif\b
  |<\?php|declare\s*\(|@file:|@?[A-Z]\w*$|["']use \w+["'];?$|\[assembly|[{};]*$)`

/** A line with one of these terms is a license or an instruction to a tool. */
const boilerplate = longPattern('i')`
  copyright|\(c\)|licen[cs]e[ds]?\b|spdx|all rights reserved|redistribut|warrant
  |eslint|prettier|biome-|tslint|@ts-|jshint|istanbul|pylint|flake8|noqa|mypy:
  |type: ignore|rubocop|frozen_string|shellcheck|clang-format|vim:|-\*-|@flow
  |go:build|\+build|go:generate|nolint|swiftlint|ktlint|phpcs|phpstan
  |sourcemapping|@jsx|region\b|coding[:=]|^todo\b|^fixme\b|^usage:|^created by
  |^author|@author|^generated|yaml-language-server|dockerfile:?\s*syntax|^syntax=
  |^reference (path|types)|^!`

/** The start of a file that is searched, in characters. */
const maxTextLength = 12_000
const maxComments = 5

const proseLanguages = ['Markdown', 'MDX', 'reStructuredText', 'AsciiDoc']

/**
 * The first sentence of the comment or docstring at the start of a file; undefined if there is
 * none, or it doesn't describe the file.
 */
export function readOpeningComment(language: string | null, text: string): string | undefined {
  const start = text.slice(0, maxTextLength)
  if (language !== null && proseLanguages.includes(language)) {
    const paragraph = readFirstParagraph(start)
    return paragraph && firstSentence(paragraph)
  }
  const style = styles.get(language ?? '')
  if (!style) return undefined
  for (const comment of openingComments(style, start)) {
    const sentence = firstSentenceOf(comment)
    if (sentence !== undefined) return sentence
  }
  return undefined
}

/** Comments are yielded without their delimiters. */
function* openingComments(style: CommentStyle, text: string): Generator<string> {
  const lines = text.split('\n', 400)
  let position = 0
  let count = 0
  while (position < lines.length && count < maxComments) {
    const line = lines[position]!.trim()
    const isSkipped = line === '' || line.startsWith('#!')
    const comment = isSkipped ? undefined : readComment(lines, position, style)
    if (comment !== undefined) {
      yield comment.text
      position = comment.end
      count++
    } else if (isSkipped || isPreamble(line, style)) position++
    else return
  }
}

function isPreamble(line: string, style: CommentStyle): boolean {
  if (style.afterImports && preamble.test(line)) return true
  return /^(<\?php|["']use \w+["'];?|<script\b.*>)$/.test(line)
}

/** Reads the comment that starts on a line; `end` is the index of the line after it. */
function readComment(
  lines: readonly string[],
  start: number,
  style: CommentStyle,
): { text: string; end: number } | undefined {
  const line = lines[start]!.trim()
  const block = style.blocks.find(([open]) => line.startsWith(open))
  if (block !== undefined) {
    const end = endOfBlock(lines, start, block) + 1
    return { text: stripBlock(lines.slice(start, end).join('\n'), block), end }
  }
  const sign = style.line.find((candidate) => line.startsWith(candidate))
  if (sign === undefined) return undefined
  let end = start
  while (end < lines.length && lines[end]!.trim().startsWith(sign)) end++
  const commentLines = lines.slice(start, end).map((item) => stripLine(item, sign))
  return { text: commentLines.join('\n'), end }
}

function endOfBlock(
  lines: readonly string[],
  start: number,
  [open, close]: readonly [string, string],
): number {
  const first = lines[start]!.trim().slice(open.length)
  if (first.includes(close)) return start
  for (let index = start + 1; index < lines.length; index++) {
    if (lines[index]!.includes(close)) return index
  }
  return lines.length
}

function stripBlock(comment: string, [open, close]: readonly [string, string]): string {
  const start = comment.indexOf(open) + open.length
  const end = comment.indexOf(close, start)
  return comment
    .slice(start, end === -1 ? undefined : end)
    .split('\n')
    .map((line) => line.replace(/^[\s*!]+/, '').trimEnd())
    .join('\n')
}

function stripLine(line: string, sign: string): string {
  return line
    .trim()
    .slice(sign.length)
    .replace(/^[/!#*;-]*\s?/, '')
}

function firstSentenceOf(comment: string): string | undefined {
  const description = readDescription(comment)
  if (description === undefined) return undefined
  // Some comments begin with the file's own name.
  const plain = description.replace(/^[\w.-]+\.(\w{1,5})\s*([-–—:]+\s+|$)/, '')
  if (!isReadable(plain) || codePattern.test(plain)) return undefined
  return truncateText(firstSentence(plain), 240)
}

/** Texts that match are commented-out code. */
const codePattern = /[;{}]\s*$|=>|\w\(\)\s*[;{]|^\w+\s*=/
const tagLine = /^(@\w|<(param|returns|typeparam|exception))/
const rulerLine = /^[-=*#~_/+|]{3,}$/
const licenseNotice = /copyright|\(c\)|licen[cs]e|spdx|redistribut|warrant/i

/** The first paragraph without boilerplate and tags; undefined if the comment is a license. */
function readDescription(comment: string): string | undefined {
  const lines: string[] = []
  for (const rawLine of comment.split('\n')) {
    const line = withoutTags(rawLine)
    if (line === '') {
      if (isReadable(toPlainText(lines.join(' ')))) break
      continue
    }
    if (tagLine.test(line) || rulerLine.test(line)) {
      if (lines.length > 0) break
      continue
    }
    if (boilerplate.test(line)) {
      if (lines.length > 0) break
      // The lines after a license notice belong to it.
      if (licenseNotice.test(line)) return undefined
      continue
    }
    lines.push(line)
  }
  return toPlainText(lines.join(' '))
}

function withoutTags(line: string): string {
  return line
    .trim()
    .replace(
      /^[@\\](file|fileoverview|fileOverview|brief|module|summary|desc|description)\b[:\s]*/,
      '',
    )
    .replace(/<\/?(summary|remarks|para)>/g, '')
    .replace(/\{@\w+\s+([^{}]{1,200})\}/g, '$1')
    .trim()
}
