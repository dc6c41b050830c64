// Panels with what became of findings, by rule, and why people dismissed them.
import { Link } from '@tanstack/react-router'
import { DataTable } from '../../components/data-table.tsx'
import { formatCount, formatQuantity } from '../../components/format-numbers.ts'
import { Panel } from '../../components/page.tsx'
import { BarTable, ShareBar } from './bar-table.tsx'
import { parseFindingsSearch } from './findings-search.ts'
import type { OutcomesResponse } from './insights-queries.ts'

type Rule = OutcomesResponse['rules'][number]

interface PanelProps {
  readonly outcomes: OutcomesResponse
  readonly repo: string | undefined
}

export function RulesPanel({ outcomes: { rules, period }, repo }: PanelProps) {
  return (
    <Panel title="Findings by rule">
      {rules.length === 0 ? (
        <p className="text-muted">
          No pull request with findings was merged in the last {period.days} days, and nobody
          dismissed one.
        </p>
      ) : (
        <>
          <p className="mb-2 text-muted">
            Findings of the pull requests that were merged in the last {period.days} days, and those
            dismissed in others. Consider disabling a rule whose findings are mostly dismissed as
            wrong: as false positives, or without saying more.
          </p>
          <div className="sm:max-h-96 sm:overflow-y-auto">
            <DataTable
              caption="Findings by rule"
              rows={rules}
              rowKey={nameOf}
              columns={[
                {
                  name: 'Rule',
                  render: (rule) => (
                    <Link
                      to="/insights/findings"
                      search={parseFindingsSearch({ kind: kindOf(rule), repo })}
                      className="inline-block min-w-32 text-accent underline"
                    >
                      {nameOf(rule)}
                    </Link>
                  ),
                },
                {
                  name: 'Share fixed',
                  render: ({ fixed, findings }) => (
                    <ShareBar part={fixed} total={findings} fillClass="fill-mark-good" />
                  ),
                },
                { name: 'Findings', isNumber: true, render: (rule) => formatCount(rule.findings) },
                { name: 'Fixed', isNumber: true, render: ({ fixed }) => formatCount(fixed) },
                {
                  name: 'Dismissed',
                  isNumber: true,
                  render: ({ dismissed }) => formatCount(dismissed),
                },
                { name: 'As wrong', isNumber: true, render: ({ wrong }) => formatCount(wrong) },
                { name: 'Open', isNumber: true, render: ({ open }) => formatCount(open) },
              ]}
            />
          </div>
        </>
      )}
    </Panel>
  )
}

/** Models have no rules, so their findings are grouped by category. */
const nameOf = ({ rule, category }: Pick<Rule, 'rule' | 'category'>) => rule ?? `Model: ${category}`

const kindOf = ({ rule, category }: Pick<Rule, 'rule' | 'category'>) =>
  rule === null ? `model:${category}` : `rule:${rule}`

export function MergedFindingsPanel({
  outcomes: {
    merged: { current },
    period,
  },
  repo,
}: PanelProps) {
  const search = { period: `m${period.days}`, repo }
  const link = (outcome: string, label: string) => (
    <Link
      to="/insights/findings"
      search={parseFindingsSearch({ ...search, outcome })}
      className="text-accent underline"
    >
      {label}
    </Link>
  )
  const parts = [
    ['fixed', 'Fixed', current.fixed, 'fill-mark-good'],
    ['dismissed', 'Dismissed', current.dismissed, 'fill-muted'],
    ['open,suppressed', 'Open at merge', current.open, 'fill-mark-bad'],
  ] as const
  return (
    <Panel title="Findings at merge">
      <p className="mb-2 text-muted">
        What became of {formatQuantity(current.findings, 'finding')} in{' '}
        {formatQuantity(current.reviewed, 'reviewed pull request')} of{' '}
        {formatCount(current.pull_requests)} merged.
      </p>
      <BarTable
        caption="Findings at merge"
        nameHeader="Outcome"
        countHeader="Findings"
        rows={parts.map(([outcome, name, count, fillClass]) => {
          return { name, count, fillClass, label: link(outcome, name) }
        })}
      />
    </Panel>
  )
}

export function DismissalsPanel({ outcomes: { dismissals, period } }: PanelProps) {
  const { current, by_reason: reasons } = dismissals
  return (
    <Panel title="Dismissals">
      {current === 0 ? (
        <p className="text-muted">
          Nobody dismissed a finding in the last {period.days} days. People with write access
          dismiss a finding by resolving its thread, or on the page of the review with a reason.
        </p>
      ) : (
        <div className="sm:max-h-96 sm:overflow-y-auto">
          <CountTable
            caption="Dismissals by reason"
            header="Reason"
            rows={reasons.map(({ reason, count }) => [reason || 'No reason given', count])}
          />
        </div>
      )}
    </Panel>
  )
}

function CountTable({
  caption,
  header,
  rows,
}: {
  caption: string
  header: string
  rows: readonly (readonly [string, number])[]
}) {
  return (
    <DataTable
      caption={caption}
      rows={rows}
      rowKey={([name]) => name}
      columns={[
        { name: header, render: ([name]) => <bdi>{name}</bdi> },
        { name: 'Findings', isNumber: true, render: ([, count]) => formatCount(count) },
      ]}
    />
  )
}
