// Writes canaries in Ruby.
import { commonSyntax, type Dialect, indent, snake } from '../common/dialect.ts'

export const dialect: Dialect = {
  ...commonSyntax,
  stem: snake,
  testStem: (stem) => `${stem}_test`,
  name: snake,
  comment: '#',
  defineFunction: ({ name, parameter, body }) => [
    `def ${name}(${parameter.name})`,
    ...indent(body),
    'end',
  ],
  returnValue: (expression) => expression,
  loop: (list, body) => [`${list}.each do |item|`, ...indent(body('item')), 'end'],
  query: (sql, item) => `DB.query("${sql}"${item === undefined ? '' : `, ${item}`})`,
  test: (name, body) => [`def test_${name}`, ...indent(body), 'end'],
  assertEqual: (one, other) => [`assert_equal ${one}, ${other}`],
}
