// Replaces a review by the one that a dismissal leads to, without moving the reader.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type ReviewDetail, reviewQuery } from '../../api/shared-queries.ts'
import { useApi } from '../../api/use-api.ts'

/** A dismissal makes a new review of the same commit. Until it has a verdict, this one is shown. */
export function useVerdictUpdate({ id, head_sha: head }: Pick<ReviewDetail, 'id' | 'head_sha'>) {
  const [followed, followVerdict] = useState<number | null>(null)
  const isFollowing = followed !== null && followed > id
  const query = reviewQuery(useApi(), String(followed))
  const { data: next } = useQuery({ ...query, enabled: isFollowing })
  const navigate = useNavigate()
  const isReady = isFollowing && next?.verdict != null && next.head_sha === head
  useEffect(() => {
    if (!isReady) return
    const params = { id: String(followed) }
    // Once it was followed, the former review can be opened again. Another one may follow already.
    const endFollowing = () => followVerdict((now) => (now === followed ? null : now))
    void navigate({ to: '/reviews/$id', params, replace: true, resetScroll: false }).then(
      endFollowing,
    )
  }, [isReady, followed, navigate])
  return { isUpdating: isFollowing && next?.status !== 'failed', followVerdict }
}
