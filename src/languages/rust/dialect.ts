// Writes canaries in Rust.
import { block, commonSyntax, type Dialect, snake, type ValueKind } from '../common/dialect.ts'

const types: Record<ValueKind, string> = {
  number: 'i64',
  text: '&str',
  list: '&[i64]',
  flag: 'bool',
}

export const dialect: Dialect = {
  ...commonSyntax,
  stem: snake,
  testStem: (stem) => `${stem}_tests`,
  name: snake,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? '' : ` -> ${types[returns]}`
    return block(
      `pub fn ${name}(${parameter.name}: ${types[parameter.kind]})${result}`,
      body,
      '    ',
    )
  },
  returnValue: (expression) => expression,
  loop: (list, body) => block(`for item in ${list}`, body('item'), '    '),
  test: (name, body) => ['#[test]', ...block(`fn ${name}()`, body, '    ')],
  assertEqual: (one, other) => [`assert_eq!(${one}, ${other});`],
}
