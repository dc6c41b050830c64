// The fair semaphore: order of parties, permits reserved for newcomers, and sizes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFairSemaphore } from '../src/lib/semaphore.ts'

/** Requests permits one after the other and records who gets them. */
function startRequests(semaphore: ReturnType<typeof createFairSemaphore>) {
  const entered: string[] = []
  const releases = new Map<string, () => void>()
  return {
    entered,
    async ask(name: string, options: { size?: number; signal?: AbortSignal } = {}) {
      const party = name.replace(/\d+$/, '')
      const taking = semaphore.acquire(party, options.signal, options.size).then((release) => {
        entered.push(name)
        releases.set(name, release)
      })
      taking.catch(() => {})
      await settle()
    },
    async release(name: string) {
      releases.get(name)!()
      await settle()
    },
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('shared semaphore', () => {
  it('case 81: admits a newcomer while another party asks for more than there is', async () => {
    const { ask, entered } = startRequests(createFairSemaphore(8))
    for (let count = 1; count <= 20; count++) await ask(`big${count}`)
    expect(entered).toEqual(['big1', 'big2', 'big3', 'big4', 'big5', 'big6'])
    await ask('small1')
    expect(entered.at(-1)).toBe('small1')
    await ask('tiny1')
    expect(entered.at(-1)).toBe('tiny1')
  })

  it('serves the party with the smallest share first, then in turns', async () => {
    const { ask, entered, release } = startRequests(createFairSemaphore(1))
    for (const name of ['big1', 'big2', 'big3', 'small1', 'tiny1', 'small2']) await ask(name)
    for (const name of ['big1', 'small1', 'tiny1', 'big2', 'small2']) await release(name)
    expect(entered).toEqual(['big1', 'small1', 'tiny1', 'big2', 'small2', 'big3'])
  })

  it('caps large requests at the maximum share and lets small ones pass', async () => {
    const { ask, entered, release } = startRequests(createFairSemaphore(100))
    await ask('big1', { size: 1000 })
    await ask('big2', { size: 70 })
    await ask('small1', { size: 6 })
    expect(entered).toEqual(['big1', 'small1'])
    await release('big1')
    expect(entered).toEqual(['big1', 'small1', 'big2'])
  })

  it('makes large requests wait and lets only newcomers pass them', async () => {
    const { ask, entered, release } = startRequests(createFairSemaphore(100))
    for (const name of ['mid1', 'mid2', 'mid3', 'mid4']) await ask(name, { size: 25 })
    await ask('big1', { size: 75 })
    await release('mid1')
    await ask('small1', { size: 6 })
    expect(entered).toEqual(['mid1', 'mid2', 'mid3', 'small1'])
    for (const name of ['mid2', 'mid3']) await release(name)
    expect(entered).toEqual(['mid1', 'mid2', 'mid3', 'small1', 'big1'])
    await release('big1')
    expect(entered.at(-1)).toBe('mid4')
  })

  it('takes excess permits at once and releases them only once', async () => {
    const semaphore = createFairSemaphore(4)
    const { ask, entered, release } = startRequests(semaphore)
    await ask('big1')
    const releaseExcess = semaphore.acquireNow('big', 10)
    await ask('small1')
    expect(entered).toEqual(['big1'])
    releaseExcess()
    releaseExcess()
    await settle()
    expect(entered).toEqual(['big1', 'small1'])
    for (const name of ['big2', 'big3', 'big4']) await ask(name)
    expect(entered.slice(2)).toEqual(['big2', 'big3'])
    await release('big1')
    expect(entered.slice(2)).toEqual(['big2', 'big3', 'big4'])
  })

  it('serves the next in the queue when a waiting request is aborted', async () => {
    const { ask, entered } = startRequests(createFairSemaphore(8))
    const controller = new AbortController()
    await ask('big1', { size: 4 })
    await ask('big2', { size: 6, signal: controller.signal })
    await ask('big3', { size: 2 })
    expect(entered).toEqual(['big1'])
    controller.abort(new Error('gone'))
    await settle()
    expect(entered).toEqual(['big1', 'big3'])
  })

  it('never exceeds its permits and serves every request', async () => {
    const asks = fc.array(
      fc.record({ party: fc.constantFrom('a', 'b', 'c'), size: fc.integer({ min: 1, max: 12 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), asks, async (count, wanted) => {
        const semaphore = createFairSemaphore(count)
        let taken = 0
        let maxTaken = 0
        const work = wanted.map(async ({ party, size }) => {
          const release = await semaphore.acquire(party, undefined, size)
          const share = Math.min(size, count - Math.floor(count / 4))
          taken += share
          maxTaken = Math.max(maxTaken, taken)
          await Promise.resolve()
          taken -= share
          release()
        })
        await Promise.all(work)
        expect(maxTaken).toBeLessThanOrEqual(count)
      }),
    )
  })
})
