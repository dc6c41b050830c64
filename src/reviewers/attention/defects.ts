// The defects that canaries contain, each obvious from its lines, by field of review.
import { randomInt } from 'node:crypto'
import { type Dialect, snake } from '../../languages/common/dialect.ts'
import type { ReviewField } from '../prompts/specialist-prompts.ts'
import { type CanaryWords, createRandomWord } from './canary-words.ts'

export interface Defect {
  readonly field: ReviewField
  readonly isTest: boolean
  /** Writes the lines of the canary in a language. */
  readonly write: (dialect: Dialect, words: CanaryWords) => readonly string[]
  /** Writes a settings file instead, for changes in other languages. */
  readonly settings: (words: CanaryWords) => readonly string[]
}

/** Joins words to a name, with the words of the canary in the middle. */
function nameOf(
  { name }: Dialect,
  { word, noun }: CanaryWords,
  before: readonly string[],
  after: readonly string[] = [],
) {
  return name([...before, word, noun, ...after])
}

const settingsOf = ({ word, noun }: CanaryWords, ...lines: readonly string[]) => [
  `${snake([word, noun])}:`,
  ...lines.map((line) => `  ${line}`),
]

const drawSmallNumber = () => randomInt(11, 60)
const drawLargeNumber = () => randomInt(3_000, 9_000)
/** A model can't report a password that looks generated, because its prompt doesn't show that. */
const drawPassword = () => `${createRandomWord()}${randomInt(10, 100)}`

const addsDiscount: Defect = {
  field: 'correctness',
  isTest: false,
  write: (dialect, words) => {
    const price = dialect.variable('price')
    return dialect.defineFunction({
      name: nameOf(dialect, words, ['discounted'], ['price']),
      parameter: { name: 'price', kind: 'number' },
      returns: 'number',
      body: [dialect.returnValue(`${price} + ${price} * ${drawSmallNumber()} / 100`, 'number')],
    })
  },
  settings: (words) =>
    settingsOf(words, '# Tried again at most 3 times.', `retries: ${drawLargeNumber()}`),
}

const invertsLimit: Defect = {
  field: 'correctness',
  isTest: false,
  write: (dialect, words) =>
    dialect.defineFunction({
      name: nameOf(dialect, words, ['is', 'below'], ['limit']),
      parameter: { name: 'count', kind: 'number' },
      returns: 'flag',
      body: [
        dialect.returnValue(
          dialect.isGreater(dialect.variable('count'), drawSmallNumber()),
          'flag',
        ),
      ],
    }),
  settings: (words) =>
    settingsOf(words, `minimum: ${drawLargeNumber()}`, `maximum: ${drawSmallNumber()}`),
}

const allowsAnyoneToDelete: Defect = {
  field: 'security',
  isTest: false,
  write: (dialect, words) =>
    dialect.defineFunction({
      name: nameOf(dialect, words, ['may', 'delete']),
      parameter: { name: 'role', kind: 'text' },
      returns: 'flag',
      body: [
        dialect.returnValue(dialect.equalsText(dialect.variable('role'), 'admin', true), 'flag'),
      ],
    }),
  settings: (words) =>
    settingsOf(words, 'verify_certificates: false', `port: ${drawLargeNumber()}`),
}

const holdsPassword: Defect = {
  field: 'security',
  isTest: false,
  write: (dialect, words) =>
    dialect.defineFunction({
      name: nameOf(dialect, words, ['may', 'open']),
      parameter: { name: 'password', kind: 'text' },
      returns: 'flag',
      body: [
        dialect.returnValue(
          dialect.equalsText(dialect.variable('password'), drawPassword()),
          'flag',
        ),
      ],
    }),
  settings: (words) => settingsOf(words, 'user: admin', `password: ${drawPassword()}`),
}

const queriesPerItem: Defect = {
  field: 'performance',
  isTest: false,
  write: (dialect, words) =>
    dialect.defineFunction({
      name: nameOf(dialect, words, ['load']),
      parameter: { name: 'ids', kind: 'list' },
      body: dialect.loop(dialect.variable('ids'), (item) => [
        dialect.query('select * from rows where id = ?', item),
      ]),
    }),
  settings: (words) => settingsOf(words, '# There are millions of rows.', 'rows_per_query: 1'),
}

const scansPerItem: Defect = {
  field: 'performance',
  isTest: false,
  write: (dialect, words) =>
    dialect.defineFunction({
      name: nameOf(dialect, words, ['refresh']),
      parameter: { name: 'ids', kind: 'list' },
      body: dialect.loop(dialect.variable('ids'), () => [dialect.query('select * from rows')]),
    }),
  settings: (words) => settingsOf(words, '# Asked by all clients at once.', 'poll_milliseconds: 1'),
}

const comparesWithItself: Defect = {
  field: 'tests',
  isTest: true,
  write: (dialect, words) => {
    const call = dialect.call(nameOf(dialect, words, ['count']), drawSmallNumber())
    return dialect.test(nameOf(dialect, words, ['counts']), dialect.assertEqual(call, call))
  },
  settings: (words) => settingsOf(words, 'test: true', 'ignore_failures: true'),
}

const assertsConstant: Defect = {
  field: 'tests',
  isTest: true,
  write: (dialect, words) => {
    const number = String(drawSmallNumber())
    return dialect.test(nameOf(dialect, words, ['sums', 'up']), dialect.assertEqual(number, number))
  },
  settings: (words) => settingsOf(words, 'test: true', 'skip: always'),
}

const contradictsComment: Defect = {
  field: 'maintainability',
  isTest: false,
  write: (dialect, words) => {
    const routine = dialect.defineFunction({
      name: nameOf(dialect, words, ['most']),
      parameter: { name: 'size', kind: 'number' },
      returns: 'number',
      body: [dialect.returnValue(`${dialect.variable('size')} + ${drawLargeNumber()}`, 'number')],
    })
    return [`${dialect.comment} Never more than ${drawSmallNumber()}.`, ...routine]
  },
  settings: (words) =>
    settingsOf(words, `# Keeps ${drawSmallNumber()} days.`, `days: ${drawLargeNumber()}`),
}

const contradictsName: Defect = {
  field: 'maintainability',
  isTest: false,
  write: (dialect, words) =>
    dialect.defineFunction({
      name: nameOf(dialect, words, [], ['hours', 'in', 'seconds']),
      parameter: { name: 'hours', kind: 'number' },
      returns: 'number',
      body: [
        dialect.returnValue(`${dialect.variable('hours')} * 60 + ${drawSmallNumber()}`, 'number'),
      ],
    }),
  settings: (words) =>
    settingsOf(words, '# Of an hour, in seconds.', `length: ${drawLargeNumber() * 10}`),
}

export const defects: readonly Defect[] = [
  addsDiscount,
  invertsLimit,
  allowsAnyoneToDelete,
  holdsPassword,
  queriesPerItem,
  scansPerItem,
  comparesWithItself,
  assertsConstant,
  contradictsComment,
  contradictsName,
]
