// Prepares database templates before all tests and drops them afterwards.
import { dropTemplates, prepareTemplates } from './fakes/test-database.ts'

const engines = (process.env.TEST_ENGINES ?? 'embedded').split(',')

export async function setup(): Promise<void> {
  await prepareTemplates(engines)
}

export async function teardown(): Promise<void> {
  await dropTemplates(engines)
}
