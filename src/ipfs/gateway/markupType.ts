/**
 * A kind of XML, by its tag and namespaces. Any of them may be absent; if there are namespaces, one must follow the
 * tag.
 */
interface XmlKind {
  type: string
  tag?: string
  namespaces?: readonly string[]
}

/** Kinds of XML in the order in which Go's `mimetype` tries them. */
const kinds: readonly XmlKind[] = [
  { type: 'application/rss+xml', tag: '<rss' },
  { type: 'application/atom+xml', tag: '<feed', namespaces: ['xmlns="http://www.w3.org/2005/Atom"'] },
  {
    type: 'model/x3d+xml',
    tag: '<X3D',
    namespaces: ['xmlns:xsd="http://www.w3.org/2001/XMLSchema-instance"'],
  },
  {
    type: 'application/vnd.google-earth.kml+xml',
    tag: '<kml',
    namespaces: [
      'xmlns="http://www.opengis.net/kml/2.2"',
      ...['2.0', '2.1', '2.2'].map((version) => `xmlns="http://earth.google.com/kml/${version}"`),
    ],
  },
  {
    type: 'application/x-xliff+xml',
    tag: '<xliff',
    namespaces: ['xmlns="urn:oasis:names:tc:xliff:document:1.2"'],
  },
  {
    type: 'model/vnd.collada+xml',
    tag: '<COLLADA',
    namespaces: ['xmlns="http://www.collada.org/2005/11/COLLADASchema"'],
  },
  {
    type: 'application/gml+xml',
    namespaces: ['', '/3.2', '/3.3/exr'].map((version) => `xmlns:gml="http://www.opengis.net/gml${version}"`),
  },
  { type: 'application/gpx+xml', tag: '<gpx', namespaces: ['xmlns="http://www.topografix.com/GPX/1/1"'] },
  {
    type: 'application/vnd.garmin.tcx+xml',
    tag: '<TrainingCenterDatabase',
    namespaces: ['xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"'],
  },
  { type: 'application/x-amf', tag: '<amf' },
  {
    type: 'application/vnd.ms-package.3dmanufacturing-3dmodel+xml',
    tag: '<model',
    namespaces: ['xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"'],
  },
  { type: 'application/vnd.adobe.xfdf', tag: '<xfdf', namespaces: ['xmlns="http://ns.adobe.com/xfdf/"'] },
  { type: 'application/owl+xml', tag: '<Ontology', namespaces: ['xmlns="http://www.w3.org/2002/07/owl#"'] },
]

/** Bytes in which to look for the kind of XML. */
const KIND_LENGTH = 512

/** First tags that identify HTML, in lower case (WHATWG, MIME Sniffing). */
export const firstTags =
  /^<(!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|!--)[\s>]/

/** Returns the type of markup by its first tags; undefined for other text (Go, `mimetype`). */
export function typeOfMarkup(start: string): string | undefined {
  const text = start.replace(/^\xef\xbb\xbf/, '').trimStart()
  if (isDrawing(text)) return 'image/svg+xml'
  if (firstTags.test(text.slice(0, 32).toLowerCase())) return 'text/html'
  if (!/^<\?xml[\s>]/i.test(text)) return undefined
  const begun = start.trimStart().slice(0, KIND_LENGTH)
  const kind = kinds.find(({ tag = '', namespaces = [''] }) => {
    const at = begun.indexOf(tag)
    return at >= 0 && namespaces.some((namespace) => begun.includes(namespace, at + 1))
  })
  if (kind !== undefined) return kind.type
  return /<!doctype\s+html|<html\s+xmlns=/i.test(start.slice(0, 1024)) ? 'application/xhtml+xml' : 'text/xml'
}

/** Returns the encoding that an XML declaration names. */
export function declaredEncoding(start: string): string | undefined {
  return /<\?xml\s[^>]*?\bencoding\s*=\s*["']?([^"'\s>]+)/.exec(start)?.[1]
}

/** Whether the first tag, or one after a declaration, is that of SVG. */
function isDrawing(text: string): boolean {
  if (/^<\?xml\b[^>]*\bversion/.test(text)) return text.slice(0, 4096).includes('<svg')
  const rest = text.replace(/^(?:<!--[^]*?-->\s*)+/, '')
  return /^<svg\b[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(rest)
}
