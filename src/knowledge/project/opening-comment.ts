// Finds what a source file says of itself in the comment that it opens with.

import { readFirstParagraph } from './markdown.ts'
import { firstSentence, isReadable, toPlainText, truncateText } from './plain-text.ts'

/** How a language writes comments. */
interface CommentStyle {
  readonly line: readonly string[]
  readonly blocks: readonly (readonly [open: string, close: string])[]
  /** In files of one class, its comment stands below the imports. */
  readonly afterImports: boolean
}

const braces: CommentStyle = { line: ['//'], blocks: [['/*', '*/']], afterImports: false }
const classes: CommentStyle = { ...braces, afterImports: true }
const hashes: CommentStyle = { line: ['#'], blocks: [], afterImports: false }
const dashes: CommentStyle = { line: ['--'], blocks: [['/*', '*/']], afterImports: false }
const tags: CommentStyle = { line: [], blocks: [['<!--', '-->']], afterImports: false }

const styles: Readonly<Record<string, CommentStyle>> = {
  ...Object.fromEntries(
    'TypeScript|TSX|JavaScript|Go|C|C++|Objective-C|Objective-C++|Rust|Dart|Zig|GLSL|Protocol Buffer|Solidity|D|CSS|SCSS|Less|Groovy|Gradle|Gradle Kotlin DSL|Cuda|HCL|Prisma|Thrift|JSON with Comments'
      .split('|')
      .map((name) => [name, braces]),
  ),
  ...Object.fromEntries('Java|Kotlin|C#|PHP|Swift|Scala'.split('|').map((name) => [name, classes])),
  ...Object.fromEntries(
    'Ruby|Shell|YAML|TOML|Makefile|Dockerfile|Elixir|Perl|R|Julia|CMake|PowerShell|Nim|Crystal|Starlark|Nix|Tcl|GraphQL'
      .split('|')
      .map((name) => [name, hashes]),
  ),
  Python: {
    line: ['#'],
    blocks: [
      ['"""', '"""'],
      ["'''", "'''"],
      ['r"""', '"""'],
    ],
    afterImports: false,
  },
  SQL: dashes,
  Lua: dashes,
  Haskell: { line: ['--'], blocks: [['{-', '-}']], afterImports: false },
  Vue: tags,
  Svelte: tags,
  HTML: tags,
  XML: tags,
}

/** Between the top of a file and the comment of its class. */
const preamble =
  /^(import\b|from\b|using\b|global using\b|package\b|namespace\b|use\b|require\b|require_relative\b|#include\b|#pragma\b|#if\b|#ifn?def\b|#define\b|#endif\b|<\?php|declare\s*\(|@file:|@?[A-Z]\w*$|["']use \w+["'];?$|\[assembly|[{};]*$)/

/** Words of tools and lawyers. */
const boilerplate =
  /copyright|\(c\)|licen[cs]e[ds]?\b|spdx|all rights reserved|redistribut|warrant|eslint|prettier|biome-|tslint|@ts-|jshint|istanbul|pylint|flake8|noqa|mypy:|type: ignore|rubocop|frozen_string|shellcheck|clang-format|vim:|-\*-|@flow|go:build|\+build|go:generate|nolint|swiftlint|ktlint|phpcs|phpstan|sourcemapping|@jsx|region\b|coding[:=]|^todo\b|^fixme\b|^usage:|^created by|^author|@author|^generated|yaml-language-server|dockerfile:?\s*syntax|^syntax=|^reference (path|types)|^!/i

/** So much of a file is looked at. */
const maxTextLength = 12_000

/**
 * The first sentence of the comment or docstring that a file opens with; undefined where there is none, or it says nothing
 * of the file.
 */
export function readOpeningComment(language: string | null, text: string): string | undefined {
  if (
    language === 'Markdown' ||
    language === 'MDX' ||
    language === 'reStructuredText' ||
    language === 'AsciiDoc'
  ) {
    const opening = readFirstParagraph(text.slice(0, maxTextLength))
    return opening && firstSentence(opening)
  }
  const style = styles[language ?? '']
  if (!style) return undefined
  for (const comment of openingComments(style, text.slice(0, maxTextLength), language === 'Go')) {
    const sentence = firstSentenceOf(comment)
    if (sentence !== undefined) return sentence
  }
  return undefined
}

/** The comments before the code, the first five; each without its signs. */
function* openingComments(
  style: CommentStyle,
  text: string,
  untilPackage: boolean,
): Generator<string> {
  const lines = text.split('\n', 400)
  let found = 0
  for (let at = 0; at < lines.length && found < 5; ) {
    const line = lines[at]!.trim()
    const block = style.blocks.find(([open]) => line.startsWith(open))
    const sign = style.line.find((start) => line.startsWith(start))
    if (line === '' || line.startsWith('#!')) at++
    else if (block) {
      const end = endOfBlock(lines, at, block)
      yield stripBlock(lines.slice(at, end + 1).join('\n'), block)
      at = end + 1
      found++
    } else if (sign !== undefined) {
      const start = at
      while (at < lines.length && lines[at]!.trim().startsWith(sign)) at++
      yield lines
        .slice(start, at)
        .map((item) => stripLine(item, sign))
        .join('\n')
      found++
    } else if (
      (style.afterImports && preamble.test(line)) ||
      /^(<\?php|["']use \w+["'];?|<script\b.*>)$/.test(line)
    )
      at++
    else if (untilPackage && line.startsWith('package ')) return
    else return
  }
}

function endOfBlock(
  lines: readonly string[],
  start: number,
  [open, close]: readonly [string, string],
): number {
  const first = lines[start]!.trim().slice(open.length)
  if (first.includes(close)) return start
  for (let at = start + 1; at < lines.length; at++) if (lines[at]!.includes(close)) return at
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
  const kept: string[] = []
  for (const raw of comment.split('\n')) {
    const line = raw
      .trim()
      .replace(
        /^[@\\](file|fileoverview|fileOverview|brief|module|summary|desc|description)\b[:\s]*/,
        '',
      )
      .replace(/<\/?(summary|remarks|para)>/g, '')
      .replace(/\{@\w+\s+([^{}]{1,200})\}/g, '$1')
      .trim()
    if (
      /^(@\w|<(param|returns|typeparam|exception))/.test(line) ||
      /^[-=*#~_/+|]{3,}$/.test(line)
    ) {
      if (kept.length > 0) break
    } else if (line === '') {
      if (kept.length > 0 && isReadable(toPlainText(kept.join(' ')))) break
    } else if (boilerplate.test(line)) {
      if (kept.length > 0) break
      // A licence goes on over the lines that follow.
      if (/copyright|\(c\)|licen[cs]e|spdx|redistribut|warrant/i.test(line)) return undefined
    } else kept.push(line)
  }
  const plain = toPlainText(kept.join(' ')).replace(/^[\w.-]+\.(\w{1,5})\s*([-–—:]+\s+|$)/, '')
  if (!isReadable(plain) || /[;{}]\s*$|=>|\w\(\)\s*[;{]|^\w+\s*=/.test(plain)) return undefined
  return truncateText(firstSentence(plain), 240)
}
