// Finds the issues that texts name, in the words that platforms share.

import { splitRepositoryName } from '../contract/repository-name.ts'
import type { IssueReference, PullRequestRef } from '../domain/pull-request.ts'

/** Words before a reference that say: this is what the change is for. */
const closingKeyword =
  /\b(?:clos(?:e|es|ed|ing)|fix(?:|es|ed|ing)|resolv(?:e|es|ed|ing)|implement(?:|s|ed))\b[ \t]*:?[ \t]*$/i

/** Where texts are about, and where the platform's pages are. */
export interface ReferenceContext {
  readonly repo: string
  /** Without a slash at the end. */
  readonly webUrl: string
}

/**
 * The issues that texts name as `#1`, `GH-1`, `owner/repo#1` or by their address, and a branch by a number of its own
 * (`fix/123-rounding`, `issue-123`). Each once; those with a closing word (`fixes #1`) first, then in the order of the
 * texts. Hidden comments and code count for nothing.
 */
export function findIssueReferences(
  place: ReferenceContext,
  { texts, branch }: { texts: readonly string[]; branch: string },
): IssueReference[] {
  const found = texts.flatMap((text) => findInText(place, text))
  const number =
    /(?:^|[/_-])(?:issues?|gh)[/_-]?(\d{1,7})(?!\d)|(?:^|\/)(\d{1,7})[-_](?=\p{L})/iu.exec(branch)
  if (number !== null)
    found.push({ repo: place.repo, number: Number(number[1] ?? number[2]), closes: false })
  const ordered = [
    ...found.filter(({ closes }) => closes),
    ...found.filter(({ closes }) => !closes),
  ]
  const byName = new Map(
    ordered.toReversed().map((ref) => [`${ref.repo.toLowerCase()}#${ref.number}`, ref]),
  )
  return ordered.filter((ref) => byName.get(`${ref.repo.toLowerCase()}#${ref.number}`) === ref)
}

const reference =
  /(?<address>https?:\/\/[^\s<>"')\]]{1,300})|(?<![\w/&.-])(?:(?<repo>[\w.-]{1,100}\/[\w.-]{1,100})?#|GH-)(?<number>\d{1,9})(?![\w-])/gi

function findInText(place: ReferenceContext, text: string): IssueReference[] {
  const plain = removeHiddenText(text)
  return [...plain.matchAll(reference)].flatMap(({ index, groups = {} }) => {
    const { address, repo = place.repo, number } = groups
    const ref =
      address === undefined ? { repo, number: Number(number) } : parseIssueUrl(place, address)
    if (ref === undefined || ref.number === 0 || splitRepositoryName(ref.repo) === undefined)
      return []
    return [{ ...ref, closes: closingKeyword.test(plain.slice(Math.max(0, index - 30), index)) }]
  })
}

/** A link counts by where it leads, whatever it shows: `#1` may be another repository's there. */
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
