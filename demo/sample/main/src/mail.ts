// Mail to customers.
export interface Mailer {
  send(to: string, subject: string, text: string): Promise<void>
}

export async function sendReceipt(mailer: Mailer, to: string, orderId: string): Promise<void> {
  await mailer.send(to, `Your order ${orderId}`, 'Thank you for your order.')
}
