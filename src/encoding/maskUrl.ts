/** A URL as it may be shown: keys are in paths, queries and user names, so that only the host stays. */
export function maskUrl(url: string): string {
  const { protocol, host, pathname, search, username } = new URL(url)
  const hasSecrets = pathname !== '/' || search !== '' || username !== ''
  return `${protocol}//${host}${hasSecrets ? '/…' : ''}`
}
