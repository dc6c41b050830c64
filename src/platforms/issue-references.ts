// Finds the issues that texts and branch names mention, in the syntax that platforms share.

import { splitRepositoryName } from '../contract/repository-name.ts'
import type { IssueReference } from '../domain/pull-request.ts'

/** Words right before a reference by which a change announces that it closes the issue. */
const closingWords = [
  'clos(?:e|es|ed|ing)',
  'fix(?:|es|ed|ing)',
  'resolv(?:e|es|ed|ing)',
  'implement(?:|s|ed)',
].join('|')
const closingKeyword = new RegExp(String.raw`\b(?:${closingWords})\b[ \t]*:?[ \t]*$`, 'i')

/** How a host writes references. */
export interface IssueSyntax {
  /** Matches the path of a repository before the number sign. */
  readonly repositoryPattern: string
  /** Matches the address of an issue below that of the pages: `path` and `number` are groups. */
  readonly addressPattern: RegExp
  /** Returns our name of the repository at a path of the host; undefined if none can have it. */
  toName(path: string): string | undefined
}

const sharedSyntax: IssueSyntax = {
  repositoryPattern: String.raw`[\w.-]{1,100}\/[\w.-]{1,100}`,
  addressPattern: /^(?<path>[\w.-]+\/[\w.-]+)\/(?:issues|pulls?)\/(?<number>\d{1,9})(?!\w)/,
  toName: (path) => (splitRepositoryName(path) === undefined ? undefined : path),
}

interface ReferenceContext {
  /** The repository of references that name none. */
  readonly repo: string
  /** Where the platform's pages are, without a slash at the end. */
  readonly webUrl: string
  /** What stands before a number. Some platforms write `!1` for a pull request. */
  readonly marks?: '#' | '#!'
  readonly syntax?: IssueSyntax
}

/** Matches a number that begins a part of a branch name: `issue-123`, `fix/123-rounding`. */
const branchNumber =
  /(?:^|[/_-])(?:issues?|gh)[/_-]?(\d{1,7})(?!\d)|(?:^|\/)(\d{1,7})[-_](?=\p{L})/iu

/**
 * Finds the issues that texts mention as `#1`, `GH-1`, `owner/repo#1` or by address, and the issue
 * whose number the branch name contains. Ignores hidden comments and code.
 *
 * @returns each issue once: first those with a closing word (`fixes #1`), then in order of
 * appearance
 */
export function findIssueReferences(
  context: ReferenceContext,
  { texts, branch }: { texts: readonly string[]; branch: string },
): IssueReference[] {
  const found = texts.flatMap((text) => findInText(context, text))
  const number = branchNumber.exec(branch)
  if (number !== null)
    found.push({ repo: context.repo, number: Number(number[1] ?? number[2]), closes: false })
  const ordered = [
    ...found.filter(({ closes }) => closes),
    ...found.filter(({ closes }) => !closes),
  ]
  const seen = new Set<string>()
  return ordered.filter((ref) => {
    const key = `${ref.repo.toLowerCase()}#${ref.number}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

const addressPattern = String.raw`(?<address>https?:\/\/[^\s<>"')\]]{1,300})`
const numberPattern = String.raw`(?<number>\d{1,9})(?![\w-])`

function createPattern({ marks = '#', syntax = sharedSyntax }: ReferenceContext): RegExp {
  const reference = `(?:(?<path>${syntax.repositoryPattern})?[${marks}]|GH-)${numberPattern}`
  return new RegExp(String.raw`${addressPattern}|(?<![\w/&.-])${reference}`, 'gi')
}

function findInText(context: ReferenceContext, text: string): IssueReference[] {
  const plain = removeHiddenText(text)
  const { syntax = sharedSyntax } = context
  return [...plain.matchAll(createPattern(context))].flatMap(({ index, groups = {} }) => {
    const { address, path, number } = groups
    const ref =
      address === undefined
        ? { repo: path === undefined ? context.repo : syntax.toName(path), number: Number(number) }
        : parseIssueUrl(context, address)
    if (ref?.repo === undefined || ref.number === 0) return []
    const textBefore = plain.slice(Math.max(0, index - 30), index)
    const closes = closingKeyword.test(textBefore)
    return [{ repo: ref.repo, number: ref.number, closes }]
  })
}

/**
 * Replaces links by their targets, because a link with the text `#1` may lead to another
 * repository.
 */
function removeHiddenText(text: string): string {
  return text
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replaceAll(/^(`{3,}|~{3,})[\s\S]*?(?:^\1|$(?![\s\S]))/gm, ' ')
    .replaceAll(/`[^`\n]{1,300}`/g, ' ')
    .replaceAll(/\[[^[\]\n]{0,300}\]\(\s*([^\s()]{0,300})[^()\n]{0,300}\)/g, ' $1 ')
    .replaceAll(/<a\s[^<>]{0,300}?href="([^"<>]{0,300})"[^<>]{0,300}>[^<>]{0,300}<\/a>/gi, ' $1 ')
}

/** The issue or pull request of this platform that an address leads to. */
function parseIssueUrl(
  { webUrl, syntax = sharedSyntax }: ReferenceContext,
  address: string,
): { repo: string | undefined; number: number } | undefined {
  if (!address.toLowerCase().startsWith(`${webUrl.toLowerCase()}/`)) return undefined
  const { path, number } =
    syntax.addressPattern.exec(address.slice(webUrl.length + 1))?.groups ?? {}
  return path === undefined ? undefined : { repo: syntax.toName(path), number: Number(number) }
}
