// The people of the sample repository and their pull requests.
import type { Forge } from '../test/fakes/forge/forge.ts'
import { readSample } from './read-sample.ts'

export const repo = 'acme/shop'
/** Nobody connected it. */
const otherRepo = 'acme/website'
export const reviewer = 'umpire-bot'
export const people = ['alice', 'bob', 'carol', 'dave']

const main = readSample('main')
const topic = readSample('topic')

export interface SampleChange {
  /** `repo` unless given. */
  readonly repo?: string
  readonly branch: string
  readonly author: string
  readonly title: string
  readonly body: string
  readonly files: Readonly<Record<string, string>>
  /** What the author pushes after the review. */
  readonly fix?: {
    readonly message: string
    /** Null removes a file. */
    readonly files: Readonly<Record<string, string | null>>
  }
  /** How `reviewer` dismisses the worst open finding, after the fix. */
  readonly dismissal?: { readonly kind: string; readonly reason: string }
  readonly draft?: boolean
  /** Whether the author merges it after the last review. */
  readonly merge?: boolean
}

/** Oldest first. The last one has the most findings. */
export const sampleChanges: readonly SampleChange[] = [
  {
    branch: 'thanks',
    author: 'bob',
    title: 'Thank customers in the subject of the receipt',
    body: 'The old subject looked like a warning about the order.',
    files: change('src/mail.ts', '`Your order', '`Thank you for order'),
    merge: true,
  },
  {
    branch: 'stock-of-none',
    author: 'carol',
    title: 'Refuse to take none or less out of the stock',
    body: 'A negative count filled the stock instead of failing.',
    files: change(
      'src/stock.ts',
      'Promise<boolean> {\n',
      'Promise<boolean> {\n  if (count < 1) return false\n',
    ),
    merge: true,
  },
  {
    branch: 'pay',
    author: 'bob',
    title: 'Take the money for orders',
    body: 'Charges the card of the customer by the API of our payment provider.',
    files: { 'src/payments.ts': topic['src/payments.ts']! },
    fix: {
      message: 'Wait for the payment, report errors, and keep the key out of the code',
      files: { 'src/payments.ts': fixPayments(topic['src/payments.ts']!) },
    },
    dismissal: { kind: 'handled', reason: 'The key was revoked' },
    merge: true,
  },
  {
    branch: 'answers',
    author: 'carol',
    title: 'Let customers answer the receipt',
    body: 'Not before the support team reads that mailbox.',
    files: change('src/mail.ts', "for your order.'", "for your order. Just answer this mail.'"),
    draft: true,
  },
  {
    branch: 'cancel-and-import',
    author: 'alice',
    title: 'Cancel orders, and import several at once',
    body: 'The staff can cancel orders. The import places all orders that a warehouse has sent.',
    files: { 'src/orders.ts': topic['src/orders.ts']! },
  },
]

function change(path: string, from: string, to: string): Record<string, string> {
  return { [path]: main[path]!.replace(from, to) }
}

function fixPayments(source: string): string {
  return source
    .replace(/^const providerKey = .*$/m, "const providerKey = process.env.PROVIDER_KEY ?? ''")
    .replace(/ {2}try \{\n {4}(charge\(.*\))\n {2}\} catch \{\}/, '  await $1')
}

/** Creates the people, the repository with its main branch, and one that nobody connected. */
export async function createShop(forge: Forge, token: string): Promise<void> {
  for (const login of people) forge.createUser(login)
  forge.createUser(reviewer, { token })
  // Creating the webhook requires admin access. Reviews alone need only write access.
  await forge.createRepository(repo, {
    admins: [reviewer],
    writers: people,
    description: 'A small shop',
  })
  const settings = { '.umpire.yml': 'reviews:\n  drafts: skip\n' }
  const files = { ...main, ...settings }
  await forge.push(repo, 'main', files, { author: 'alice', message: 'Start the shop' })
  await forge.createRepository(otherRepo, {
    admins: [reviewer],
    description: 'Pages about the company',
  })
  const page = { 'index.html': '<!doctype html>\n<title>The shop</title>\n' }
  await forge.push(otherRepo, 'main', page, { author: 'bob', message: 'Start the website' })
}

/** Pushes a change and opens its pull request, whose number is returned. */
export async function openChange(forge: Forge, change: SampleChange): Promise<number> {
  const { repo: name = repo, branch: head, author, title, body, files, draft = false } = change
  await forge.push(name, head, files, { author, message: title })
  return forge.openPullRequest({ repo: name, head, author, title, body, draft })
}
