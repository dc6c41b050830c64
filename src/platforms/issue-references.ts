// Finds the issues that texts and branch names mention, in the syntax that platforms share.

import { splitRepositoryName } from '../contract/repository-name.ts'
import type { IssueReference, PullRequestRef } from '../domain/pull-request.ts'

/** Words right before a reference by which a change announces that it closes the issue. */
const closingWords = [
  'clos(?:e|es|ed|ing)',
  'fix(?:|es|ed|ing)',
  'resolv(?:e|es|ed|ing)',
  'implement(?:|s|ed)',
].join('|')
const closingKeyword = new RegExp(String.raw`\b(?:${closingWords})\b[ \t]*:?[ \t]*$`, 'i')

interface ReferenceContext {
  /** The repository of references that name none. */
  readonly repo: string
  /** Where the platform's pages are, without a slash at the end. */
  readonly webUrl: string
  /** What stands before a number. Some platforms write `!1` for a pull request. */
  readonly marks?: '#' | '#!'
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
const repositoryPattern = String.raw`(?<repo>[\w.-]{1,100}\/[\w.-]{1,100})?`
const numberPattern = String.raw`(?<number>\d{1,9})(?![\w-])`
const referenceWith = (mark: string) =>
  new RegExp(
    String.raw`${addressPattern}|(?<![\w/&.-])(?:${repositoryPattern}${mark}|GH-)${numberPattern}`,
    'gi',
  )
const references = { '#': referenceWith('#'), '#!': referenceWith('[#!]') }

function findInText(context: ReferenceContext, text: string): IssueReference[] {
  const plain = removeHiddenText(text)
  return [...plain.matchAll(references[context.marks ?? '#'])].flatMap(({ index, groups = {} }) => {
    const { address, repo = context.repo, number } = groups
    const ref =
      address === undefined ? { repo, number: Number(number) } : parseIssueUrl(context, address)
    if (ref === undefined || ref.number === 0 || splitRepositoryName(ref.repo) === undefined)
      return []
    const textBefore = plain.slice(Math.max(0, index - 30), index)
    return [{ ...ref, closes: closingKeyword.test(textBefore) }]
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
function parseIssueUrl({ webUrl }: ReferenceContext, address: string): PullRequestRef | undefined {
  if (!address.toLowerCase().startsWith(`${webUrl.toLowerCase()}/`)) return undefined
  const [, repo, number] =
    /^([\w.-]+\/[\w.-]+)\/(?:issues|pulls?)\/(\d{1,9})(?!\w)/.exec(
      address.slice(webUrl.length + 1),
    ) ?? []
  return repo === undefined ? undefined : { repo, number: Number(number) }
}
