// Holds answers of the forge to Gitea's published formats: fields that there aren't, and types.
import { readFileSync } from 'node:fs'

interface Format {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Format>>
  readonly additionalProperties?: Format
  readonly items?: Format
}

const { definitions } = JSON.parse(
  readFileSync(new URL('../fixtures/gitea-api.json', import.meta.url), 'utf8'),
) as { definitions: Readonly<Record<string, Format>> }

/** What Gitea 1.26.3 answers, too, although its description doesn't have it. */
const undescribed: Readonly<Record<string, readonly string[]>> = { User: ['username'] }

/** What Forgejo 11.0.15 answers and Gitea's description doesn't have, by the name of the format. */
export const forgejoFields: Readonly<Record<string, readonly string[]>> = {
  User: ['pronouns'],
  Hook: ['content_type', 'metadata', 'url'],
  PullRequest: ['flow'],
  Repository: ['default_update_style', 'globally_editable_wiki', 'wiki_branch'],
  Compare: ['files'],
}

/**
 * Returns where a value isn't in a format. The formats don't say which fields may be null or
 * absent: null always fits, and so does a field that is left out.
 */
export function findProblems(
  name: string,
  value: unknown,
  more: Readonly<Record<string, readonly string[]>> = {},
): readonly string[] {
  const check = (format: Format, at: string, inner: unknown, owner: string): string[] => {
    if (inner === null) return []
    if (format.$ref !== undefined) {
      const referred = format.$ref.split('/').at(-1)!
      return check(definitions[referred]!, at, inner, referred)
    }
    if (format.properties !== undefined) return checkFields(format, at, inner, owner)
    if (format.type === 'array') {
      if (!Array.isArray(inner)) return [`${at} isn't an array`]
      return inner.flatMap((item, index) => check(format.items ?? {}, `${at}/${index}`, item, ''))
    }
    const isInteger = format.type === 'integer' && Number.isInteger(inner)
    const fits = format.type === undefined || isInteger || typeof inner === format.type
    return fits ? [] : [`${at} isn't of the type ${format.type}`]
  }
  const checkFields = (format: Format, at: string, inner: unknown, owner: string): string[] => {
    if (typeof inner !== 'object' || Array.isArray(inner)) return [`${at} isn't an object`]
    return Object.entries(inner as object).flatMap(([key, item]) => {
      const known = format.properties![key]
      if (known !== undefined) return check(known, `${at}/${key}`, item, '')
      const isKnown = [more, undescribed].some((fields) => fields[owner]?.includes(key))
      return isKnown ? [] : [`${owner} has no ${key}, at ${at}`]
    })
  }
  const format = definitions[name]
  if (format === undefined) throw new Error(`There is no format ${name}.`)
  return [...new Set(check(format, '', value, name))]
}
