// Serves the rules, with how often each was right in what the caller can see.
import { findScopeWithin, type Scope } from '../accounts/scope.ts'
import { countRuleOutcomes, type RuleOutcome } from '../analytics/rule-outcomes.ts'
import type { ServiceContext } from '../context.ts'
import * as contract from '../contract/rule-endpoints.ts'
import { RequestError } from '../domain/errors.ts'
import { createTtlCache } from '../lib/ttl-cache.ts'
import type { ListedRule } from '../reviewers/rules/list-rules.ts'
import type { AddRoute } from './add-route.ts'

/** The statement reads all findings in the scope. */
const countsCacheMs = 60_000
const maxCachedScopes = 100

export function addRuleRoutes(addRoute: AddRoute, { db }: ServiceContext): void {
  const getCachedCounts = createTtlCache<RuleOutcome[]>(maxCachedScopes)
  const count = (scope: Scope) => {
    const key = scope === 'all' ? scope : JSON.stringify(scope.toSorted())
    return getCachedCounts(key, async () => ({
      value: await countRuleOutcomes(db, scope),
      ttlMs: countsCacheMs,
    }))
  }

  addRoute(contract.listRules, async ({ caller, query: { repo } }) => {
    const [rules, outcomes] = await Promise.all([
      loadRules(),
      findScopeWithin(db, caller, repo).then(count),
    ])
    const byRule = new Map(outcomes.map((outcome) => [outcome.rule, outcome]))
    return { rules: rules.map((rule) => ({ ...noOutcome, ...rule, ...byRule.get(rule.id) })) }
  })

  addRoute(contract.readRuleSamples, async ({ params: { id } }) => {
    const { readSamples } = await importRules()
    const rule = (await loadRules()).find((one) => one.id === id)
    if (rule === undefined) throw new RequestError('not_found', 'There is no such rule')
    return { id, samples: await readSamples(rule) }
  })
}

const noOutcome = { reported: 0, fixed: 0, dismissed: 0, wrong: 0, open: 0, left: 0, reasons: [] }

/** The rules of all languages load on the first request, because few people look at them. */
const importRules = () => import('../reviewers/rules/list-rules.ts')

async function loadRules(): Promise<ListedRule[]> {
  const { listRules } = await importRules()
  return listRules()
}
