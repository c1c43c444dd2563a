import { existsSync } from 'node:fs'

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser that the page is driven in: the one that CHROMIUM names, or one that is installed; undefined if none is. */
export function findChromium() {
  return [process.env.CHROMIUM, ...usualPlaces].find((path) => path !== undefined && existsSync(path))
}
