import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { type NodeSettings, OptionError } from '../options.js'
import type { Certificate } from '../server/listen.js'
import { errorText } from '../encoding/errorText.js'

/** Settings that determine a certificate and its names. */
type TlsSettings = Pick<NodeSettings, 'tls' | 'tlsCert' | 'tlsKey' | 'host' | 'domain'>

/**
 * Loads the given certificate, or generates one if HTTPS is requested; undefined for plain HTTP.
 *
 * @throws OptionError
 */
export async function loadCertificate(
  settings: TlsSettings,
  networks: readonly string[],
): Promise<Certificate | undefined> {
  const { tls, tlsCert, tlsKey } = settings
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new OptionError('--tls-cert and --tls-key: expected both or neither')
  }
  if (tlsCert !== undefined && tlsKey !== undefined) {
    return { cert: readPem('--tls-cert', tlsCert), key: readPem('--tls-key', tlsKey) }
  }
  if (!tls) return undefined
  return makeCertificate(namesOf(settings, networks))
}

/** Saves a certificate for use by programs (NODE_EXTRA_CA_CERTS). @returns the path */
export async function saveCertificate(directory: string, { cert }: Certificate): Promise<string> {
  const path = join(directory, 'tls', 'certificate.pem')
  await mkdir(join(directory, 'tls'), { recursive: true })
  await writeFile(path, cert)
  return path
}

/** Returns loopback and other addresses, networks as host names, and those of the domain. */
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
    throw new OptionError(`${flag}: ${errorText(error)}`)
  }
}

/** Generates a self-signed certificate for host names and IP addresses. */
async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  // Loaded only to generate a certificate.
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
