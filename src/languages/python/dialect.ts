// Writes canaries in Python.
import { commonSyntax, type Dialect, indent, snake } from '../common/dialect.ts'

export const dialect: Dialect = {
  ...commonSyntax,
  stem: snake,
  testStem: (stem) => `test_${stem}`,
  name: snake,
  comment: '#',
  defineFunction: ({ name, parameter, body }) => [
    `def ${name}(${parameter.name}):`,
    ...indent(body, '    '),
  ],
  returnValue: (expression) => `return ${expression}`,
  loop: (list, body) => [`for item in ${list}:`, ...indent(body('item'), '    ')],
  query: (sql, item) => `db.execute("${sql}"${item === undefined ? '' : `, (${item},)`})`,
  test: (name, body) => [`def test_${name}():`, ...indent(body, '    ')],
  assertEqual: (one, other) => [`assert ${one} == ${other}`],
}
