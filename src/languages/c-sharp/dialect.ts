// Writes canaries in C#.
import { block, commonSyntax, type Dialect, pascal, typedFunctions } from '../common/dialect.ts'

export const dialect: Dialect = {
  ...commonSyntax,
  stem: pascal,
  testStem: (stem) => `${stem}Tests`,
  name: pascal,
  defineFunction: typedFunctions(
    { number: 'int', text: 'string', list: 'int[]', flag: 'bool', nothing: 'void' },
    (name, parameter, type, result) => `public static ${result} ${name}(${type} ${parameter})`,
  ),
  loop: (list, body) => block(`foreach (var item in ${list})`, body('item')),
  query: (sql, item) => `Db.Query("${sql}"${item === undefined ? '' : `, ${item}`});`,
  test: (name, body) => block(`[Fact] public void ${name}()`, body),
  assertEqual: (one, other) => [`Assert.Equal(${one}, ${other});`],
  file: (lines, words) => block(`class ${pascal(words)}`, lines),
}
