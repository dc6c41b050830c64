// Makes up names that nobody could have foreseen, and writes words in the styles of code.
import { randomInt } from 'node:crypto'

const consonants = [...'bdfgklmnprstvz']
const vowels = [...'aeiou']
const syllableCount = 4

/** Things that reviews of other code seldom speak of. */
const nouns =
  `abbey acreage airfare almanac alphabet annuity antenna apiary auction aviary bakery ballot banquet barley barometer
  bassoon bazaar bicycle biscuit bobbin bonsai bouquet brewery brigade burrow bursary cabaret calico canteen caravan
  cargo carnival cashew cathedral cavalry cello chalet chimney cinema citrus cloakroom coffee compost cottage courier
  creche cricket crystal cutlery cyclist dairy dinghy dormitory dowry drizzle easel elevator embassy escrow falcon ferry
  festival flotilla foundry fountain freight galley gallery garden gazette geyser glacier grocer hangar harbor harvest
  hatchery hostel incense insulin jetty juniper kiosk lagoon lantern laundry lavender lighthouse limousine lottery
  luggage magnet mandolin mansion marina market meadow melody minaret monsoon mooring museum mustard nectar nursery oasis
  oboe observatory orchard orchestra oyster paddock pantry parcel parish pavilion payroll pension pilgrim plaza poultry
  prairie quarry quilt raffle railway raisin rebate recital regatta rhubarb roster rowboat saffron satellite sawmill
  seminar sherbet shipyard sleigh sorghum stadium steamer sundial surgery swimmer tariff tavern telescope theatre
  toffee toll tractor trolley tuition turbine turnip umbrella vaccine vineyard violin volcano voucher walnut warden
  wharf windmill xylophone yacht zeppelin`.split(/\s+/)

/** Takes one of a list, none likelier than another. */
export function pickRandom<T>(list: readonly T[]): T {
  return list[randomInt(list.length)]!
}

/** What the names of a made-up file are made of. */
export interface CanaryWords {
  /** In no dictionary. */
  readonly word: string
  readonly noun: string
}

/** How often words are drawn that no text holds: whoever writes all nouns into a change doesn't stop the review. */
const maxDraws = 50

/** Draws words of which none stands in the texts, in lower case. */
export function createCanaryWords(texts: readonly string[]): CanaryWords {
  const isFree = (word: string) => !texts.some((text) => text.includes(word))
  return { word: draw(createRandomWord, isFree), noun: draw(() => pickRandom(nouns), isFree) }
}

function draw(make: () => string, isFree: (word: string) => boolean): string {
  let made = make()
  for (let draws = 1; draws < maxDraws && !isFree(made); draws++) made = make()
  return made
}

function createRandomWord(): string {
  return Array.from(
    { length: syllableCount },
    () => pickRandom(consonants) + pickRandom(vowels),
  ).join('')
}

/** Writes words as one name. */
export type NameStyle = (words: readonly string[]) => string

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

export const pascal: NameStyle = (words) => words.map(capitalize).join('')
export const camel: NameStyle = ([first = '', ...rest]) => first + pascal(rest)
export const snake: NameStyle = (words) => words.join('_')
export const kebab: NameStyle = (words) => words.join('-')
