// Checks that the table of hard cases is complete and matches the tests.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../', import.meta.url)
const table = readFileSync(new URL('docs/cases.md', root), 'utf8')
const rows = [...table.matchAll(/^\| (\d+) \| ([^|]+) \| ([^|]+) \|([^|]*)\|$/gm)].map(
  ([, number, , files, remarks]) => ({
    number: Number(number),
    files: [...(files ?? '').matchAll(/`([^`]+)`/g)].map(([, file]) => String(file)),
    remarks: (remarks ?? '').trim(),
  }),
)

/** Whether the name of a test or of a group in the file starts with the number of the case. */
function hasTest(file: string, number: number): boolean {
  const source = readFileSync(new URL(file, root), 'utf8')
  return new RegExp(`\\(\\s*['"\`]case ${number}: `).test(source)
}

describe('table of hard cases', () => {
  it('lists each case from 1 to 90 once, in order', () => {
    expect(rows.map((row) => row.number)).toEqual(
      Array.from({ length: 90 }, (_, index) => index + 1),
    )
  })

  it('names a test file or a reason for each case', () => {
    expect(rows.filter((row) => row.files.length === 0 && row.remarks === '')).toEqual([])
  })

  it('names only files that test the case', () => {
    const wrong = rows.flatMap(({ number, files }) =>
      files
        .filter((file) => !hasTest(file, number))
        .map((file) => `case ${number} is not in ${file}`),
    )
    expect(wrong).toEqual([])
  })
})
