// theme.ts - dark or light: what was chosen, or what the system asks for. theme.css and the viewer go by the root's data-theme.
import type { Theme } from './store'

const light = matchMedia('(prefers-color-scheme: light)')

export function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme === 'system' ? (light.matches ? 'light' : 'dark') : theme
}

/** Called when the system asks for the other one. */
export function onSystemTheme(listener: () => void): void {
  light.addEventListener('change', listener)
}
