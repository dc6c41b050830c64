// Writes canaries in C and C++.
import {
  block,
  camel,
  commonSyntax,
  type Dialect,
  equalsPlainText,
  snake,
  type ValueKind,
} from '../common/dialect.ts'

const cTypes: Record<ValueKind, string> = {
  number: 'int ',
  text: 'const char *',
  list: 'const int *',
  flag: 'bool ',
}

export const cDialect: Dialect = {
  ...commonSyntax,
  stem: snake,
  testStem: (stem) => `test_${stem}`,
  name: snake,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? 'void ' : cTypes[returns]
    const typedParameter = `${cTypes[parameter.kind]}${parameter.name}`
    // An array in C doesn't have its length.
    const count = parameter.kind === 'list' ? ', int count' : ''
    return block(`${result}${name}(${typedParameter}${count})`, body, '    ')
  },
  equalsText: (variable, text, negated) =>
    `strcmp(${variable}, "${text}") ${negated ? '!=' : '=='} 0`,
  loop: (list, body) => block('for (int i = 0; i < count; i++)', body(`${list}[i]`), '    '),
  query: (sql, item) => `db_query("${sql}"${item === undefined ? '' : `, ${item}`});`,
  test: (name, body) => block(`void test_${name}(void)`, body, '    '),
  assertEqual: (one, other) => [`assert(${one} == ${other});`],
}

const cPlusPlusTypes: Record<ValueKind, string> = {
  number: 'int ',
  text: 'const std::string& ',
  list: 'const std::vector<int>& ',
  flag: 'bool ',
}

export const cPlusPlusDialect: Dialect = {
  ...cDialect,
  name: camel,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? 'void ' : cPlusPlusTypes[returns]
    const typedParameter = `${cPlusPlusTypes[parameter.kind]}${parameter.name}`
    return block(`${result}${name}(${typedParameter})`, body, '    ')
  },
  equalsText: equalsPlainText,
  loop: (list, body) => block(`for (int item : ${list})`, body('item'), '    '),
  query: commonSyntax.query,
  test: (name, body) => block(`TEST(${name}, ${name})`, body, '    '),
  assertEqual: (one, other) => [`EXPECT_EQ(${one}, ${other});`],
}
