// Writes canaries in Rust.
import { block, commonSyntax, type Dialect, snake, typedFunctions } from '../common/dialect.ts'

export const dialect: Dialect = {
  ...commonSyntax,
  stem: snake,
  testStem: (stem) => `${stem}_tests`,
  name: snake,
  defineFunction: typedFunctions(
    { number: 'i64', text: '&str', list: '&[i64]', flag: 'bool', nothing: '' },
    (name, parameter, type, result) =>
      `pub fn ${name}(${parameter}: ${type})${result && ` -> ${result}`}`,
    '    ',
  ),
  returnValue: (expression) => expression,
  loop: (list, body) => block(`for item in ${list}`, body('item'), '    '),
  test: (name, body) => ['#[test]', ...block(`fn ${name}()`, body, '    ')],
  assertEqual: (one, other) => [`assert_eq!(${one}, ${other});`],
}
