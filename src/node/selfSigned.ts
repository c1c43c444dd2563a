import { isIP } from 'node:net'
import { generate } from 'selfsigned'
import type { Certificate } from '../server/listen.js'

/** Makes a certificate that vouches for itself, for host names and IP addresses. */
export async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'Standin' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) > 0 ? { type: 7, ip: name } : { type: 2, value: name })),
      },
    ],
  })
  return { cert, key }
}
