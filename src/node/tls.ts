import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { type NodeSettings, OptionError } from '../options.js'
import type { Certificate } from '../server/listen.js'

/** What the names of a certificate come from. */
type TlsSettings = Pick<NodeSettings, 'tls' | 'tlsCert' | 'tlsKey' | 'host' | 'domain'>

/**
 * The certificate that was given, or one that is made now if HTTPS was asked for; undefined for plain HTTP.
 *
 * @throws OptionError
 */
export async function loadCertificate(
  settings: TlsSettings,
  networks: readonly string[],
): Promise<Certificate | undefined> {
  const { tls, tlsCert, tlsKey } = settings
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new OptionError('--tls-cert and --tls-key: expected both or none')
  }
  if (tlsCert !== undefined && tlsKey !== undefined) {
    return { cert: readPem('--tls-cert', tlsCert), key: readPem('--tls-key', tlsKey) }
  }
  if (!tls) return undefined
  return makeCertificate(namesOf(settings, networks))
}

/** Writes a certificate where programs can be pointed to (NODE_EXTRA_CA_CERTS). @returns the path */
export async function saveCertificate(directory: string, { cert }: Certificate): Promise<string> {
  const path = join(directory, 'tls', 'certificate.pem')
  await mkdir(join(directory, 'tls'), { recursive: true })
  await writeFile(path, cert)
  return path
}

/** Loopback and other addresses, networks by host, and those of the domain. */
function namesOf({ host, domain }: TlsSettings, networks: readonly string[]): string[] {
  const names = ['localhost', '127.0.0.1', '::1', ...host.filter((address) => isIP(address) > 0)]
  const parents = ['localhost', ...(domain === undefined ? [] : [domain])]
  for (const parent of parents) names.push(...networks.map((network) => `${network}.${parent}`))
  if (domain !== undefined) names.push(domain)
  return [...new Set(names)]
}

function readPem(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new OptionError(`${flag}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Makes a certificate that vouches for itself, for host names and IP addresses. */
export async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  // The library is loaded where a certificate is made.
  const { default: selfsigned } = await import('selfsigned')
  const { cert, private: key } = await selfsigned.generate([{ name: 'commonName', value: 'Standin' }], {
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
