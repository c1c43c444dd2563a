import { FileNetworkError } from '../../errors.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, nothing, pathArgument, single } from '../../request/command.js'
import { inColumns } from '../../request/textForm.js'

/** A pinning service, as in Kubo's configuration. */
interface Service {
  API: { Endpoint: string; Key: string }
}

const configurationKey = 'Pinning.RemoteServices'

/** Returns the configured services by name. */
export function servicesOf({ configuration }: NetworkContext): Record<string, Service> {
  return (configuration.get(configurationKey) as Record<string, Service> | null) ?? {}
}

/** `pin/remote/service/add`: adds a service to the configuration. */
export const pinRemoteServiceAdd = defineCommand({
  description: 'Add a pinning service.',
  arguments: [
    pathArgument('service', 'Name of the service.'),
    pathArgument('endpoint', 'Endpoint of the service, without `/pins`.'),
    pathArgument('key', 'API key for the service.'),
  ],
  options: {},
  async run({ args: [service = '', endpoint = '', Key = ''] }, network) {
    const Endpoint = normalizeEndpoint(endpoint)
    const services = servicesOf(network)
    if (Object.hasOwn(services, service)) throw new FileNetworkError('service already present')
    const added = [...Object.entries(services), [service, { API: { Endpoint, Key } }] as const]
    await network.configuration.rewrite(configurationKey, Object.fromEntries(added))
    return nothing()
  },
})

/** @throws {@link FileNetworkError} for an invalid endpoint (Kubo, `normalizeEndpoint`) */
function normalizeEndpoint(text: string): string {
  const [, scheme = '', host = '', path = '', rest = ''] =
    /^(https?):\/\/([^/?#]+)([^?#]*)(.*)$/i.exec(text) ?? []
  if (host === '') throw new FileNetworkError('service endpoint must be a valid HTTP URL')
  const cleaned = path.replace(/\/+/g, '/').replace(/\/$/, '')
  if (rest !== '')
    throw new FileNetworkError('service endpoint should be provided without any query parameters')
  if (cleaned.endsWith('/pins')) {
    throw new FileNetworkError('service endpoint should be provided without the /pins suffix')
  }
  return `${scheme.toLowerCase()}://${host}${cleaned}`
}

/** `pin/remote/service/ls`: lists the services by name. */
export const pinRemoteServiceLs = defineCommand({
  description: 'List the pinning services.',
  arguments: [],
  options: {
    stat: { type: 'bool', description: 'Also show the status of each service: none is reachable.' },
  },
  text({ RemoteServices }: { RemoteServices: ListedService[] }, { options: { stat } }) {
    const rows = RemoteServices.map(({ Service, ApiEndpoint, Stat }) =>
      [Service, ApiEndpoint, ...(stat && Stat ? [Stat.Status] : [])].join('\t'),
    )
    return inColumns(rows, { leastWidth: 1 })
  },
  run({ options }, network) {
    const names = Object.entries(servicesOf(network)).sort(([a], [b]) => (a < b ? -1 : 1))
    const RemoteServices = names.map(([Service, { API }]) => ({
      Service,
      ApiEndpoint: API.Endpoint,
      ...(options.stat === true && { Stat: { Status: 'invalid' } }),
    }))
    return single({ RemoteServices })
  },
})

/** `pin/remote/service/rm`: removes a service; an unknown one is not an error. */
export const pinRemoteServiceRm = defineCommand({
  description: 'Remove a pinning service.',
  arguments: [pathArgument('service', 'Name of the service.')],
  options: {},
  async run({ args: [service = '', ...others] }, network) {
    if (others.length > 0) throw new FileNetworkError('expecting one argument: name')
    const left = Object.entries(servicesOf(network)).filter(([name]) => name !== service)
    await network.configuration.rewrite(configurationKey, Object.fromEntries(left))
    return nothing()
  },
})

interface ListedService {
  Service: string
  ApiEndpoint: string
  Stat?: { Status: string }
}
