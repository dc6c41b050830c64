// Writes canaries in PHP.
import { block, commonSyntax, type Dialect, pascal, type ValueKind } from '../common/dialect.ts'

const types: Record<ValueKind, string> = {
  number: 'int',
  text: 'string',
  list: 'array',
  flag: 'bool',
}

export const dialect: Dialect = {
  ...commonSyntax,
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  variable: (name) => `$${name}`,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? '' : `: ${types[returns]}`
    return block(
      `function ${name}(${types[parameter.kind]} $${parameter.name})${result}`,
      body,
      '    ',
    )
  },
  equalsText: (variable, text, negated) => `${variable} ${negated ? '!==' : '==='} '${text}'`,
  loop: (list, body) => block(`foreach (${list} as $item)`, body('$item'), '    '),
  query: (sql, item) => `DB::select('${sql}'${item === undefined ? '' : `, [${item}]`});`,
  test: (name, body) => block(`it('${name}', function ()`, body, '    ').with(-1, '});'),
  assertEqual: (one, other) => [`expect(${one})->toBe(${other});`],
  file: (lines) => ['<?php', ...lines],
}
