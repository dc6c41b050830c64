// Explains the SQL statements of some work with their actual parameters.
import { type CompiledQuery, Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import type { Schema } from '../src/db/schema.ts'
import { parserOf } from '../src/db/sql-values.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly PlanNode[]
}

export interface PlanSummary {
  /** Node types and relations, outermost first. */
  readonly nodes: readonly string[]
  /** Whether the plan scans a table that grows with the deliveries. */
  readonly readsAllEvents: boolean
}

/** Runs some work and explains all its statements. */
export async function explainStatements(
  url: string,
  work: (db: Kysely<Schema>) => Promise<unknown>,
) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    types: { getTypeParser: parserOf as never },
  })
  const statements: CompiledQuery[] = []
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }),
    log: ({ query }) => {
      statements.push(query)
    },
  })
  try {
    await work(db)
    const plans: PlanSummary[] = []
    for (const { sql, parameters } of statements) {
      const { rows } = await pool.query(`explain (format json) ${sql}`, parameters as unknown[])
      plans.push(summarizePlan(rows[0]['QUERY PLAN'][0].Plan))
    }
    return plans
  } finally {
    await db.destroy()
  }
}

function summarizePlan(root: PlanNode): PlanSummary {
  const nodes = flatten(root)
  return {
    nodes: nodes.map((node) => {
      const read = node['Index Name'] ?? node['Relation Name']
      return read === undefined ? node['Node Type'] : `${node['Node Type']} (${read})`
    }),
    readsAllEvents: nodes.some(
      (node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'events',
    ),
  }
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)]
}
