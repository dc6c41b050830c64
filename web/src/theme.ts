// Theme of the page: light, dark or the system setting.
import { useSyncExternalStore } from 'react'

export type ThemeChoice = 'system' | 'light' | 'dark'

const storageKey = 'umpire-theme'
const themeChangedEvent = 'umpire-theme-changed'
const themeChoices: readonly ThemeChoice[] = ['system', 'light', 'dark']

export function readThemeChoice(): ThemeChoice {
  const stored = localStorage.getItem(storageKey)
  return themeChoices.find((choice) => choice === stored) ?? 'system'
}

/** Stores the choice and applies it. */
export function setTheme(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, choice)
  applyTheme()
  window.dispatchEvent(new Event(themeChangedEvent))
}

/** Applies the theme and follows changes of the system. Call it once before rendering. */
export function initializeTheme(): void {
  applyTheme()
  darkModeQuery().addEventListener('change', applyTheme)
  window.addEventListener('storage', applyTheme)
}

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
