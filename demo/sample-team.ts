// More repositories, people and pull requests for the demo, made from the planted bugs of bench/.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readPlantedBugs } from '../bench/planted-cases.ts'
import type { Forge } from '../test/fakes/forge/forge.ts'
import { people, reviewer, type SampleChange } from './sample-shop.ts'

const repositories = {
  'acme/web-app': 'The site that customers see, and its API',
  'acme/catalog': 'Products, prices and promotions',
  'acme/shipping': 'Carriers, parcels and tracking',
}

interface TeamChange extends Omit<SampleChange, 'author' | 'files' | 'fix' | 'repo'> {
  readonly repo: keyof typeof repositories
  /** How the paths of its files end. */
  readonly files: string
  /** Companies that it adds a client for. */
  readonly clients?: readonly string[]
  /** How many of its files have no bug: all that are pushed first, or those that a fix corrects. */
  readonly correct?: 'all' | number
}

/** Oldest first; the last one has more than 40 findings. */
const teamChanges: readonly TeamChange[] = [
  {
    repo: 'acme/web-app',
    branch: 'receipts-by-email',
    title: 'Send receipts by email',
    body: 'Customers get a receipt when an order is paid. The newsletter uses the same server.',
    files: 'mailer.ts NewsletterBuilder.php PlaceholderExpander.php',
    correct: 2,
    merge: true,
  },
  {
    repo: 'acme/shipping',
    branch: 'geocoder',
    title: 'Look up addresses with the new geocoder',
    body: 'The old geocoder is switched off in January. Bounding boxes use the new one, too.',
    files: 'geocoder.rs geocoder.go bbox.go map/bounds.rs',
    correct: 2,
    merge: true,
  },
  {
    repo: 'acme/web-app',
    branch: 'contact-search',
    title: 'Import contacts from the CRM, and search them',
    body: 'The support team searches contacts by name and company. A job imports them every hour.',
    files: 'contacts.repository.ts crmImporter.ts listDocuments.ts mailboxReader.ts crm/client.rb',
    correct: 3,
    merge: true,
  },
  {
    repo: 'acme/catalog',
    branch: 'redeem-once',
    title: 'Redeem coupons and gift cards only once',
    body: 'Some customers used a coupon twice by sending the form from two tabs.',
    files:
      'promotions/coupons.py gift_card_redeemer.rb discount.rb wallet_transfer.rb PointsLedger.php',
  },
  {
    repo: 'acme/shipping',
    branch: 'late-parcels',
    title: 'Notify customers when a parcel is late',
    body: 'Sends a text message and a push notification when a parcel is a day late.',
    files: 'sms/client.go push/batch.go poller.go reconnect.rs',
    correct: 3,
    merge: true,
  },
  {
    repo: 'acme/web-app',
    branch: 'seat-holds',
    title: 'Hold seats during checkout',
    body: 'A seat is held for ten minutes while its buyer enters an address and a promo code.',
    files: 'holdSeat.ts mapCheckout.ts claimPromo.ts CouponService.php AddressComparer.php',
    correct: 4,
    merge: true,
  },
  {
    repo: 'acme/catalog',
    branch: 'supplier-documents',
    title: 'Read invoices and labels of suppliers',
    body: 'Extracts the text of PDF invoices, and prints the labels of what has arrived.',
    files: 'extract.py zebra.py invoice_pdf.rb manifest_upload.rb part_search.py',
    correct: 2,
    dismissal: { kind: 'accepted', reason: 'The job ends after each file and closes everything' },
    merge: true,
  },
  {
    repo: 'acme/shipping',
    branch: 'quotas',
    title: 'Meter usage and enforce quotas',
    body: 'Partners may send 1,000 requests per minute. What they use is written to the ledger.',
    files: 'limiter.go metering/flush.go ledger/posting.go sequence.rs RedisLock.php cancel.go',
  },
  {
    repo: 'acme/web-app',
    branch: 'video-thumbnails',
    title: 'Show thumbnails of product videos',
    body: 'Renders a thumbnail after the upload. Attachments keep their route.',
    files: 'thumbnails.ts attachments.ts',
    correct: 'all',
  },
  {
    repo: 'acme/catalog',
    branch: 'drain-mail-queue',
    title: 'Drain the mail queue before a deployment',
    body: 'Deployments no longer lose the messages that are waiting in memory.',
    files: 'drain.py invites.py',
    correct: 'all',
    merge: true,
  },
  {
    repo: 'acme/web-app',
    branch: 'language-menu',
    title: 'Let visitors choose their language',
    body: 'The menu still needs its translations.',
    files: 'LocaleController.php PreferenceCookie.php',
    draft: true,
  },
  {
    repo: 'acme/catalog',
    branch: 'picture-proxy',
    title: 'Load product pictures through a proxy',
    body: 'Suppliers no longer see the addresses of our visitors. Resizing is not finished.',
    files: 'image_proxy.py avatars.py',
    draft: true,
  },
  {
    repo: 'acme/shipping',
    branch: 'enroll-scanners',
    title: 'Enroll handheld scanners by key file',
    body: 'A scanner gets its own key when it is enrolled, so that one can be revoked alone.',
    files: 'keyfile.go identity.rs auth/token.rs',
    draft: true,
  },
  {
    repo: 'acme/web-app',
    branch: 'sign-in-links',
    title: 'Sign in with a link from an email',
    body: 'A link is valid for 15 minutes and opens the page that the visitor came from.',
    files: 'sessionStore.ts callback.ts ResetTokenIssuer.php ConfirmEmailHandler.php',
    correct: 3,
    dismissal: {
      kind: 'false_positive',
      reason: 'The state is signed, so that visitors cannot change it',
    },
    merge: true,
  },
  {
    repo: 'acme/catalog',
    branch: 'nightly-price-import',
    title: 'Import supplier prices every night',
    body: 'Adds clients of our seven largest suppliers, and a job that runs them at 02:00.',
    files: 'price_import.py sync_inventory_job.rb article_normalizer.rb partnerFeed.ts',
    clients: [
      'Northwind',
      'Fjordline',
      'Ridgeway',
      'Ironbark',
      'Baltic',
      'Harborside',
      'Pinecrest',
    ],
  },
  {
    repo: 'acme/catalog',
    branch: 'usage-windows',
    title: 'Show the usage of rented devices',
    body: 'Devices report once per minute. The portal shows the last 24 hours of each.',
    files: 'heartbeat.py windows.py oauth_cache.py portal/main.py pipelines/views.py billing/db.py',
  },
  {
    repo: 'acme/shipping',
    branch: 'graceful-shutdown',
    title: 'Stop workers without losing parcels',
    body: 'Workers finish what they have begun, and release their scratch space.',
    files: 'shutdown.rs scratch.rs config/merge.rs smoothing.rs dispatch.rs cmd/gateway/server.go',
    merge: true,
  },
  {
    repo: 'acme/web-app',
    branch: 'cancel-shipments',
    title: 'Cancel shipments until they are packed',
    body: 'Customers can cancel by themselves. Reserved stock goes back to its warehouse.',
    files: 'cancelShipment.ts packOrder.ts rebalance.ts carrierClient.ts ShipmentRepository.php',
    correct: 4,
    dismissal: { kind: 'accepted', reason: 'The carrier renews its certificate in December' },
    merge: true,
  },
  {
    repo: 'acme/catalog',
    branch: 'booking-windows',
    title: 'Open bookings at the time of the venue',
    body: 'Venues abroad opened their bookings hours too early or too late.',
    files: 'booking_window.rb ticket_allocator.rb shift.rb upload_policy.rb batcher.rb',
    correct: 4,
    dismissal: { kind: 'handled', reason: 'The database refuses a second ticket for a seat' },
    merge: true,
  },
  {
    repo: 'acme/shipping',
    branch: 'archive-projects',
    title: 'Archive the parcels of a finished project',
    body: 'Reports and labels of a project go into one archive that its owner can download.',
    files:
      'archive/handler.go projects/archive.go reports/files.go pack.rs assets.rs audit/store.go ' +
      'ManualController.php DocumentVault.php',
  },
  {
    repo: 'acme/shipping',
    branch: 'carrier-clients',
    title: 'Compare the rates of five more carriers',
    body: 'Each carrier has a client of its own, because their APIs have little in common.',
    files: 'tariff/evaluate.go night_rate.rs pricing/quote.rs vat_lookup.rb',
    clients: ['Swiftpost', 'Bluevan', 'Cargolink', 'Nordpak', 'Parcelway'],
  },
  {
    repo: 'acme/web-app',
    branch: 'store-calendar',
    title: 'Show opening hours and daily sales of stores',
    body: 'Managers see the sales of a day by the clock of their store, next to a calendar.',
    files: 'dailySales.ts MonthGrid.php SlotFinder.php bookings.controller.ts SlugRouter.php',
  },
  {
    repo: 'acme/catalog',
    branch: 'partner-storage',
    title: 'Store the files of partners in our own bucket',
    body: 'Uploads, exports and themes no longer depend on the disk of one machine.',
    files: 'storage.rb exports_app.rb themes/importer.py carts_controller.rb member_search.rb',
    correct: 1,
    merge: true,
  },
  {
    repo: 'acme/shipping',
    branch: 'dashboard',
    title: 'Load the parts of the dashboard in parallel',
    body: 'The dashboard opens in the time of its slowest part, not in the sum of all.',
    files: 'dashboard/load.go profiles/service.go slots.go',
    correct: 'all',
  },
  {
    repo: 'acme/shipping',
    branch: 'import-partner-services',
    title: 'Import the services of the partners that joined us',
    body: 'Copies their code as it is. Each service gets an owner before anything is deployed.',
    files:
      '.cs .kt CourierClient.java MemberReportRepository.java ScanConverter.java ' +
      'EvidenceController.java',
  },
]

