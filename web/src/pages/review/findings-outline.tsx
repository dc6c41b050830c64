// List of the files with their findings, next to the diff. Each entry goes to its place.
import { FileIcon } from '@primer/octicons-react'
import { useEffect, useRef } from 'react'
import { SeverityIcon } from '../../components/badge.tsx'
import { TextWithCode } from '../../components/text-with-code.tsx'
import { useFindingNavigation } from './finding-navigation.tsx'
import type { FindingPlaces } from './finding-places.ts'
import { findingElementId } from './finding-places.ts'
import type { Finding } from './review-queries.ts'

export function FindingsOutline({ places }: { places: FindingPlaces }) {
  const groups = [
    { title: 'Outside of the diff', findings: places.elsewhere, isInDiff: false },
    ...places.files.map(({ file, findings }) => ({ title: file.path, findings, isInDiff: true })),
  ]
  return (
    <nav aria-label="Findings by file" className="space-y-3">
      {groups.map((group) => (
        <OutlineGroup key={group.title} {...group} />
      ))}
    </nav>
  )
}

interface OutlineGroupProps {
  readonly title: string
  readonly findings: readonly Finding[]
  readonly isInDiff: boolean
}

function OutlineGroup({ title, findings, isInDiff }: OutlineGroupProps) {
  const { isShown } = useFindingNavigation()
  const shown = findings.filter(isShown)
  if (shown.length === 0) return null
  return (
    <div>
      <p className="mb-0.5 flex items-center gap-1.5 px-2 text-muted text-xs">
        <FileIcon size={12} />
        <span title={title} dir="rtl" className="truncate font-mono">
          <bdi dir="ltr">{title}</bdi>
        </span>
      </p>
      <ul>
        {shown.map((finding) => (
          <OutlineEntry key={finding.fingerprint} finding={finding} isInDiff={isInDiff} />
        ))}
      </ul>
    </div>
  )
}

const entryClass =
  'flex items-start gap-1.5 rounded-md px-2 py-1 text-xs hover:bg-raised ' +
  'aria-[current]:bg-accent-soft'

function OutlineEntry({ finding, isInDiff }: { finding: Finding; isInDiff: boolean }) {
  const { goTo, isCurrent } = useFindingNavigation()
  const link = useRef<HTMLAnchorElement>(null)
  const isHere = isCurrent(finding)
  useEffect(() => {
    if (isHere && link.current) scrollOutlineTo(link.current)
  }, [isHere])
  const { severity, title, start_line: line, state, removed } = finding
  return (
    <li>
      <a
        ref={link}
        aria-current={isHere ? 'location' : undefined}
        href={`#${findingElementId(finding)}`}
        title={title}
        onClick={(event) => {
          event.preventDefault()
          goTo(finding)
        }}
        className={entryClass}
      >
        <span className="mt-0.5 inline-flex">
          <SeverityIcon severity={severity} size={12} />
        </span>
        <span
          className={`line-clamp-2 min-w-0 ${state === 'open' ? '' : 'text-muted line-through'}`}
        >
          <TextWithCode text={title} />
        </span>
        <span className="ml-auto shrink-0 whitespace-nowrap font-mono text-muted">
          {removed && !isInDiff ? 'removed' : line}
        </span>
      </a>
    </li>
  )
}

/** Scrolls the list alone, because the page shows the finding itself. */
function scrollOutlineTo(link: HTMLElement): void {
  const list = link.closest('.review-outline')
  if (list === null) return
  const [place, frame] = [link.getBoundingClientRect(), list.getBoundingClientRect()]
  if (place.top < frame.top || place.bottom > frame.bottom)
    list.scrollBy({ top: place.top - frame.top - frame.height / 2 })
}
