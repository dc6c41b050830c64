// The text in which the reviews list is searched, and the pattern that finds a part of it.

import { toStorableText } from '../contract/storable-text.ts'

/** Stands between the fields, so that nothing is found across two of them; fields themselves have none. */
const separator = '\u001f'

/** Titles are shorter at the platforms. What is longer was made up, and is found by its beginning. */
const maxTitleLength = 1000

/** What a pull request is found by. Case is folded here, so that it doesn't hang on the database's locale. */
export function composeSearchText({
  title,
  repo,
  number,
}: {
  title: string
  repo: string
  number: number
}): string {
  return [title.slice(0, maxTitleLength), repo, String(number)].map(fold).join(separator)
}

/** A pattern for LIKE that fits where one of the fields has `search` in it, literally but for case. */
export function makeSearchPattern(search: string): string {
  return `%${fold(search).replace(/[\\%_]/g, '\\$&')}%`
}

function fold(text: string): string {
  return toStorableText(text).toLowerCase().replaceAll(separator, '\ufffd')
}
