// Which findings are unfolded and shown, and going from one to the next.
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { ReviewDetail } from '../../api/shared-queries.ts'
import { useKeys } from '../../components/use-keys.ts'
import { findingElementId } from './finding-places.ts'
import type { Finding } from './review-queries.ts'

type Severity = Finding['severity']

interface FindingNavigation {
  readonly review: Pick<ReviewDetail, 'id' | 'pr_status' | 'repo_name'>
  readonly isUnfolded: (finding: Finding) => boolean
  readonly unfold: (finding: Finding, isUnfolded: boolean) => void
  /** Only open findings of this severity are shown; null for all findings. */
  readonly severity: Severity | null
  readonly isShown: (finding: Finding) => boolean
  readonly chooseSeverity: (severity: Severity | null) => void
  /** Unfolds a finding, opens its file, and scrolls to it. */
  readonly goTo: (finding: Finding) => void
}

const NavigationContext = createContext<FindingNavigation | null>(null)

export function useFindingNavigation(): FindingNavigation {
  const navigation = useContext(NavigationContext)
  if (navigation === null) throw new Error('useFindingNavigation requires its provider')
  return navigation
}

/** With more findings than this, only critical ones are unfolded at first. */
const maxUnfolded = 8

export function FindingNavigationProvider({
  review,
  inOrder,
  children,
}: {
  review: ReviewDetail
  /** As they stand on the page. */
  inOrder: readonly Finding[]
  children: ReactNode
}) {
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [chosen, chooseSeverity] = useState<Severity | null>(null)
  const open = inOrder.filter(({ state }) => state === 'open')
  const openCount = open.length
  // The last one of that severity may have been dismissed or fixed.
  const severity = open.some((finding) => finding.severity === chosen) ? chosen : null
  const navigation = useMemo((): FindingNavigation => {
    const isUnfolded = (finding: Finding) =>
      changed.get(finding.fingerprint) ?? startsUnfolded(finding, openCount)
    const isShown = (finding: Finding) =>
      severity === null || (finding.state === 'open' && finding.severity === severity)
    const unfold = ({ fingerprint }: Finding, isOpen: boolean) =>
      setChanged((former) => new Map(former).set(fingerprint, isOpen))
    const goTo = (finding: Finding) => {
      unfold(finding, true)
      // The card has its height after the next frame.
      requestAnimationFrame(() => scrollToFinding(finding))
    }
    return { review, isUnfolded, unfold, severity, isShown, chooseSeverity, goTo }
  }, [review, changed, severity, openCount])
  useFindingKeys(inOrder.filter(navigation.isShown), navigation.goTo)
  return <NavigationContext value={navigation}>{children}</NavigationContext>
}

function startsUnfolded({ severity, state }: Finding, openCount: number): boolean {
  if (state !== 'open' || severity === 'minor') return false
  return severity === 'critical' || openCount <= maxUnfolded
}

/** `n` goes to the finding after the focused one, and `p` to the one before it. */
function useFindingKeys(findings: readonly Finding[], goTo: (finding: Finding) => void): void {
  const step = (distance: 1 | -1) => {
    const focused = document.activeElement?.closest('article')?.id
    const current = findings.findIndex((finding) => findingElementId(finding) === focused)
    const start = current < 0 && distance < 0 ? 0 : current
    const next = findings.at((start + distance) % findings.length)
    if (next !== undefined) goTo(next)
  }
  useKeys({ n: () => step(1), p: () => step(-1) })
}

/** Goes to a finding that the address names when its card appears. */
export function useLinkedFinding(finding: Finding): void {
  const { goTo } = useFindingNavigation()
  const show = useRef(() => {})
  show.current = () => goTo(finding)
  const id = findingElementId(finding)
  useEffect(() => {
    if (location.hash === `#${id}`) show.current()
  }, [id])
}

function scrollToFinding(finding: Finding): void {
  const element = document.getElementById(findingElementId(finding))
  const file = element?.closest('details')
  if (file) file.open = true
  element?.focus({ preventScroll: true })
  element?.scrollIntoView({ block: 'center' })
  // Chunks that were scrolled into view get their real height only in the next frame.
  requestAnimationFrame(() => element?.scrollIntoView({ block: 'center' }))
  history.replaceState(history.state, '', `#${findingElementId(finding)}`)
}
