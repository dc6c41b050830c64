// Writes canaries in Scala.
import { block, commonSyntax, type Dialect, pascal, typedFunctions } from '../common/dialect.ts'

export const dialect: Dialect = {
  ...commonSyntax,
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  defineFunction: typedFunctions(
    { number: 'Int', text: 'String', list: 'List[Int]', flag: 'Boolean', nothing: 'Unit' },
    (name, parameter, type, result) => `def ${name}(${parameter}: ${type}): ${result} =`,
  ),
  returnValue: (expression) => expression,
  loop: (list, body) => block(`for (item <- ${list})`, body('item')),
  query: (sql, item) => `db.query("${sql}"${item === undefined ? '' : `, ${item}`})`,
  test: (name, body) => block(`@Test def ${name}(): Unit =`, body),
  assertEqual: (one, other) => [`assertEquals(${one}, ${other})`],
  file: (lines, words) => block(`class ${pascal(words)}`, lines),
}
