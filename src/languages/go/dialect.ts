// Writes canaries in Go.
import {
  block,
  commonSyntax,
  type Dialect,
  pascal,
  snake,
  typedFunctions,
} from '../common/dialect.ts'

export const dialect: Dialect = {
  ...commonSyntax,
  stem: snake,
  testStem: (stem) => `${stem}_test`,
  name: pascal,
  defineFunction: typedFunctions(
    { number: 'int', text: 'string', list: '[]int', flag: 'bool', nothing: '' },
    (name, parameter, type, result) =>
      `func ${name}(${parameter} ${type})${result && ` ${result}`}`,
    '\t',
  ),
  returnValue: (expression) => `return ${expression}`,
  loop: (list, body) => block(`for _, item := range ${list}`, body('item'), '\t'),
  query: (sql, item) => `db.Query("${sql}"${item === undefined ? '' : `, ${item}`})`,
  test: (name, body) => block(`func Test${name}(t *testing.T)`, body, '\t'),
  assertEqual: (one, other) => block(`if ${one} != ${other}`, ['t.Fail()'], '\t'),
  file: (lines, words) => [`package ${words.at(-1)}`, '', ...lines],
}
