// Writes canaries in Go.
import {
  block,
  commonSyntax,
  type Dialect,
  pascal,
  snake,
  type ValueKind,
} from '../common/dialect.ts'

const types: Record<ValueKind, string> = {
  number: 'int',
  text: 'string',
  list: '[]int',
  flag: 'bool',
}

export const dialect: Dialect = {
  ...commonSyntax,
  stem: snake,
  testStem: (stem) => `${stem}_test`,
  name: pascal,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? '' : ` ${types[returns]}`
    return block(`func ${name}(${parameter.name} ${types[parameter.kind]})${result}`, body, '\t')
  },
  returnValue: (expression) => `return ${expression}`,
  loop: (list, body) => block(`for _, item := range ${list}`, body('item'), '\t'),
  query: (sql, item) => `db.Query("${sql}"${item === undefined ? '' : `, ${item}`})`,
  test: (name, body) => block(`func Test${name}(t *testing.T)`, body, '\t'),
  assertEqual: (one, other) => block(`if ${one} != ${other}`, ['t.Fail()'], '\t'),
  file: (lines, words) => [`package ${words.at(-1)}`, '', ...lines],
}
