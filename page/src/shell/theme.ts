import { effect, signal } from '@preact/signals'

type Theme = 'light' | 'dark'

const key = 'standin-theme'
const system = matchMedia('(prefers-color-scheme: dark)')

/** What the user chose; undefined follows the system. */
const chosen = signal<Theme | undefined>(readChoice())
const systemTheme = signal<Theme>(system.matches ? 'dark' : 'light')
system.addEventListener('change', () => {
  systemTheme.value = system.matches ? 'dark' : 'light'
})

/** The theme that is shown; plots read their colours anew when it changes. */
export const theme = signal<Theme>(chosen.value ?? systemTheme.value)

effect(() => {
  theme.value = chosen.value ?? systemTheme.value
  document.documentElement.dataset['theme'] = theme.value
})

/** Changes between light and dark. */
export function toggleTheme(): void {
  chosen.value = theme.value === 'dark' ? 'light' : 'dark'
  try {
    localStorage.setItem(key, chosen.value)
  } catch {
    // A browser that keeps nothing shows what was chosen until it is closed.
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
