// Writes canaries in JavaScript and TypeScript.
import {
  block,
  commonSyntax,
  type Dialect,
  indent,
  kebab,
  type ValueKind,
} from '../common/dialect.ts'

export const javascriptDialect: Dialect = {
  ...commonSyntax,
  stem: kebab,
  testStem: (stem) => `${stem}.test`,
  defineFunction: ({ name, parameter, body }) =>
    block(`export function ${name}(${parameter.name})`, body),
  returnValue: (expression) => `return ${expression}`,
  equalsText: (variable, text, negated) => `${variable} ${negated ? '!==' : '==='} '${text}'`,
  loop: (list, body) => block(`for (const item of ${list})`, body('item')),
  query: (sql, item) => `db.query('${sql}'${item === undefined ? '' : `, [${item}]`})`,
  test: (name, body) => [`test('${name}', () => {`, ...indent(body), '})'],
  assertEqual: (one, other) => [`expect(${one}).toBe(${other})`],
}

const types: Record<ValueKind, string> = {
  number: 'number',
  text: 'string',
  list: 'number[]',
  flag: 'boolean',
}

export const typescriptDialect: Dialect = {
  ...javascriptDialect,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? '' : `: ${types[returns]}`
    return block(
      `export function ${name}(${parameter.name}: ${types[parameter.kind]})${result}`,
      body,
    )
  },
}
