// The syntax of each language for the few constructs that canary defects use.
import { camel, kebab, type NameStyle, pascal, snake } from './canary-words.ts'

/** Kinds of values; each language has its own type for them. */
type ValueKind = 'number' | 'text' | 'list' | 'flag'

interface FunctionParameter {
  readonly name: string
  readonly kind: Exclude<ValueKind, 'flag'>
}

interface FunctionSpec {
  readonly name: string
  readonly parameter: FunctionParameter
  /** Undefined for a function without a result. */
  readonly returns?: 'number' | 'flag'
  readonly body: readonly string[]
}

/** One language. Texts are lines without line ends. */
export interface Dialect {
  readonly extensions: readonly string[]
  /** Makes the name of a file without its extension. */
  readonly stem: NameStyle
  readonly testStem: (stem: string) => string
  readonly name: NameStyle
  readonly comment: string
  /** Writes a reference to a parameter or a loop's item. */
  readonly variable: (name: string) => string
  readonly defineFunction: (definition: FunctionSpec) => string[]
  readonly returnValue: (expression: string, kind: 'number' | 'flag') => string
  readonly isGreater: (variable: string, number: number) => string
  readonly equalsText: (variable: string, text: string, negated?: boolean) => string
  readonly call: (name: string, number: number) => string
  readonly loop: (list: string, body: (item: string) => readonly string[]) => string[]
  /** Writes a statement that queries a database, with the item as its parameter. */
  readonly query: (sql: string, item?: string) => string
  readonly test: (name: string, body: readonly string[]) => string[]
  readonly assertEqual: (one: string, other: string) => string[]
  /** Adds what the language needs around the lines of a file. */
  readonly file: (lines: readonly string[], words: readonly string[]) => string[]
}

const indent = (lines: readonly string[], by = '  ') => lines.map((line) => by + line)
const block = (head: string, body: readonly string[], by?: string) => [
  `${head} {`,
  ...indent(body, by),
  '}',
]
const equalsPlainText = (variable: string, text: string, negated = false) =>
  `${variable} ${negated ? '!=' : '=='} "${text}"`

/** The syntax that most languages share. */
const common = {
  name: camel,
  comment: '//',
  variable: (name: string) => name,
  returnValue: (expression: string) => `return ${expression};`,
  isGreater: (variable: string, number: number) => `${variable} > ${number}`,
  equalsText: equalsPlainText,
  call: (name: string, number: number) => `${name}(${number})`,
  query: (sql: string, item?: string) =>
    `db.query("${sql}"${item === undefined ? '' : `, ${item}`});`,
  file: (lines: readonly string[]) => [...lines],
}

const javascript: Dialect = {
  ...common,
  extensions: ['.js', '.mjs', '.cjs', '.jsx'],
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

const typescriptTypes: Record<ValueKind, string> = {
  number: 'number',
  text: 'string',
  list: 'number[]',
  flag: 'boolean',
}

const typescript: Dialect = {
  ...javascript,
  extensions: ['.ts', '.mts', '.cts', '.tsx', '.vue', '.svelte'],
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? '' : `: ${typescriptTypes[returns]}`
    return block(
      `export function ${name}(${parameter.name}: ${typescriptTypes[parameter.kind]})${result}`,
      body,
    )
  },
}

const python: Dialect = {
  ...common,
  extensions: ['.py', '.pyi'],
  stem: snake,
  testStem: (stem) => `test_${stem}`,
  name: snake,
  comment: '#',
  defineFunction: ({ name, parameter, body }) => [
    `def ${name}(${parameter.name}):`,
    ...indent(body, '    '),
  ],
  returnValue: (expression) => `return ${expression}`,
  loop: (list, body) => [`for item in ${list}:`, ...indent(body('item'), '    ')],
  query: (sql, item) => `db.execute("${sql}"${item === undefined ? '' : `, (${item},)`})`,
  test: (name, body) => [`def test_${name}():`, ...indent(body, '    ')],
  assertEqual: (one, other) => [`assert ${one} == ${other}`],
}

