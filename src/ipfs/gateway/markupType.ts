/** Kinds of XML, with patterns that must all occur in their first bytes. */
const kinds: readonly { type: string; marks: readonly RegExp[] }[] = [
  { type: 'application/rss+xml', marks: [/<rss/] },
  { type: 'application/atom+xml', marks: [/<feed/, /xmlns="http:\/\/www\.w3\.org\/2005\/Atom"/] },
  {
    type: 'application/vnd.google-earth.kml+xml',
    marks: [/<kml/, /xmlns="http:\/\/(www\.opengis\.net\/kml\/2\.2|earth\.google\.com\/kml\/2\.[012])"/],
  },
  {
    type: 'application/gpx+xml',
    marks: [/<gpx/, /xmlns="http:\/\/www\.topografix\.com\/GPX\/1\/1"/],
  },
  { type: 'application/x-amf', marks: [/<amf/] },
]

/** Bytes in which to look for the kind of XML. */
const kindLength = 512

/** First tags that identify HTML, in lower case (WHATWG, MIME Sniffing). */
export const firstTags =
  /^<(!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|!--)[\s>]/

/** Returns the type of markup by its first tags; undefined for other text (Go, `mimetype`). */
export function typeOfMarkup(start: string): string | undefined {
  const text = start.replace(/^\xef\xbb\xbf/, '').trimStart()
  if (isDrawing(text)) return 'image/svg+xml'
  if (firstTags.test(text.slice(0, 32).toLowerCase())) return 'text/html'
  if (!/^<\?xml[\s>]/i.test(text)) return undefined
  const begun = start.slice(0, kindLength)
  const kind = kinds.find(({ marks }) => marks.every((mark) => mark.test(begun)))
  if (kind !== undefined) return kind.type
  return /<!doctype\s+html|<html\s+xmlns=/i.test(start.slice(0, 1024))
    ? 'application/xhtml+xml'
    : 'text/xml; charset=utf-8'
}

/** Whether the first tag, or one after a declaration, is that of SVG. */
function isDrawing(text: string): boolean {
  if (/^<\?xml\b[^>]*\bversion/.test(text)) return text.slice(0, 4096).includes('<svg')
  const behind = text.replace(/^(?:<!--[^]*?-->\s*)+/, '')
  return /^<svg\b[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(behind)
}
