// Hook that loads the syntax highlighting of a file. It returns null until then.
import { useEffect, useState } from 'react'
import type { DiffChunk } from './diff-chunks.ts'
import type { HighlightedLines } from './highlight-code.ts'

export function useHighlighting(
  path: string,
  chunks: readonly DiffChunk[],
): HighlightedLines | null {
  const [highlighted, setHighlighted] = useState<HighlightedLines | null>(null)
  useEffect(() => {
    const unmounted = new AbortController()
    const highlight = async () => {
      const { highlightCode } = await import('./highlight-code.ts')
      const lines = await highlightCode(path, chunks, unmounted.signal)
      if (!unmounted.signal.aborted) setHighlighted(lines)
    }
    // The code is readable without highlighting.
    highlight().catch(() => {})
    return () => unmounted.abort()
  }, [path, chunks])
  return highlighted
}
