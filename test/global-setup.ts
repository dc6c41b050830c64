// Before all tests: the database templates of the engines of this run; after them: away with what is not kept.
import { dropTemplates, prepareTemplates } from './fakes/test-database.ts'

const engines = (process.env.TEST_ENGINES ?? 'embedded').split(',')

export async function setup(): Promise<void> {
  await prepareTemplates(engines)
}

export async function teardown(): Promise<void> {
  await dropTemplates(engines)
}
