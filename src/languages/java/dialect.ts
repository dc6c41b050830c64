// Writes canaries in Java.
import { block, commonSyntax, type Dialect, pascal, type ValueKind } from '../common/dialect.ts'

const types: Record<ValueKind, string> = {
  number: 'int',
  text: 'String',
  list: 'List<Integer>',
  flag: 'boolean',
}

export const dialect: Dialect = {
  ...commonSyntax,
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? 'void' : types[returns]
    return block(`static ${result} ${name}(${types[parameter.kind]} ${parameter.name})`, body)
  },
  equalsText: (variable, text, negated) => `${negated ? '!' : ''}${variable}.equals("${text}")`,
  loop: (list, body) => block(`for (int item : ${list})`, body('item')),
  test: (name, body) => block(`@Test void ${name}()`, body),
  assertEqual: (one, other) => [`assertEquals(${one}, ${other});`],
  file: (lines, words) => block(`class ${pascal(words)}`, lines),
}