const goTypes: Record<ValueKind, string> = {
  number: 'int',
  text: 'string',
  list: '[]int',
  flag: 'bool',
}

const go: Dialect = {
  ...common,
  extensions: ['.go'],
  stem: snake,
  testStem: (stem) => `${stem}_test`,
  name: pascal,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? '' : ` ${goTypes[returns]}`
    return block(`func ${name}(${parameter.name} ${goTypes[parameter.kind]})${result}`, body, '\t')
  },
  returnValue: (expression) => `return ${expression}`,
  loop: (list, body) => block(`for _, item := range ${list}`, body('item'), '\t'),
  query: (sql, item) => `db.Query("${sql}"${item === undefined ? '' : `, ${item}`})`,
  test: (name, body) => block(`func Test${name}(t *testing.T)`, body, '\t'),
  assertEqual: (one, other) => block(`if ${one} != ${other}`, ['t.Fail()'], '\t'),
  file: (lines, words) => [`package ${words.at(-1)}`, '', ...lines],
}

const javaTypes: Record<ValueKind, string> = {
  number: 'int',
  text: 'String',
  list: 'List<Integer>',
  flag: 'boolean',
}

const java: Dialect = {
  ...common,
  extensions: ['.java'],
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? 'void' : javaTypes[returns]
    return block(`static ${result} ${name}(${javaTypes[parameter.kind]} ${parameter.name})`, body)
  },
  equalsText: (variable, text, negated) => `${negated ? '!' : ''}${variable}.equals("${text}")`,
  loop: (list, body) => block(`for (int item : ${list})`, body('item')),
  test: (name, body) => block(`@Test void ${name}()`, body),
  assertEqual: (one, other) => [`assertEquals(${one}, ${other});`],
  file: (lines, words) => block(`class ${pascal(words)}`, lines),
}

const kotlinTypes: Record<ValueKind, string> = {
  number: 'Int',
  text: 'String',
  list: 'List<Int>',
  flag: 'Boolean',
}

const kotlin: Dialect = {
  ...common,
  extensions: ['.kt', '.kts'],
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? '' : `: ${kotlinTypes[returns]}`
    return block(`fun ${name}(${parameter.name}: ${kotlinTypes[parameter.kind]})${result}`, body)
  },
  returnValue: (expression) => `return ${expression}`,
  loop: (list, body) => block(`for (item in ${list})`, body('item')),
  query: (sql, item) => `db.query("${sql}"${item === undefined ? '' : `, ${item}`})`,
  test: (name, body) => block(`@Test fun ${name}()`, body),
  assertEqual: (one, other) => [`assertEquals(${one}, ${other})`],
}

const ruby: Dialect = {
  ...common,
  extensions: ['.rb', '.rake'],
  stem: snake,
  testStem: (stem) => `${stem}_test`,
  name: snake,
  comment: '#',
  defineFunction: ({ name, parameter, body }) => [
    `def ${name}(${parameter.name})`,
    ...indent(body),
    'end',
  ],
  returnValue: (expression) => expression,
  loop: (list, body) => [`${list}.each do |item|`, ...indent(body('item')), 'end'],
  query: (sql, item) => `DB.query("${sql}"${item === undefined ? '' : `, ${item}`})`,
  test: (name, body) => [`def test_${name}`, ...indent(body), 'end'],
  assertEqual: (one, other) => [`assert_equal ${one}, ${other}`],
}

const rustTypes: Record<ValueKind, string> = {
  number: 'i64',
  text: '&str',
  list: '&[i64]',
  flag: 'bool',
}

const rust: Dialect = {
  ...common,
  extensions: ['.rs'],
  stem: snake,
  testStem: (stem) => `${stem}_tests`,
  name: snake,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? '' : ` -> ${rustTypes[returns]}`
    return block(
      `pub fn ${name}(${parameter.name}: ${rustTypes[parameter.kind]})${result}`,
      body,
      '    ',
    )
  },
  returnValue: (expression) => expression,
  loop: (list, body) => block(`for item in ${list}`, body('item'), '    '),
  test: (name, body) => ['#[test]', ...block(`fn ${name}()`, body, '    ')],
  assertEqual: (one, other) => [`assert_eq!(${one}, ${other});`],
}

