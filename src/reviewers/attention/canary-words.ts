// Draws unpredictable words for canaries.
import { randomInt } from 'node:crypto'

const consonants = [...'bdfgklmnprstvz']
const vowels = [...'aeiou']
const syllableCount = 4

/** Nouns that reviews of other code seldom mention. */
const nouns =
  `abbey acreage airfare almanac alphabet annuity antenna apiary auction aviary bakery ballot
  banquet barley barometer bassoon bazaar bicycle biscuit bobbin bonsai bouquet brewery brigade
  burrow bursary cabaret calico canteen caravan cargo carnival cashew cathedral cavalry cello
  chalet chimney cinema citrus cloakroom coffee compost cottage courier creche cricket crystal
  cutlery cyclist dairy dinghy dormitory dowry drizzle easel elevator embassy escrow falcon
  ferry festival flotilla foundry fountain freight galley gallery garden gazette geyser glacier
  grocer hangar harbor harvest hatchery hostel incense insulin jetty juniper kiosk lagoon
  lantern laundry lavender lighthouse limousine lottery luggage magnet mandolin mansion marina
  market meadow melody minaret monsoon mooring museum mustard nectar nursery oasis oboe
  observatory orchard orchestra oyster paddock pantry parcel parish pavilion payroll pension
  pilgrim plaza poultry prairie quarry quilt raffle railway raisin rebate recital regatta
  rhubarb roster rowboat saffron satellite sawmill seminar sherbet shipyard sleigh sorghum
  stadium steamer sundial surgery swimmer tariff tavern telescope theatre toffee toll tractor
  trolley tuition turbine turnip umbrella vaccine vineyard violin volcano voucher walnut warden
  wharf windmill xylophone yacht zeppelin`.split(/\s+/)

/** Uses a cryptographic source, so that the choice can't be predicted. */
export function pickRandom<T>(list: readonly T[]): T {
  return list[randomInt(list.length)]!
}

export interface CanaryWords {
  /** A random word that is in no dictionary. */
  readonly word: string
  readonly noun: string
}

/** Bounds the draws, so that a change that contains all nouns can't stop the review. */
const maxDraws = 50

/** Draws words that don't occur in the texts, which are in lower case. */
export function createCanaryWords(texts: readonly string[]): CanaryWords {
  const isUnused = (word: string) => !texts.some((text) => text.includes(word))
  return {
    word: drawUntil(isUnused, createRandomWord),
    noun: drawUntil(isUnused, () => pickRandom(nouns)),
  }
}

function drawUntil(isUnused: (word: string) => boolean, draw: () => string): string {
  let word = draw()
  for (let draws = 1; draws < maxDraws && !isUnused(word); draws++) word = draw()
  return word
}

export function createRandomWord(): string {
  return Array.from(
    { length: syllableCount },
    () => pickRandom(consonants) + pickRandom(vowels),
  ).join('')
}
