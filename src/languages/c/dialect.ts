// Writes canaries in C and C++.
import {
  block,
  camel,
  commonSyntax,
  type Dialect,
  equalsPlainText,
  snake,
  typedFunctions,
} from '../common/dialect.ts'

const listType = 'const int *'

export const cDialect: Dialect = {
  ...commonSyntax,
  stem: snake,
  testStem: (stem) => `test_${stem}`,
  name: snake,
  defineFunction: typedFunctions(
    { number: 'int ', text: 'const char *', list: listType, flag: 'bool ', nothing: 'void ' },
    (name, parameter, type, result) =>
      // An array in C doesn't have its length.
      `${result}${name}(${type}${parameter}${type === listType ? ', int count' : ''})`,
    '    ',
  ),
  equalsText: (variable, text, negated) =>
    `strcmp(${variable}, "${text}") ${negated ? '!=' : '=='} 0`,
  loop: (list, body) => block('for (int i = 0; i < count; i++)', body(`${list}[i]`), '    '),
  query: (sql, item) => `db_query("${sql}"${item === undefined ? '' : `, ${item}`});`,
  test: (name, body) => block(`void test_${name}(void)`, body, '    '),
  assertEqual: (one, other) => [`assert(${one} == ${other});`],
}

export const cPlusPlusDialect: Dialect = {
  ...cDialect,
  name: camel,
  defineFunction: typedFunctions(
    {
      number: 'int ',
      text: 'const std::string& ',
      list: 'const std::vector<int>& ',
      flag: 'bool ',
      nothing: 'void ',
    },
    (name, parameter, type, result) => `${result}${name}(${type}${parameter})`,
    '    ',
  ),
  equalsText: equalsPlainText,
  loop: (list, body) => block(`for (int item : ${list})`, body('item'), '    '),
  query: commonSyntax.query,
  test: (name, body) => block(`TEST(${name}, ${name})`, body, '    '),
  assertEqual: (one, other) => [`EXPECT_EQ(${one}, ${other});`],
}
