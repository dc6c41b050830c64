// Splits names into words, and knows which words name opposite parts of the same thing.

/** The words that a name consists of, in lower case. */
export type Words = readonly string[]

export function wordsOf(name: string): Words {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []
  return words.map((word) => word.toLowerCase())
}

export interface RolePair {
  readonly first: readonly string[]
  readonly second: readonly string[]
  /**
   * `order`: one comes before the other, and both can have the same value. `direction`: something
   * goes from one to the other. `sides`: neither is before the other.
   */
  readonly kind: 'order' | 'direction' | 'sides'
}

function pair(kind: RolePair['kind'], first: string, second: string): RolePair {
  return { kind, first: first.split(' '), second: second.split(' ') }
}

/** Words for opposite parts, in all languages. */
export const rolePairs: readonly RolePair[] = [
  pair(
    'order',
    'start starts started begin begins from since first arrival earliest entered opened checkin',
    'end ends ended finish finished to until till last departure latest left closed checkout',
  ),
  pair(
    'order',
    'min minimum lower low floor gte ge least',
    'max maximum upper high ceiling lte le most',
  ),
  pair('order', 'old previous prev', 'new next current'),
  pair(
    'direction',
    'source src from origin sender payer',
    'target dest destination dst to recipient receiver payee',
  ),
  pair('sides', 'width w', 'height h'),
  pair('sides', 'x', 'y'),
  pair('sides', 'lat latitude', 'lng lon long longitude'),
  pair('sides', 'left', 'right'),
  pair('sides', 'top', 'bottom'),
  pair('sides', 'left', 'top'),
  pair('sides', 'right', 'bottom'),
  pair('sides', 'north south', 'east west'),
  pair('sides', 'north', 'south'),
  pair('sides', 'east', 'west'),
  pair('sides', 'row rows', 'column columns col cols'),
  pair('sides', 'horizontal', 'vertical'),
  pair('sides', 'billing bill invoice', 'shipping ship delivery'),
  pair('sides', 'home', 'away'),
  pair('sides', 'departure', 'arrival'),
  pair('sides', 'origin', 'destination'),
  pair('sides', 'sender', 'receiver recipient'),
  pair('sides', 'buyer', 'seller'),
  pair('sides', 'first', 'last'),
  pair('sides', 'request', 'response'),
  pair('sides', 'read', 'write'),
  pair('sides', 'incoming inbound', 'outgoing outbound'),
  pair('sides', 'input', 'output'),
  pair('sides', 'primary', 'secondary'),
  pair('sides', 'public', 'private'),
  pair('sides', 'key', 'value'),
  pair('sides', 'username user', 'password'),
  pair('sides', 'credit', 'debit'),
  pair('sides', 'income', 'expense expenses'),
  pair('sides', 'open', 'close'),
  pair('sides', 'parent', 'child'),
  pair('sides', 'red', 'green'),
  pair('sides', 'green', 'blue'),
  pair('sides', 'expected want', 'actual got'),
  pair(
    'sides',
    'needle prefix suffix substr substring term keyword search separator delimiter pattern regex',
    'haystack text content line lines string list array items values subject title name input',
  ),
  pair('sides', 'password plain plaintext passphrase', 'hash hashed digest encrypted'),
  pair('sides', 'payload claims message body token jwt', 'secret key'),
  pair('sides', 'path file filename filepath', 'content contents data body text bytes'),
  pair('sides', 'key field', 'array row rows map items'),
  pair('sides', 'object instance event item', 'type kind cls klass'),
]

/** What a file is moved from and to; elsewhere, a result may be the source of the next step. */
export const filePair: RolePair = pair(
  'direction',
  'source src from origin temp tmp temporary draft staging staged upload uploaded old original',
  'target dest destination dst to final output public published live archive archived new',
)

/** Which side of a pair two names that differ in one word are: the first of them is first. */
export function pairedRoleOf(
  one: Words,
  other: Words,
  kind?: RolePair['kind'],
): 'first' | 'second' | undefined {
  const changed = changedWord(one, other)
  if (!changed) return undefined
  for (const { first, second, kind: own } of rolePairs) {
    if (kind !== undefined && own !== kind) continue
    if (first.includes(changed.from) && second.includes(changed.to)) return 'first'
    if (second.includes(changed.from) && first.includes(changed.to)) return 'second'
  }
  return undefined
}

/** Returns the only word in which two names differ. */
export function changedWord(one: Words, other: Words): { from: string; to: string } | undefined {
  if (one.length !== other.length) return undefined
  const changed = one.flatMap((word, index) => (word === other[index] ? [] : [index]))
  const [index] = changed
  if (index === undefined || changed.length > 1) return undefined
  return { from: one[index]!, to: other[index]! }
}

/** Whether two words name opposite parts. */
export function areOpposite(one: string, other: string): boolean {
  return rolePairs.some(
    ({ first, second }) =>
      (first.includes(one) && second.includes(other)) ||
      (second.includes(one) && first.includes(other)),
  )
}

/** Which side of a pair a name is on, by its only word of the pair. */
export function sideOf(words: Words, { first, second }: RolePair): 1 | -1 | undefined {
  const isFirst = words.some((word) => first.includes(word))
  const isSecond = words.some((word) => second.includes(word))
  return isFirst === isSecond ? undefined : isFirst ? 1 : -1
}
