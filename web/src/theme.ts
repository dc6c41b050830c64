// Dark or light: as the system has it, or as the person chose.
import { useSyncExternalStore } from 'react'

export type ThemeChoice = 'system' | 'light' | 'dark'

const storageKey = 'umpire-theme'
const themeChangedEvent = 'umpire-theme-changed'
const themeChoices: readonly ThemeChoice[] = ['system', 'light', 'dark']

/** What the person chose. */
export function readThemeChoice(): ThemeChoice {
  const stored = localStorage.getItem(storageKey)
  return themeChoices.find((choice) => choice === stored) ?? 'system'
}

/** Chooses, and shows it at once. */
export function setTheme(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, choice)
  applyTheme()
  window.dispatchEvent(new Event(themeChangedEvent))
}

/** Shows the theme, now and whenever the system changes its own. Call it once before anything is drawn. */
export function initializeTheme(): void {
  applyTheme()
  darkModeQuery().addEventListener('change', applyTheme)
  window.addEventListener('storage', applyTheme)
}

/** The choice, followed. */
export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, readThemeChoice)
}

function subscribe(onChange: () => void): () => void {
  for (const event of [themeChangedEvent, 'storage']) window.addEventListener(event, onChange)
  return () => {
    for (const event of [themeChangedEvent, 'storage']) window.removeEventListener(event, onChange)
  }
}

function applyTheme(): void {
  const choice = readThemeChoice()
  const isDark = choice === 'dark' || (choice === 'system' && darkModeQuery().matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}

function darkModeQuery(): MediaQueryList {
  return window.matchMedia('(prefers-color-scheme: dark)')
}
