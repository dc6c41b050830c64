// Where the work is: a treemap of what is below the directory, and its numbers in a table.
import { DataTable } from '../../../components/data-table.tsx'
import { Panel } from '../../../components/page.tsx'
import { Skeleton } from '../../../components/page-states.tsx'
import { type CodeMap, formatQuantity, relativePathOf } from './code-map-model.ts'
import { DirectoryLink } from './directory-breadcrumbs.tsx'
import { computeHeatThresholds, describeThresholds, heatLevelOf } from './heat-levels.ts'
import { HotspotTreemap } from './hotspot-treemap.tsx'

/** `map` is null while it is on its way: the panel has its size from the beginning. */
export function HotspotsPanel({ map }: { map: CodeMap | null }) {
  return (
    <Panel title="Hot spots">
      <p className="mb-3 min-h-10.5 text-muted sm:min-h-5.25">
        As large as its lines, as warm as the number of reviewed pull requests that touched it.{' '}
        {map && describeTopHotspot(map)}
      </p>
      {map === null ? <Skeleton className="h-180 lg:h-96" /> : <Hotspots map={map} />}
    </Panel>
  )
}

function describeTopHotspot(map: CodeMap): string {
  const hottest = map.nodes.toSorted((one, other) => other.touches - one.touches).at(0)
  if (hottest === undefined || hottest.touches === 0) return 'None has touched any of it yet.'
  return `Most touched ${relativePathOf(hottest, map)}: ${formatQuantity(hottest.touches, 'pull request')}.`
}

function Hotspots({ map }: { map: CodeMap }) {
  const steps = computeHeatThresholds(map.nodes.map(({ touches }) => touches))
  const rows = map.nodes.toSorted(
    (one, other) => other.touches - one.touches || other.lines - one.lines,
  )
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-[3fr_2fr]">
      <div>
        <div className="h-72 lg:h-87">
          <HotspotTreemap map={map} getHeatLevel={(touches) => heatLevelOf(touches, steps)} />
        </div>
        <HeatLegend steps={steps} />
      </div>
      <div className="max-h-96 overflow-y-auto rounded border border-line px-3 lg:h-96">
        <DataTable
          caption="Hot spots in figures"
          rows={rows}
          rowKey={({ path }) => path}
          columns={[
            {
              name: 'Path',
              render: (node) =>
                node.kind === 'directory' ? (
                  <DirectoryLink path={node.path}>{relativePathOf(node, map)}/</DirectoryLink>
                ) : (
                  relativePathOf(node, map)
                ),
            },
            { name: 'Lines', isNumber: true, render: ({ lines }) => lines.toLocaleString('en') },
            { name: 'Pull requests', isNumber: true, render: ({ touches }) => touches },
            { name: 'At risk', isNumber: true, render: ({ high_risk: risks }) => risks },
          ]}
        />
      </div>
    </div>
  )
}

/** As classes: the page has no styles in its elements. */
const heatBackgroundClasses = [
  'bg-(--heat-0)',
  'bg-(--heat-1)',
  'bg-(--heat-2)',
  'bg-(--heat-3)',
  'bg-(--heat-4)',
]

function HeatLegend({ steps }: { steps: readonly number[] }) {
  return (
    <ul
      aria-label="Pull requests by colour"
      className="flex min-h-9 flex-wrap items-center gap-x-3 text-muted text-xs"
    >
      {describeThresholds(steps).map((words, index) => (
        <li key={words} className="flex items-center gap-1 whitespace-nowrap">
          <span
            aria-hidden="true"
            className={`inline-block size-3 rounded-sm border border-line ${heatBackgroundClasses[heatLevelOf(steps[index] ?? 0, steps)]}`}
          />
          {words}
        </li>
      ))}
    </ul>
  )
}
