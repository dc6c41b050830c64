// The page's colours as a canvas needs them: as they are in the theme that is shown.
import { useEffect, useState } from 'react'

export interface ThemeColors {
  readonly ink: string
  readonly surface: string
  readonly link: string
  readonly accent: string
  readonly warn: string
  readonly groups: readonly string[]
}

/** Read anew when the theme changes. */
export function useThemeColors(): ThemeColors {
  const [colours, setColours] = useState(readThemeColors)
  useEffect(() => {
    const observer = new MutationObserver(() => setColours(readThemeColors))
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [])
  return colours
}

function readThemeColors(): ThemeColors {
  const style = getComputedStyle(document.documentElement)
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    ink: read('ink'),
    surface: read('surface'),
    link: read('link'),
    accent: read('accent'),
    warn: read('mark-warn') || read('warn'),
    groups: Array.from({ length: 8 }, (_, index) => read(`group-${index}`)),
  }
}
