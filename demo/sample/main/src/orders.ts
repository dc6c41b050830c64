// Orders: placing them and finding them again.
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

export async function findOrders(db: Database, customer: string): Promise<Row[]> {
  return db.query('select * from orders where customer = $1', [customer])
}
