/** A URL as it may be shown: keys are in paths, queries and user names, so that only the host stays. */
export function maskUrl(url: string): string {
  const { protocol, host, pathname, search, username } = new URL(url)
  const hasSecrets = pathname !== '/' || search !== '' || username !== ''
  return `${protocol}//${host}${hasSecrets ? '/…' : ''}`
}

/** Shorter parts of a URL are names such as `v3`, which also stand in texts that tell no secret. */
const leastSecret = 8

/** A text of somebody who was asked at a URL, with the parts of the URL masked that may be keys. */
export function maskUrlIn(text: string, url: string): string {
  const { pathname, search, searchParams, username, password } = new URL(url)
  const parts = [
    pathname + search,
    pathname,
    ...pathname.split('/'),
    ...searchParams.values(),
    username,
    password,
  ]
  return parts
    .filter((part) => part.length >= leastSecret)
    .reduce((masked, part) => masked.replaceAll(part, '…'), text.replaceAll(url, maskUrl(url)))
}