const phpTypes: Record<ValueKind, string> = {
  number: 'int',
  text: 'string',
  list: 'array',
  flag: 'bool',
}

const php: Dialect = {
  ...common,
  extensions: ['.php'],
  stem: pascal,
  testStem: (stem) => `${stem}Test`,
  variable: (name) => `$${name}`,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? '' : `: ${phpTypes[returns]}`
    return block(
      `function ${name}(${phpTypes[parameter.kind]} $${parameter.name})${result}`,
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

const cTypes: Record<ValueKind, string> = {
  number: 'int ',
  text: 'const char *',
  list: 'const int *',
  flag: 'bool ',
}

const c: Dialect = {
  ...common,
  extensions: ['.c', '.h'],
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

const cPlusPlus: Dialect = {
  ...c,
  extensions: ['.cpp', '.cc', '.cxx', '.hpp', '.hh'],
  name: camel,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? 'void ' : cPlusPlusTypes[returns]
    const typedParameter = `${cPlusPlusTypes[parameter.kind]}${parameter.name}`
    return block(`${result}${name}(${typedParameter})`, body, '    ')
  },
  equalsText: equalsPlainText,
  loop: (list, body) => block(`for (int item : ${list})`, body('item'), '    '),
  query: common.query,
  test: (name, body) => block(`TEST(${name}, ${name})`, body, '    '),
  assertEqual: (one, other) => [`EXPECT_EQ(${one}, ${other});`],
}

const cSharpTypes: Record<ValueKind, string> = {
  number: 'int',
  text: 'string',
  list: 'int[]',
  flag: 'bool',
}

const cSharp: Dialect = {
  ...common,
  extensions: ['.cs'],
  stem: pascal,
  testStem: (stem) => `${stem}Tests`,
  name: pascal,
  defineFunction: ({ name, parameter, returns, body }) => {
    const result = returns === undefined ? 'void' : cSharpTypes[returns]
    const typedParameter = `${cSharpTypes[parameter.kind]} ${parameter.name}`
    return block(`public static ${result} ${name}(${typedParameter})`, body)
  },
  loop: (list, body) => block(`foreach (var item in ${list})`, body('item')),
  query: (sql, item) => `Db.Query("${sql}"${item === undefined ? '' : `, ${item}`});`,
  test: (name, body) => block(`[Fact] public void ${name}()`, body),
  assertEqual: (one, other) => [`Assert.Equal(${one}, ${other});`],
  file: (lines, words) => block(`class ${pascal(words)}`, lines),
}

const shell: Dialect = {
  ...common,
  extensions: ['.sh', '.bash', '.zsh', '.ksh'],
  stem: kebab,
  testStem: (stem) => `test-${stem}`,
  name: snake,
  comment: '#',
  variable: (name) => (name === 'item' ? '$item' : '$1'),
  defineFunction: ({ name, body }) => block(`${name}()`, body),
  returnValue: (expression, kind) => (kind === 'number' ? `echo $((${expression}))` : expression),
  isGreater: (variable, number) => `[ "${variable}" -gt ${number} ]`,
  equalsText: (variable, text, negated) => `[ "${variable}" ${negated ? '!=' : '='} "${text}" ]`,
  call: (name, number) => `"$(${name} ${number})"`,
  loop: (_list, body) => ['for item in "$@"; do', ...indent(body('$item')), 'done'],
  query: (sql, item) => `psql -c "${item === undefined ? sql : sql.replace('?', item)}"`,
  test: (name, body) => block(`test_${name}()`, body),
  assertEqual: (one, other) => [`[ ${one} = ${other} ]`],
}

export const dialects: readonly Dialect[] = [
  javascript,
  typescript,
  python,
  go,
  java,
  kotlin,
  ruby,
  rust,
  php,
  c,
  cPlusPlus,
  cSharp,
  shell,
]

/** Finds the dialect for an extension, which is in lower case and begins with a dot. */
export function dialectOf(extension: string): Dialect | undefined {
  return dialects.find(({ extensions }) => extensions.includes(extension))
}
