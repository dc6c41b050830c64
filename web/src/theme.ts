// Dark or light: as the system has it, or as the person chose.
import { useSyncExternalStore } from 'react'

export type ThemeChoice = 'system' | 'light' | 'dark'

const storageKey = 'umpire-theme'
const choiceChanged = 'umpire-theme-changed'
const choices: readonly ThemeChoice[] = ['system', 'light', 'dark']

/** What the person chose. */
export function readTheme(): ThemeChoice {
  const stored = localStorage.getItem(storageKey)
  return choices.find((choice) => choice === stored) ?? 'system'
}

/** Chooses, and shows it at once. */
export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, choice)
  applyTheme()
  window.dispatchEvent(new Event(choiceChanged))
}

/** Shows the theme, now and whenever the system changes its own. Call it once before anything is drawn. */
export function startTheme(): void {
  applyTheme()
  systemIsDark().addEventListener('change', applyTheme)
  window.addEventListener('storage', applyTheme)
}

/** The choice, followed. */
export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, readTheme)
}

function subscribe(onChange: () => void): () => void {
  for (const event of [choiceChanged, 'storage']) window.addEventListener(event, onChange)
  return () => {
    for (const event of [choiceChanged, 'storage']) window.removeEventListener(event, onChange)
  }
}

function applyTheme(): void {
  const choice = readTheme()
  const isDark = choice === 'dark' || (choice === 'system' && systemIsDark().matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}

function systemIsDark(): MediaQueryList {
  return window.matchMedia('(prefers-color-scheme: dark)')
}
