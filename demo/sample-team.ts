// More repositories, people and pull requests for the demo, made from the samples of rules.
import { basename } from 'node:path'
import type { Forge } from '../test/fakes/forge/forge.ts'
import { decodeSample, readRuleSamples } from '../test/rule-samples.ts'
import { people, reviewer, type SampleChange } from './sample-shop.ts'

interface TeamRepository {
  readonly name: string
  readonly description: string
  /** Which samples its pull requests add. */
  readonly extension: string
  readonly titles: readonly string[]
}

const repositories: readonly TeamRepository[] = [
  {
    name: 'acme/web-app',
    description: 'The page that customers see',
    extension: '.ts',
    titles: [
      'Remember the last search of a customer',
      'Show delivery times in the zone of the visitor',
      'Export the order history as CSV',
      'Load reviews of products when they come into view',
      'Let customers sign in with a link from an e-mail',
      'Move the checkout to the new payment form',
      'Show how many are left in stock',
      'Warn before an unfinished order is left',
      'Rewrite the basket as a store with undo',
    ],
  },
  {
    name: 'acme/catalog',
    description: 'Products, prices and search',
    extension: '.py',
    titles: [
      'Import prices of suppliers every night',
      'Cache the search of products for a minute',
      'Read product pictures from the archive',
      'Retry imports that a supplier interrupted',
      'Store prices as decimals',
      'Report products without a category',
      'Drop support for the old import format',
      'Add a command that rebuilds the search index',
    ],
  },
  {
    name: 'acme/shipping',
    description: 'Parcels, labels and tracking',
    extension: '.go',
    titles: [
      'Ask carriers for rates in parallel',
      'Print labels in batches of fifty',
      'Keep the position of parcels in the cache',
      'Close connections to carriers that do not answer',
      'Notify customers when a parcel is late',
      'Read carrier credentials from the vault',
      'Split parcels that are too heavy',
      'Add an endpoint for customs papers',
    ],
  },
]

/** How many findings the pull requests of a repository have, in this order. */
const sizes = [5, 0, 8, 3, 6, 11, 1, 7, 43]

/** What happens after the reviews of a repository, in this order. */
const courses: readonly Pick<SampleChange, 'dismissal' | 'draft' | 'merge'>[] = [
  { merge: true },
  { merge: true },
  { dismissal: { kind: 'false_positive', reason: 'The caller checks this before' } },
  {},
  { dismissal: { kind: 'accepted', reason: 'Good enough until the rewrite' }, merge: true },
  { merge: true },
  { draft: true },
  { merge: true },
  {},
]

/** Creates the repositories with their main branches. */
export async function createTeamRepositories(forge: Forge): Promise<string[]> {
  for (const { name, description } of repositories) {
    await forge.createRepository(name, { admins: [reviewer], writers: people, description })
    const settings = { '.umpire.yml': 'reviews:\n  drafts: skip\n' }
    const files = { 'README.md': `# ${name}\n\n${description}.\n`, ...settings }
    await forge.push(name, 'main', files, { author: 'dave', message: 'Start the repository' })
  }
  return repositories.map(({ name }) => name)
}

/** The pull requests of these repositories, oldest first; the last one has 43 findings. */
export function createTeamChanges(): SampleChange[] {
  const changes = repositories.map(createChanges)
  return Array.from({ length: sizes.length }, (_, index) => changes.map((list) => list[index]))
    .flat()
    .filter((change) => change !== undefined)
}

function createChanges({ name, extension, titles }: TeamRepository): SampleChange[] {
  const samples = readReportedSamples(extension)
  return titles.map((title, index) => {
    const files: Record<string, string> = { [`docs/${index + 1}.md`]: `# ${title}\n` }
    const folder = title.split(' ').at(-1)!.toLowerCase()
    let missing = sizes[index]!
    while (missing > 0) {
      const next = samples.findIndex(({ findings }) => findings <= missing)
      const [sample] = samples.splice(next, next === -1 ? 0 : 1)
      if (sample === undefined) break
      missing -= sample.findings
      files[`src/${folder}/${Object.keys(files).length}-${sample.name}`] = sample.code
    }
    const course = courses[index]
    const isFixed = course?.merge === true && course.dismissal === undefined && sizes[index]! > 0
    const fix = isFixed && {
      fix: { message: 'Fix what the review found', files: removeMost(files) },
    }
    const branch = `change-${index + 1}`
    const author = people[(index + name.length) % people.length]!
    return { repo: name, branch, author, title, files, ...fix, ...course }
  })
}

/** Leaves every sixth file, so that some findings stay. */
function removeMost(files: Readonly<Record<string, string>>): Record<string, null> {
  const paths = Object.keys(files).filter((path) => path.startsWith('src/'))
  return Object.fromEntries(paths.filter((_, at) => at % 6 !== 5).map((path) => [path, null]))
}

function readReportedSamples(extension: string) {
  const found = readRuleSamples()
    .filter(({ file }) => file.endsWith(extension) && !/test|spec/.test(file))
    .flatMap(({ file, reported }) =>
      reported.map((sample, index) => ({
        name: basename(file),
        findings: sample.split(' ◀').length - 1,
        code: decodeSample(sample).replaceAll(' ◀', ''),
        index,
      })),
    )
  // The first sample of each rule comes first, so that pull requests have various findings.
  return found.sort((left, right) => left.index - right.index)
}
