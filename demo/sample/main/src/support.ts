// What the support desk sees of a customer.
import type { Database } from './database.ts'
import { findOrders } from './orders.ts'

export async function countOrders(db: Database, customer: string): Promise<number> {
  const orders = await findOrders(db, customer)
  return orders.length
}
