// A model test: whatever people do, and whatever is lost, each open head ends with one right review.
//
//   npm run test:histories                          1,000 histories on each database
//   HISTORIES=1 HISTORY_SEED=17 npm run test:histories        one of them again
import { expect, it } from 'vitest'
import { playHistories } from '../histories/play-histories.ts'

const count = Number(process.env.HISTORIES ?? 12)
const firstSeed = Number(process.env.HISTORY_SEED ?? 1)
const kind = process.env.TEST_ENGINE === 'postgresql' ? 'postgresql' : 'embedded'

it(
  `ends each of ${count} random histories right, although deliveries are lost`,
  async () => {
    const seeds = Array.from({ length: count }, (_, index) => firstSeed + index)
    expect(await playHistories(kind, seeds)).toEqual([])
  },
  300_000 + count * 10_000,
)
