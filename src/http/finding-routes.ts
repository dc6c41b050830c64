// Lists and exports findings.
import { Readable } from 'node:stream'
import type { z } from 'zod'
import { findScope, findScopeWithin } from '../accounts/scope.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/finding-endpoints.ts'
import { compileSerializer } from '../contract/records.ts'
import type { Db } from '../db/database.ts'
import { countFindings } from '../events/count-findings.ts'
import { type FindingEntry, type FindingQuery, listFindings } from '../events/list-findings.ts'
import type { AddRoute } from './add-route.ts'
import { formatCsvLine } from './format-csv.ts'
import { fetchLimit, slicePage } from './slice-page.ts'

/** An export reads this many findings at once. */
const exportPageSize = 1000

export function addFindingRoutes(addRoute: AddRoute, { db }: ServiceContext): void {
  addRoute(contract.listFindings, async ({ caller, query: { repo, limit, before, ...rest } }) => {
    const scope = await findScopeWithin(db, caller, repo)
    const query = { ...toQuery(rest), scope, before, limit: fetchLimit(limit) }
    const { entries, next } = slicePage(await listFindings(db, query), limit)
    return { findings: entries, next }
  })

  addRoute(contract.countFindings, async ({ caller, query: { repo, ...rest } }) => {
    const [scope, chosen] = [await findScope(db, caller), await findScopeWithin(db, caller, repo)]
    return countFindings(db, { scope, chosen }, toQuery(rest))
  })

  addRoute(
    contract.exportFindings,
    async ({ caller, query: { repo, format, ...rest } }, reply) => {
      const scope = await findScopeWithin(db, caller, repo)
      const pages = readPages(db, { ...toQuery(rest), scope })
      const day = new Date().toISOString().slice(0, 10)
      return reply
        .header('content-disposition', `attachment; filename="findings-${day}.${format}"`)
        .type(format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/json')
        .send(Readable.from(format === 'csv' ? writeCsv(pages) : writeJson(pages)))
    },
    { exposeHeadRoute: false },
  )
}

type Filter = Omit<z.output<typeof contract.countFindings.query>, 'repo'>

function toQuery<Query extends Filter>({ outcome, merged_days: mergedDays, ...filter }: Query) {
  return { ...filter, outcomes: outcome?.split(',') as FindingQuery['outcomes'], mergedDays }
}

/** Each page is a statement of its own, so that a slow reader holds nothing in the database. */
async function* readPages(
  db: Db,
  query: Omit<FindingQuery, 'limit' | 'before'>,
): AsyncGenerator<readonly FindingEntry[]> {
  for (let before: number | undefined; ; ) {
    const page = await listFindings(db, { ...query, before, limit: exportPageSize })
    yield page
    if (page.length < exportPageSize) return
    before = page.at(-1)!.id
  }
}

const fields = Object.keys(contract.findingEntry.shape)
const serialize = compileSerializer(contract.findingEntry)

async function* writeCsv(pages: AsyncIterable<readonly FindingEntry[]>): AsyncGenerator<string> {
  yield formatCsvLine(fields)
  for await (const page of pages) {
    const lines = page.map((entry) => formatCsvLine(inOrder(serialize(entry))))
    if (lines.length > 0) yield lines.join('')
  }
}

function inOrder(body: ReturnType<typeof serialize>) {
  return fields.map((field) => body[field as keyof typeof body])
}

async function* writeJson(pages: AsyncIterable<readonly FindingEntry[]>): AsyncGenerator<string> {
  let separator = '['
  for await (const page of pages) {
    for (const entry of page) {
      yield `${separator}\n${JSON.stringify(serialize(entry))}`
      separator = ','
    }
  }
  yield separator === '[' ? '[]\n' : '\n]\n'
}
