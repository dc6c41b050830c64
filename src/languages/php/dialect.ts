// Writes canaries in PHP.
import { block, commonSyntax, type Dialect, pascal, typedFunctions } from '../common/dialect.ts'

export const dialect: Dialect = {
  ...commonSyntax,
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  variable: (name) => `$${name}`,
  defineFunction: typedFunctions(
    { number: 'int', text: 'string', list: 'array', flag: 'bool', nothing: '' },
    (name, parameter, type, result) =>
      `function ${name}(${type} $${parameter})${result && `: ${result}`}`,
    '    ',
  ),
  equalsText: (variable, text, negated) => `${variable} ${negated ? '!==' : '==='} '${text}'`,
  loop: (list, body) => block(`foreach (${list} as $item)`, body('$item'), '    '),
  query: (sql, item) => `DB::select('${sql}'${item === undefined ? '' : `, [${item}]`});`,
  test: (name, body) => block(`it('${name}', function ()`, body, '    ').with(-1, '});'),
  assertEqual: (one, other) => [`expect(${one})->toBe(${other});`],
  file: (lines) => ['<?php', ...lines],
}
