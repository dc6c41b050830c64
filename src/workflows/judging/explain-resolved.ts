// Finds out why findings are resolved, because not all of them were fixed.
import type { Change } from '../../domain/change.ts'
import type { Finding, FindingResolution } from '../../domain/finding.ts'
import { settingsAt } from '../../domain/repository-settings.ts'

/**
 * Returns the resolved findings with the reason.
 *
 * A finding is identified by its code, so an edit that doesn't fix it resolves it, and another
 * finding is opened. These are paired: each new finding replaces the nearest resolved one of its
 * kind in its file.
 *
 * @param resolved findings that were open or dismissed before
 * @param opened findings that this review reported, and that weren't open before
 */
export function explainResolved(
  { earlier, settings }: Pick<Change, 'earlier' | 'settings'>,
  resolved: readonly Finding[],
  opened: readonly Finding[],
): Finding[] {
  const dismissed = new Set(
    earlier.findings
      .filter(({ state }) => state === 'dismissed')
      .map(({ fingerprint }) => fingerprint),
  )
  const isDisabled = ({ rule, path }: Finding) =>
    rule !== null && settingsAt(settings, path).disabledRules.includes(rule)
  const replaced = pairByKind(
    resolved.filter((finding) => !dismissed.has(finding.fingerprint)),
    opened,
  )
  const explain = (finding: Finding): FindingResolution => {
    if (dismissed.has(finding.fingerprint)) return 'dismissed'
    if (isDisabled(finding)) return 'withdrawn'
    return replaced.has(finding) ? 'replaced' : 'fixed'
  }
  return resolved.map((finding) => ({ ...finding, resolution: explain(finding) }))
}

/** Returns the resolved findings that new ones replace. */
function pairByKind(
  resolved: readonly Finding[],
  opened: readonly Finding[],
): ReadonlySet<Finding> {
  const pairs = opened
    .flatMap((next) =>
      resolved
        .filter((finding) => isSameKind(finding, next))
        .map((finding) => ({ finding, next, distance: measureDistance(finding, next) })),
    )
    .sort((a, b) => a.distance - b.distance)
  const replaced = new Set<Finding>()
  const used = new Set<Finding>()
  for (const { finding, next } of pairs) {
    if (replaced.has(finding) || used.has(next)) continue
    replaced.add(finding)
    used.add(next)
  }
  return replaced
}

/** Models have no rules, and their categories are all that two of their findings share. */
function isSameKind(a: Finding, b: Finding): boolean {
  return a.path === b.path && a.rule === b.rule && (a.rule !== null || a.category === b.category)
}

const measureDistance = (a: Finding, b: Finding) => Math.abs(a.startLine - b.startLine)
