// Writes canaries in Java.
import { block, commonSyntax, type Dialect, pascal, typedFunctions } from '../common/dialect.ts'

export const dialect: Dialect = {
  ...commonSyntax,
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  defineFunction: typedFunctions(
    { number: 'int', text: 'String', list: 'List<Integer>', flag: 'boolean', nothing: 'void' },
    (name, parameter, type, result) => `static ${result} ${name}(${type} ${parameter})`,
  ),
  equalsText: (variable, text, negated) => `${negated ? '!' : ''}${variable}.equals("${text}")`,
  loop: (list, body) => block(`for (int item : ${list})`, body('item')),
  test: (name, body) => block(`@Test void ${name}()`, body),
  assertEqual: (one, other) => [`assertEquals(${one}, ${other});`],
  file: (lines, words) => block(`class ${pascal(words)}`, lines),
}
