// Tests of the generated parts of the documents.
import { describe, expect, it } from 'vitest'
import { renderRules } from '../scripts/docs/rules.ts'
import { replacePart } from '../scripts/generate-docs.ts'
import { rules } from '../src/reviewers/rules/index.ts'

describe('a generated part of a document', () => {
  const document =
    '# Title\n\n<!-- begin generated: table -->\n\nold\n\n<!-- end generated -->\n\nBy hand.\n'

  it('replaces only what stands between its markers', () => {
    const updated = replacePart(document, 'table', 'new $& text')
    expect(updated).toBe(document.replace('old', () => 'new $& text'))
    expect(replacePart(updated, 'table', 'new $& text')).toBe(updated)
  })

  it('is rejected if the document lacks its markers', () => {
    expect(() => replacePart(document, 'other', 'new')).toThrow('"other"')
    const withoutEnd = document.replace('<!-- end generated -->', '')
    expect(() => replacePart(withoutEnd, 'table', 'new')).toThrow('"table"')
  })
})

it('the documentation lists every rule once, with languages and summary', () => {
  const rows = renderRules()
    .split('\n')
    .filter((line) => /^\| (\[)?`/.test(line))
    .map((line) => line.split(/ (?<!\\)\| /))
  expect(rows.map(([id]) => /`(.+)`/.exec(id!)?.[1]).sort()).toEqual(
    rules.map(({ id }) => id).sort(),
  )
  for (const [, severity, confidence, languages, summary] of rows) {
    expect(severity).toMatch(/^(critical|moderate|minor)$/)
    expect(Number(confidence)).toBeGreaterThan(0)
    expect(languages).not.toBe('')
    expect(summary).toMatch(/\.$/)
  }
})
