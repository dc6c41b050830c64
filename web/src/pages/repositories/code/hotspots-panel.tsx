// Panel with a treemap and a table of the most changed files of a directory.
import { DataTable } from '../../../components/data-table.tsx'
import { formatQuantity } from '../../../components/format-numbers.ts'
import { Panel } from '../../../components/page.tsx'
import { Skeleton } from '../../../components/page-states.tsx'
import { type CodeMap, relativePathOf } from './code-map-model.ts'
import { DirectoryLink } from './directory-breadcrumbs.tsx'
import { computeHeatThresholds, describeThresholds, heatLevelOf } from './heat-levels.ts'
import { HotspotTreemap } from './hotspot-treemap.tsx'

/** `map` is null while it loads. The panel reserves its height, to avoid layout shifts. */
export function HotspotsPanel({ map }: { map: CodeMap | null }) {
  return (
    <Panel title="Hot spots">
      <p className="mb-3 min-h-10.5 text-muted sm:min-h-5.25">
        Sized by lines of code, colored by reviewed pull requests that changed it.{' '}
        {map && describeTopHotspot(map)}
      </p>
      {map === null ? <Skeleton className="h-180 lg:h-96" /> : <Hotspots map={map} />}
    </Panel>
  )
}

function describeTopHotspot(map: CodeMap): string {
  const hottest = map.nodes.toSorted((a, b) => b.touches - a.touches).at(0)
  if (hottest === undefined || hottest.touches === 0) return 'No pull request has changed it yet.'
  const count = formatQuantity(hottest.touches, 'pull request')
  return `Most changed: ${relativePathOf(hottest, map)} (${count}).`
}

function Hotspots({ map }: { map: CodeMap }) {
  const thresholds = computeHeatThresholds(map.nodes.map(({ touches }) => touches))
  const rows = map.nodes.toSorted((a, b) => b.touches - a.touches || b.lines - a.lines)
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-[3fr_2fr]">
      <div>
        <div className="h-72 lg:h-87">
          <HotspotTreemap map={map} getHeatLevel={(touches) => heatLevelOf(touches, thresholds)} />
        </div>
        <HeatLegend thresholds={thresholds} />
      </div>
      <div className="max-h-96 overflow-y-auto rounded border border-line px-3 lg:h-96">
        <DataTable
          caption="Hot spots"
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
            { name: 'Findings', isNumber: true, render: ({ findings }) => findings },
          ]}
        />
      </div>
    </div>
  )
}

/** Classes, because the content security policy forbids inline styles. */
const heatBackgroundClasses = [
  'bg-(--heat-0)',
  'bg-(--heat-1)',
  'bg-(--heat-2)',
  'bg-(--heat-3)',
  'bg-(--heat-4)',
]

const swatchClass = 'inline-block size-3 rounded-sm border border-line'

function HeatLegend({ thresholds }: { thresholds: readonly number[] }) {
  const backgroundClassOf = (index: number) =>
    heatBackgroundClasses[heatLevelOf(thresholds[index] ?? 0, thresholds)]
  return (
    <ul
      aria-label="Color legend: pull requests"
      className="flex min-h-9 flex-wrap items-center gap-x-3 text-muted text-xs"
    >
      {describeThresholds(thresholds).map((label, index) => (
        <li key={label} className="flex items-center gap-1 whitespace-nowrap">
          <span aria-hidden="true" className={`${swatchClass} ${backgroundClassOf(index)}`} />
          {label}
        </li>
      ))}
    </ul>
  )
}
