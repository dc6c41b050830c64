// An order is placed where the stock holds enough, and confirmed by mail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeOrder } from '../src/orders.ts'

const order = { id: '7', customer: 'ann', email: 'ann@example.com', article: 'cup', count: 2 }

test('a placed order is confirmed by mail', async () => {
  const sent: string[] = []
  const db = { query: async () => [{ article: 'cup' }] }
  await placeOrder(db, { send: async (to) => void sent.push(to) }, order)
  assert.deepEqual(sent, ['ann@example.com'])
})
