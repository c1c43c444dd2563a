import { existsSync } from 'node:fs'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Returns the browser for page tests: the path in CHROMIUM, or an installed one; undefined if there is none. */
export function findChromium() {
  return [process.env.CHROMIUM, ...usualPlaces].find((path) => path !== undefined && existsSync(path))
}
