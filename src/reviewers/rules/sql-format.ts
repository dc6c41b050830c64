// Defines what is checked in SQL files.
import { isLikelySecret, type ShownText, type TextFormat } from './text-format.ts'

/** Data that tests and demos make and remove. */
const throwAwayData = /(?:^|\/)(?:tests?|spec|seeds?|fixtures?|samples?|demo|examples?|bench\w*)\b/i

/** Whether the statement changes all rows, and the file doesn't show that it has to. */
function changesAllRows([statement, table]: RegExpExecArray, { text, path }: ShownText): boolean {
  if (/\b(?:WHERE|LIMIT|JOIN|USING|FROM\s+\(|CURRENT\s+OF|VALUES|OUTPUT)\b/i.test(statement))
    return false
  if (/\bFROM\b[^;]*\bFROM\b/i.test(statement) || throwAwayData.test(path)) return false
  const name = table!.replace(/["`[\]]/g, '')
  if (/^[#@]|te?mp/i.test(name)) return false
  // A new column needs a value in all rows.
  const column = /\bSET\s+["`[]?(\w+)/i.exec(statement)?.[1]
  const isNew =
    column &&
    new RegExp(
      `\\bADD\\s+(?:COLUMN\\s+)?(?:IF\\s+NOT\\s+EXISTS\\s+)?["\`[]?${column}\\b`,
      'i',
    ).test(text)
  // A new table holds only what this file put there.
  const isOwn = new RegExp(
    `\\bCREATE\\s+(?:\\w+\\s+){0,2}TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?["\`[]?${name.replace(/[^\w.]/g, '')}\\b`,
    'i',
  ).test(text)
  // The rows are only replaced.
  const isRefilled = new RegExp(
    `\\bDELETE\\s+FROM\\s+${RegExp.escape(table!)}[\\s\\S]*\\bINSERT\\s+INTO\\s+${RegExp.escape(table!)}`,
    'i',
  ).test(text)
  return !isNew && !isOwn && !isRefilled
}

const allRowsBody =
  'When this runs, no row is left as it was, and the old values are gone. Add a `WHERE`, or say ' +
  'so with `WHERE true`.'

const name = String.raw`["\x60[]?[\w.#@]{1,100}["\x60\]]?`

export const sqlFormat: TextFormat = {
  name: 'SQL',
  files: /\.sql$/i,
  comment: /--[^\n]*/g,
  continuesLines: false,
  checks: [
    {
      rule: 'statement-without-where',
      pattern: new RegExp(
        String.raw`(?:^|;)\s{0,50}UPDATE\s+(?:ONLY\s+)?(${name})\s+(?:AS\s+\w+\s+|\w+\s+)?SET\b[^;]{1,2000};`,
        'gim',
      ),
      accept: changesAllRows,
      title: 'The `UPDATE` changes all rows of `$1`',
      body: allRowsBody,
    },
    {
      rule: 'statement-without-where',
      pattern: new RegExp(String.raw`(?:^|;)\s{0,50}DELETE\s+FROM\s+(${name})\s{0,20};`, 'gim'),
      accept: changesAllRows,
      title: 'The `DELETE` removes all rows of `$1`',
      body: allRowsBody,
    },
    {
      rule: 'excessive-permission',
      pattern: /\bGRANT\s+ALL\b[^;]{1,300}?\bTO\s+PUBLIC\b/gi,
      title: 'All permissions are granted to every role',
      body: 'When any account is compromised, it can drop this. Grant what each role needs.',
    },
    {
      rule: 'excessive-permission',
      pattern: /\bGRANT\s+ALL\b[^;]{1,60}?\bON\s+\*\.\*\s+TO\s+[^;]{1,60}?@\s?["'`]%["'`]/gi,
      title: 'All permissions on all databases are granted to an account from any host',
      body:
        'When its password leaks, everything can be changed from everywhere. Grant what the ' +
        'program needs on its own database, from its own hosts.',
    },
    {
      rule: 'hardcoded-secret',
      pattern:
        /\b(?:CREATE|ALTER)\s+(?:USER|ROLE|LOGIN)\b[^;]{1,200}?\b(?:IDENTIFIED\s+(?:WITH\s+\S{1,40}\s+)?BY|PASSWORD\s?=?)\s{0,5}'([^'\n]{6,100})'/gi,
      accept: ([, value], { path }) => isLikelySecret(value!) && !throwAwayData.test(path),
      title: 'The password of a database account is hardcoded',
      body:
        'When this is merged, everyone who can read the repository, now or later, can use it. ' +
        'Set it outside of the repository.',
    },
    {
      rule: 'sql-injection',
      pattern:
        /\bEXEC(?:UTE)?\b\s{0,5}(?:IMMEDIATE\s+)?\(?\s{0,5}N?'(?:[^']|''){1,500}'\s{0,5}(?:\|\||\+)\s{0,5}(?!quote_|format\b|QUOTENAME|CAST\b|CONVERT\b)(@?\w{1,60})/gi,
      accept: ([, value]) => !/table|schema|column|^\d|_id$/i.test(value!),
      title: 'SQL injection: `$1` is concatenated into the statement',
      body:
        'When `$1` contains a quote or more SQL, that text is executed with the rights of this ' +
        'function. Pass it with `USING`, or as a parameter of `sp_executesql`.',
    },
    {
      rule: 'null-comparison',
      pattern: /\b(?:WHERE|AND|OR|ON|WHEN|HAVING)\s+([\w."`[\]]{1,100})\s?(=|<>|!=)\s?NULL\b/gi,
      title: 'The comparison of `$1` with `NULL` is never true',
      body: 'When this runs, no row fits, whatever the values are. Use `IS NULL` or `IS NOT NULL`.',
    },
  ],
}
