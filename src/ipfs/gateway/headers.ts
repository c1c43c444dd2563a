import type { GatewayRequest, ResolvedTarget } from './request.js'

/** How long what is named by its content may be kept: half a lifetime of the HTTP specification's year. */
export const immutable = 'public, max-age=29030400, immutable'

/** Headers that say where content comes from. */
export function originHeaders(target: ResolvedTarget): Record<string, string> {
  return {
    'X-Ipfs-Path': encodeURI(target.contentPath),
    'X-Ipfs-Roots': target.roots.map(String).join(','),
  }
}

/** The `Content-Disposition` for a name that the query may give, `filename`, and whether to save it. */
export function contentDisposition(
  query: GatewayRequest['query'],
  options: { name: string; attachment: boolean },
): string | undefined {
  const given = query.get('filename')
  const attachment = options.attachment || query.get('download') === 'true'
  if (given === null && !attachment) return undefined
  const name = given ?? options.name
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${attachment ? 'attachment' : 'inline'}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
