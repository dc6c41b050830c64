// Colors of the current theme, for drawing on a canvas.
import { useEffect, useState } from 'react'

export interface ThemeColors {
  readonly ink: string
  readonly surface: string
  readonly link: string
  readonly accent: string
  readonly warn: string
  readonly groups: readonly string[]
}

/** Updates when the theme changes. */
export function useThemeColors(): ThemeColors {
  const [colors, setColors] = useState(readThemeColors)
  useEffect(() => {
    const observer = new MutationObserver(() => setColors(readThemeColors))
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [])
  return colors
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
