// Writes canaries in Kotlin.
import { block, commonSyntax, type Dialect, pascal, typedFunctions } from '../common/dialect.ts'

export const dialect: Dialect = {
  ...commonSyntax,
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  defineFunction: typedFunctions(
    { number: 'Int', text: 'String', list: 'List<Int>', flag: 'Boolean', nothing: '' },
    (name, parameter, type, result) =>
      `fun ${name}(${parameter}: ${type})${result && `: ${result}`}`,
  ),
  returnValue: (expression) => `return ${expression}`,
  loop: (list, body) => block(`for (item in ${list})`, body('item')),
  query: (sql, item) => `db.query("${sql}"${item === undefined ? '' : `, ${item}`})`,
  test: (name, body) => block(`@Test fun ${name}()`, body),
  assertEqual: (one, other) => [`assertEquals(${one}, ${other})`],
}
