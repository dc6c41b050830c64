// Writes canaries in C#.
import { block, commonSyntax, type Dialect, pascal, type ValueKind } from '../common/dialect.ts'

const types: Record<ValueKind, string> = {
  number: 'int',
  text: 'string',
  list: 'int[]',
  flag: 'bool',
}

export const dialect: Dialect = {
  ...commonSyntax,
  stem: pascal,
  testStem: (stem) => `${stem}Tests`,
  name: pascal,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? 'void' : types[returns]
    const typedParameter = `${types[parameter.kind]} ${parameter.name}`
    return block(`public static ${result} ${name}(${typedParameter})`, body)
  },
  loop: (list, body) => block(`foreach (var item in ${list})`, body('item')),
  query: (sql, item) => `Db.Query("${sql}"${item === undefined ? '' : `, ${item}`});`,
  test: (name, body) => block(`[Fact] public void ${name}()`, body),
  assertEqual: (one, other) => [`Assert.Equal(${one}, ${other});`],
  file: (lines, words) => block(`class ${pascal(words)}`, lines),
}
