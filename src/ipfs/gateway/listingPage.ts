import { encodeEscapes } from '../../encoding/byteText.js'
import { partsOf } from '../../encoding/jsonWriter.js'

/** A directory entry on the page. */
export interface ListedEntry {
  name: string
  cid: string
  size: number
}

/** Renders a directory as a page, in pieces: a name may have megabytes. Links are relative, so it works at any address. */
export function* listingPage(options: {
  path: string
  cid: string
  entries: Iterable<ListedEntry>
  hasParent: boolean
}): Generator<string> {
  const { path, cid, entries, hasParent } = options
  const title = escapeHtml(path)
  const parent = hasParent ? '<tr><td><a href="..">..</a></td><td></td><td></td></tr>\n' : ''
  yield `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<style>
body { font-family: sans-serif; margin: 2em }
h1 { font-size: 1.3em; overflow-wrap: anywhere }
td { padding: 0.2em 1em 0.2em 0 }
td:last-child { text-align: right; white-space: nowrap }
code { color: #666 }
</style>
</head>
<body>
<h1>Index of ${title}</h1>
<p><code>${escapeHtml(cid)}</code></p>
<table>
${parent}`
  for (const { name, cid: entryCid, size } of entries) {
    yield '<tr><td><a href="./'
    for (const part of partsOf(name)) yield encodeEscapes(part, encodeURIComponent)
    yield '">'
    for (const part of partsOf(name)) yield escapeHtml(part)
    yield `</a></td><td><code>${escapeHtml(entryCid)}</code></td><td>${formatSize(size)}</td></tr>\n`
  }
  yield `</table>
</body>
</html>
`
}

/** Escapes of characters; that of `&` comes first. V8 replaces one character many times as fast as any of several. */
const htmlEscapes = [
  [/&/g, '&amp;'],
  [/</g, '&lt;'],
  [/>/g, '&gt;'],
  [/"/g, '&quot;'],
  [/'/g, '&#39;'],
] as const

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  if (!/[&<>"']/.test(text)) return text
  return htmlEscapes.reduce((escaped, [character, escape]) => escaped.replace(character, escape), text)
}

function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const amount = bytes / 1000 ** unit
  return `${unit === 0 ? amount : amount.toFixed(1)} ${units[unit]}`
}

/** Renders an error as a page, for browsers. */
export function errorPage(status: number, message: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${status}</title>
</head>
<body>
<h1>${status}</h1>
<pre>${escapeHtml(message)}</pre>
</body>
</html>
`
}
