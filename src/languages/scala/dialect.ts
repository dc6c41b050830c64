// Writes canaries in Scala.
import { block, commonSyntax, type Dialect, pascal, type ValueKind } from '../common/dialect.ts'

const types: Record<ValueKind, string> = {
  number: 'Int',
  text: 'String',
  list: 'List[Int]',
  flag: 'Boolean',
}

export const dialect: Dialect = {
  ...commonSyntax,
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? 'Unit' : types[returns]
    return block(`def ${name}(${parameter.name}: ${types[parameter.kind]}): ${result} =`, body)
  },
  returnValue: (expression) => expression,
  loop: (list, body) => block(`for (item <- ${list})`, body('item')),
  query: (sql, item) => `db.query("${sql}"${item === undefined ? '' : `, ${item}`})`,
  test: (name, body) => block(`@Test def ${name}(): Unit =`, body),
  assertEqual: (one, other) => [`assertEquals(${one}, ${other})`],
  file: (lines, words) => block(`class ${pascal(words)}`, lines),
}
