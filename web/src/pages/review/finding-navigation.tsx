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
  /** Whether the reader went to it last. */
  readonly isCurrent: (finding: Finding) => boolean
  /** Unfolds a finding, opens its file, and scrolls to it. */
  readonly goTo: (finding: Finding) => void
  /** Whether it was dismissed since the page was opened, so that it stays in view. */
  readonly isJustDismissed: (finding: Finding) => boolean
  /** After a dismissal, keeps the finding unfolded, and moves the focus to the next open one. */
  readonly showDismissed: (finding: Finding) => void
  /** Shows the new verdict in place once the review with this ID has it. */
  readonly followVerdict: (id: number) => void
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
  followVerdict,
  children,
}: Pick<FindingNavigation, 'followVerdict'> & {
  review: ReviewDetail
  /** As they stand on the page. */
  inOrder: readonly Finding[]
  children: ReactNode
}) {
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [chosen, chooseSeverity] = useState<Severity | null>(null)
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set())
  const [current, setCurrent] = useState<string | null>(null)
  const open = inOrder.filter(({ state }) => state === 'open')
  // Fewer open findings than at first must not unfold others.
  const [openCount] = useState(() => review.findings.filter(({ state }) => state === 'open').length)
  // The last one of that severity may have been dismissed or fixed.
  const severity = open.some((finding) => finding.severity === chosen) ? chosen : null
  const navigation = useMemo((): FindingNavigation => {
    const isUnfolded = (finding: Finding) =>
      changed.get(finding.fingerprint) ?? startsUnfolded(finding, openCount)
    const isJustDismissed = ({ fingerprint }: Finding) => dismissed.has(fingerprint)
    const isShown = (finding: Finding) =>
      severity === null ||
      (finding.severity === severity && (finding.state === 'open' || isJustDismissed(finding)))
    const unfold = ({ fingerprint }: Finding, isOpen: boolean) =>
      setChanged((former) => new Map(former).set(fingerprint, isOpen))
    const goTo = (finding: Finding) => {
      unfold(finding, true)
      setCurrent(finding.fingerprint)
      // The card has its height after the next frame.
      requestAnimationFrame(() => scrollToFinding(finding))
    }
    const showDismissed = (finding: Finding) => {
      unfold(finding, true)
      setDismissed((former) => new Set(former).add(finding.fingerprint))
      focusHeading(findNextOpen(inOrder.filter(isShown), finding) ?? finding)
    }
    return {
      ...{ review, isUnfolded, unfold, severity, isShown, chooseSeverity, goTo },
      ...{ isJustDismissed, showDismissed, followVerdict },
      isCurrent: ({ fingerprint }) => fingerprint === current,
    }
  }, [review, inOrder, changed, dismissed, severity, current, openCount, followVerdict])
  useFindingKeys(inOrder.filter(navigation.isShown), navigation.goTo)
  return <NavigationContext value={navigation}>{children}</NavigationContext>
}

function startsUnfolded({ severity, state }: Finding, openCount: number): boolean {
  if (state !== 'open' || severity === 'minor') return false
  return severity === 'critical' || openCount <= maxUnfolded
}

/** Finds the open finding after this one, or else the first one on the page. */
function findNextOpen(findings: readonly Finding[], { fingerprint }: Finding): Finding | undefined {
  const index = findings.findIndex((one) => one.fingerprint === fingerprint)
  return [...findings.slice(index + 1), ...findings.slice(0, index)].find(
    ({ state, dismissal }) => state === 'open' && dismissal === null,
  )
}

/** Readers stay where they are, so the page doesn't scroll to it. */
export function focusHeading(finding: Finding): void {
  const heading = document.querySelector<HTMLElement>(`#${findingElementId(finding)} > button`)
  heading?.focus({ preventScroll: true })
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
