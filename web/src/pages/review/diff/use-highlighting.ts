// The colours of a file's code, when they are there: it is shown without them first.
import { useEffect, useState } from 'react'
import type { DiffChunk } from './diff-chunks.ts'
import type { HighlightedLines } from './highlight-code.ts'

export function useHighlighting(
  path: string,
  pieces: readonly DiffChunk[],
): HighlightedLines | null {
  const [colours, setColours] = useState<HighlightedLines | null>(null)
  useEffect(() => {
    const left = new AbortController()
    const colour = async () => {
      const { highlightCode } = await import('./highlight-code.ts')
      const found = await highlightCode(path, pieces, left.signal)
      if (!left.signal.aborted) setColours(found)
    }
    // Without colours it can be read too.
    colour().catch(() => {})
    return () => left.abort()
  }, [path, pieces])
  return colours
}
