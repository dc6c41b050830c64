// Where the work is: a treemap of what is below the directory, and its numbers in a table.
import { FigureTable } from '../../../components/figure-table.tsx'
import { Panel } from '../../../components/page.tsx'
import { Skeleton } from '../../../components/states.tsx'
import { type CodeMap, formatCount, nameOf } from './code-map.ts'
import { chooseSteps, describeSteps, warmthOf } from './heat.ts'
import { HotMap } from './hot-map.tsx'
import { PathLink } from './place.tsx'

/** `map` is null while it is on its way: the panel has its size from the beginning. */
export function HotSpots({ map }: { map: CodeMap | null }) {
  return (
    <Panel title="Hot spots">
      <p className="mb-3 min-h-10.5 text-muted sm:min-h-5.25">
        As large as its lines, as warm as the number of reviewed pull requests that touched it.{' '}
        {map && describeHottest(map)}
      </p>
      {map === null ? <Skeleton className="h-180 lg:h-96" /> : <Figures map={map} />}
    </Panel>
  )
}

function describeHottest(map: CodeMap): string {
  const hottest = map.nodes.toSorted((one, other) => other.touches - one.touches).at(0)
  if (hottest === undefined || hottest.touches === 0) return 'None has touched any of it yet.'
  return `Most touched ${nameOf(hottest, map)}: ${formatCount(hottest.touches, 'pull request')}.`
}

function Figures({ map }: { map: CodeMap }) {
  const steps = chooseSteps(map.nodes.map(({ touches }) => touches))
  const rows = map.nodes.toSorted(
    (one, other) => other.touches - one.touches || other.lines - one.lines,
  )
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-[3fr_2fr]">
      <div>
        <div className="h-72 lg:h-87">
          <HotMap map={map} warmthOf={(touches) => warmthOf(touches, steps)} />
        </div>
        <Legend steps={steps} />
      </div>
      <div className="max-h-96 overflow-y-auto rounded border border-line px-3 lg:h-96">
        <FigureTable
          caption="Hot spots in figures"
          rows={rows}
          keyOf={({ path }) => path}
          columns={[
            {
              name: 'Path',
              draw: (node) =>
                node.kind === 'directory' ? (
                  <PathLink path={node.path}>{nameOf(node, map)}/</PathLink>
                ) : (
                  nameOf(node, map)
                ),
            },
            { name: 'Lines', isNumber: true, draw: ({ lines }) => lines.toLocaleString('en') },
            { name: 'Pull requests', isNumber: true, draw: ({ touches }) => touches },
            { name: 'At risk', isNumber: true, draw: ({ high_risk: risks }) => risks },
          ]}
        />
      </div>
    </div>
  )
}

/** As classes: the page has no styles in its elements. */
const grounds = [
  'bg-(--heat-0)',
  'bg-(--heat-1)',
  'bg-(--heat-2)',
  'bg-(--heat-3)',
  'bg-(--heat-4)',
]

function Legend({ steps }: { steps: readonly number[] }) {
  return (
    <ul
      aria-label="Pull requests by colour"
      className="flex min-h-9 flex-wrap items-center gap-x-3 text-muted text-xs"
    >
      {describeSteps(steps).map((words, index) => (
        <li key={words} className="flex items-center gap-1 whitespace-nowrap">
          <span
            aria-hidden="true"
            className={`inline-block size-3 rounded-sm border border-line ${grounds[warmthOf(steps[index] ?? 0, steps)]}`}
          />
          {words}
        </li>
      ))}
    </ul>
  )
}
