// Writes canaries in JavaScript and TypeScript.
import {
  block,
  commonSyntax,
  type Dialect,
  indent,
  kebab,
  typedFunctions,
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

export const typescriptDialect: Dialect = {
  ...javascriptDialect,
  defineFunction: typedFunctions(
    { number: 'number', text: 'string', list: 'number[]', flag: 'boolean', nothing: '' },
    (name, parameter, type, result) =>
      `export function ${name}(${parameter}: ${type})${result && `: ${result}`}`,
  ),
}
