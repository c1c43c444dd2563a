import type { Steps } from './timeSlice.js'

/** Reduces a URL to what may be shown. Paths, queries and user names may hold keys, so only the host stays. */
export function maskUrl(url: string): string {
  const { protocol, host, pathname, search, username } = new URL(url)
  const hasSecrets = pathname !== '/' || search !== '' || username !== ''
  return `${protocol}//${host}${hasSecrets ? '/…' : ''}`
}

/** Shorter parts of a URL are names such as `v3`, which also occur in harmless texts. */
const MIN_SECRET_LENGTH = 8

/** Masks a text. */
export interface Mask {
  (text: string): string
  /** Incremental version. */
  inSteps(text: string): Steps<string>
}

/** Characters masked in one step. */
const MASKED_AT_ONCE = 256 * 1024

/**
 * Returns a function that masks the parts of these URLs that may be keys, in any encoding, in text that their servers
 * sent.
 */
export function createMask(urls: readonly string[]): Mask {
  const words = urls.flatMap((url) => secretsOf(new URL(url)))
  const masks = urls.map((url) => ({ url, masked: maskUrl(url) }))
  const mask = (text: string): string =>
    words.reduce(
      (masked, { word, pattern }) => (masked.includes(word) ? masked.replace(pattern, '…') : masked),
      masks.reduce((text, { url, masked }) => text.replaceAll(url, masked), text),
    )
  const secrets = [...urls, ...words.map(({ word }) => word)]
  return Object.assign(mask, { inSteps: (text: string) => maskInSteps(text, mask, secrets) })
}

function* maskInSteps(
  text: string,
  mask: (text: string) => string,
  secrets: readonly string[],
): Steps<string> {
  if (text.length <= MASKED_AT_ONCE) return mask(text)
  const pieces: string[] = []
  let isMasked = false
  for (let start = 0; start < text.length;) {
    const end = placeBetween(text, start + MASKED_AT_ONCE, secrets)
    const piece = text.slice(start, end)
    pieces.push(mask(piece))
    isMasked ||= pieces.at(-1) !== piece
    start = end
    yield
  }
  return isMasked ? pieces.join('') : text
}

/** Returns the first place from `start` on that no secret contains or touches, or the end of the text. */
function placeBetween(text: string, start: number, secrets: readonly string[]): number {
  const longest = Math.max(0, ...secrets.map(({ length }) => length))
  for (let place = start; place < text.length; place += longest) {
    const around = text.slice(place - longest, place + longest)
    if (!secrets.some((secret) => around.includes(secret))) return place
  }
  return text.length
}

/**
 * Returns the secrets with patterns that do not match inside a longer word: contract data may contain a password's
 * digits.
 */
function secretsOf({ pathname, searchParams, username, password }: URL): { word: string; pattern: RegExp }[] {
  const [user, secret] = [decode(username), decode(password)]
  const pairs = secret === '' ? [] : [`${user}:${secret}`, `:${secret}`]
  const parts = [...pathname.split('/'), ...searchParams.values(), username, password]
  const forms = parts.flatMap((part) => [part, encodeURIComponent(part), decode(part)])
  return [...new Set([...pairs.map((pair) => Buffer.from(pair).toString('base64')), ...forms])]
    .filter((word) => word.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length)
    .map((word) => ({ word, pattern: new RegExp(`(?<![0-9A-Za-z])${escape(word)}(?![0-9A-Za-z])`, 'g') }))
}

function escape(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