/** Creates the repositories with their main branches. */
export async function createTeamRepositories(forge: Forge): Promise<string[]> {
  for (const [name, description] of Object.entries(repositories)) {
    await forge.createRepository(name, { admins: [reviewer], writers: people, description })
    // The files of the pull requests import modules that nobody wrote.
    const settings = {
      '.umpire.yml': 'reviews:\n  drafts: skip\nrules:\n  disable: broken-import\n',
    }
    const files = { 'README.md': `# ${name}\n\n${description}.\n`, ...settings }
    await forge.push(name, 'main', files, { author: 'dave', message: 'Start the repository' })
  }
  return Object.keys(repositories)
}

/** The pull requests of these repositories, oldest first. */
export function createTeamChanges(): SampleChange[] {
  const bugs = readPlantedBugs(fileURLToPath(new URL('../bench/planted', import.meta.url)))
  return teamChanges.map(({ files: names, clients = [], correct = 0, ...change }) => {
    const planted = bugs.filter(({ path }) => names.split(' ').some((name) => path.endsWith(name)))
    const listFiles = (version: 'buggy' | 'clean', count: number) =>
      Object.fromEntries(planted.slice(0, count).map((bug) => [bug.path, bug[version].text]))
    const author = people[change.branch.length % people.length]!
    if (correct === 'all') return { ...change, author, files: listFiles('clean', planted.length) }
    const files = { ...listFiles('buggy', planted.length), ...createClients(change.repo, clients) }
    const fix = { message: 'Fix what the review found', files: listFiles('clean', correct) }
    return { ...change, author, files, ...(correct > 0 && { fix }) }
  })
}

function createClients(repo: string, companies: readonly string[]): Record<string, string> {
  const name = repo === 'acme/catalog' ? 'supplier.py' : 'carrier.go'
  const template = readFileSync(new URL(`sample/${name}`, import.meta.url), 'utf8')
  return Object.fromEntries(
    companies.map((company) => {
      const host = company.toLowerCase()
      const path = name.endsWith('.py') ? `suppliers/${host}.py` : `internal/${host}/client.go`
      return [path, template.replaceAll(/SUPPLIER|CARRIER/g, company).replaceAll('HOST', host)]
    }),
  )
}
