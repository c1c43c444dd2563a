/** Uploads a file to the provider. @returns its URI */
export async function upload({ ipfsUrl, ipfsKey, ipfsSecret }, file) {
  const form = new FormData()
  form.append('file', file)
  const headers = ipfsKey ? { authorization: `Basic ${btoa(`${ipfsKey}:${ipfsSecret}`)}` } : {}
  const response = await fetch(`${ipfsUrl}/api/v0/add?cid-version=1`, { method: 'POST', headers, body: form })
  if (!response.ok) throw new Error(`the upload failed: ${response.status} ${await response.text()}`)
  return `ipfs://${(await response.json()).Hash}`
}
