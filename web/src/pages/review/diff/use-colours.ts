// The colours of a file's code, when they are there: it is shown without them first.
import { useEffect, useState } from 'react'
import type { Colours } from './colour-code.ts'
import type { Piece } from './lines.ts'

export function useColours(path: string, pieces: readonly Piece[]): Colours | null {
  const [colours, setColours] = useState<Colours | null>(null)
  useEffect(() => {
    const left = new AbortController()
    const colour = async () => {
      const { colourCode } = await import('./colour-code.ts')
      const found = await colourCode(path, pieces, left.signal)
      if (!left.signal.aborted) setColours(found)
    }
    // Without colours it can be read too.
    colour().catch(() => {})
    return () => left.abort()
  }, [path, pieces])
  return colours
}
