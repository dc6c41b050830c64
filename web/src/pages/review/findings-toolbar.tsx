// Bar above the diff: findings by severity as filters, keys, and the layout of the diff.

import { SeverityIcon } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Key, KeyHelp } from '../../components/key-help.tsx'
import { countBySeverity } from '../../components/severities.ts'
import type { DiffViewType } from './diff/diff-types.ts'
import { useFindingNavigation } from './finding-navigation.tsx'
import { describeStates, type FindingPlaces } from './finding-places.ts'

interface FindingsToolbarProps {
  readonly places: FindingPlaces
  readonly viewType: DiffViewType
  readonly onChooseView: (viewType: DiffViewType) => void
}

const toolbarClass =
  'sticky top-0 z-10 -mx-1 mb-3 flex flex-wrap items-center gap-x-3 gap-y-2 bg-page px-1 py-2'

export function FindingsToolbar({ places, viewType, onChooseView }: FindingsToolbarProps) {
  const { inOrder, resolved } = places
  const open = inOrder.filter(({ state }) => state === 'open')
  return (
    <div className={toolbarClass}>
      <h2 className="font-semibold text-base">
        Findings: {describeStates([...inOrder, ...resolved])}
      </h2>
      <SeverityFilter findings={open} />
      <div className="ml-auto flex flex-wrap items-center gap-x-3 gap-y-2">
        {inOrder.length > 0 && (
          <span className="hidden items-center gap-1 text-muted text-xs sm:inline-flex">
            <Key name="n" /> <Key name="p" /> next and previous
          </span>
        )}
        <KeyHelp
          keys={[
            ['n', 'Go to the next finding'],
            ['p', 'Go to the previous finding'],
          ]}
        />
        <ViewTypeSwitch viewType={viewType} onChoose={onChooseView} />
      </div>
    </div>
  )
}

/** Counts the open findings of each severity, as buttons that show only these. */
function SeverityFilter({ findings }: { findings: FindingPlaces['inOrder'] }) {
  const { severity: chosen, chooseSeverity } = useFindingNavigation()
  return (
    <div className="flex flex-wrap gap-1">
      {countBySeverity(findings).map(({ severity, count }) => (
        <Button
          key={severity}
          aria-pressed={chosen === severity}
          className="px-2! aria-pressed:border-accent aria-pressed:bg-accent-soft"
          onClick={() => chooseSeverity(chosen === severity ? null : severity)}
        >
          <span aria-hidden="true" className="inline-flex">
            <SeverityIcon severity={severity} size={12} />
          </span>
          {count} {severity}
        </Button>
      ))}
    </div>
  )
}

const viewTypeClass =
  '-ml-px px-2! first:rounded-r-none last:rounded-l-none aria-pressed:bg-accent-soft ' +
  'aria-pressed:text-accent'

const viewTypes = [
  ['unified', 'Unified'],
  ['split', 'Split'],
] as const

function ViewTypeSwitch({
  viewType,
  onChoose,
}: {
  viewType: DiffViewType
  onChoose: (viewType: DiffViewType) => void
}) {
  return (
    <div className="hidden md:flex">
      {viewTypes.map(([id, name]) => (
        <Button
          key={id}
          aria-pressed={viewType === id}
          className={viewTypeClass}
          onClick={() => onChoose(id)}
        >
          {name}
        </Button>
      ))}
    </div>
  )
}
