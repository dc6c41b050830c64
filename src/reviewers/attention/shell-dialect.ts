// Writes canaries in the language of shells, which has no folder in languages/.
import {
  block,
  commonSyntax,
  type Dialect,
  indent,
  kebab,
  snake,
} from '../../languages/common/dialect.ts'

export const shellExtensions: readonly string[] = ['.sh', '.bash', '.zsh', '.ksh']

export const shellDialect: Dialect = {
  ...commonSyntax,
  stem: kebab,
  testStem: (stem) => `test-${stem}`,
  name: snake,
  comment: '#',
  variable: (name) => (name === 'item' ? '$item' : '$1'),
  defineFunction: ({ name, body }) => block(`${name}()`, body),
  returnValue: (expression, kind) => (kind === 'number' ? `echo $((${expression}))` : expression),
  isGreater: (variable, number) => `[ "${variable}" -gt ${number} ]`,
  equalsText: (variable, text, negated) => `[ "${variable}" ${negated ? '!=' : '='} "${text}" ]`,
  call: (name, number) => `"$(${name} ${number})"`,
  loop: (_list, body) => ['for item in "$@"; do', ...indent(body('$item')), 'done'],
  query: (sql, item) => `psql -c "${item === undefined ? sql : sql.replace('?', item)}"`,
  test: (name, body) => block(`test_${name}()`, body),
  assertEqual: (one, other) => [`[ ${one} = ${other} ]`],
}
