// Writes canaries in Kotlin.
import { block, commonSyntax, type Dialect, pascal, type ValueKind } from '../common/dialect.ts'

const types: Record<ValueKind, string> = {
  number: 'Int',
  text: 'String',
  list: 'List<Int>',
  flag: 'Boolean',
}

export const dialect: Dialect = {
  ...commonSyntax,
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? '' : `: ${types[returns]}`
    return block(`fun ${name}(${parameter.name}: ${types[parameter.kind]})${result}`, body)
  },
  returnValue: (expression) => `return ${expression}`,
  loop: (list, body) => block(`for (item in ${list})`, body('item')),
  query: (sql, item) => `db.query("${sql}"${item === undefined ? '' : `, ${item}`})`,
  test: (name, body) => block(`@Test fun ${name}()`, body),
  assertEqual: (one, other) => [`assertEquals(${one}, ${other})`],
}
