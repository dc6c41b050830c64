// Builds the text that the search in the reviews list uses, and the patterns to search for.

import { toStorableText } from '../contract/storable-text.ts'

/** Separates the fields, so that no match spans two of them. Fields can't contain it. */
const separator = '\u001f'

/** Platforms allow only shorter titles. Of a longer, forged one the beginning is searched. */
const maxTitleLength = 1000

/** Folds case here, because the database's result would depend on its locale. */
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

/** Builds a LIKE pattern for texts with a field that contains `search`, ignoring case. */
export function makeSearchPattern(search: string): string {
  return `%${fold(search).replace(/[\\%_]/g, '\\$&')}%`
}

function fold(text: string): string {
  return toStorableText(text).toLowerCase().replaceAll(separator, '\ufffd')
}
