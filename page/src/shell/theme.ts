import { effect, signal } from '@preact/signals'

type Theme = 'light' | 'dark'

const key = 'standin-theme'
const system = matchMedia('(prefers-color-scheme: dark)')

/** The user's choice; undefined follows the system. */
const chosen = signal<Theme | undefined>(readChoice())
const systemTheme = signal<Theme>(system.matches ? 'dark' : 'light')
system.addEventListener('change', () => {
  systemTheme.value = system.matches ? 'dark' : 'light'
})

/** Current theme; plots reload their colours when it changes. */
export const theme = signal<Theme>(chosen.value ?? systemTheme.value)

effect(() => {
  theme.value = chosen.value ?? systemTheme.value
  document.documentElement.dataset['theme'] = theme.value
})

/** Toggles between light and dark. */
export function toggleTheme(): void {
  chosen.value = theme.value === 'dark' ? 'light' : 'dark'
  try {
    localStorage.setItem(key, chosen.value)
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
}

function readChoice(): Theme | undefined {
  try {
    const kept = localStorage.getItem(key)
    return kept === 'light' || kept === 'dark' ? kept : undefined
  } catch {
    return undefined
  }
}
