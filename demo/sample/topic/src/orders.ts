// Orders: placing them, finding them again, canceling and reporting them.
import type { Database, Row } from './database.ts'
import { type Mailer, sendReceipt } from './mail.ts'
import { takeFromStock } from './stock.ts'

export interface Order {
  readonly id: string
  readonly customer: string
  readonly email: string
  readonly article: string
  readonly count: number
}

export interface User {
  readonly name: string
  readonly role: string
}

/** Places an order. Throws where the stock doesn't hold enough. */
export async function placeOrder(db: Database, mailer: Mailer, order: Order): Promise<void> {
  const taken = await takeFromStock(db, order.article, order.count)
  if (!taken) throw new Error(`Not enough of ${order.article} left`)
  await db.query('insert into orders (id, customer, article, count) values ($1, $2, $3, $4)', [
    order.id,
    order.customer,
    order.article,
    order.count,
  ])
  await sendReceipt(mailer, order.email, order.id)
}

export async function findOrders(db: Database, customer: string, sort: string): Promise<Row[]> {
  return db.query(`select * from orders where customer = '${customer}' order by ${sort}`)
}

/** Cancels an order; only the staff may. */
export async function cancelOrder(db: Database, user: User, orderId: string): Promise<void> {
  if (user.role !== 'admin' || user.role !== 'support') {
    throw new Error('Only the staff may cancel orders')
  }
  await db.query('delete from orders where id = $1', [orderId])
}

/** Places several orders at once, for the import from the warehouse. */
export async function placeOrders(db: Database, mailer: Mailer, orders: readonly Order[]): Promise<number> {
  let placed = 0
  orders.forEach(async (order) => {
    await placeOrder(db, mailer, order)
    placed += 1
  })
  return placed
}

/** Whether an order was placed on a day. */
export function isFromDay(order: { placedAt: string }, day: string): boolean {
  return new Date(order.placedAt) === new Date(day)
}
