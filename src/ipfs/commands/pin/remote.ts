import type { NetworkContext } from '../../networkContext.js'
import { parseCid } from '../../cid/parseCid.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError } from '../../errors.js'
import { resolveText } from '../../names/nameSystem.js'
import { type OptionSpecs, defineCommand, optionalArguments, pathArgument } from '../../request/command.js'
import { servicesOf } from './remoteServices.js'
import { goQuote } from '../../text/goQuote.js'

/*
 * Pinning services can be configured and listed, but are never contacted: this node sends no requests of its own. What
 * would contact one fails as if the service did not answer.
 */

const serviceOption = { service: { type: 'string', description: 'Name of the service.' } } as const
const filterOptions = {
  ...serviceOption,
  name: { type: 'string', description: 'Only pins with this name.' },
  cid: { type: 'strings', description: 'Only pins for these CIDs.' },
  status: {
    type: 'strings',
    description: 'Only pins with these statuses: queued, pinning, pinned or failed.',
  },
} as const satisfies OptionSpecs

/** Returns the address of the requested service. */
function endpointOf(network: NetworkContext, service: string | undefined): string {
  if (service === undefined) throw new FileNetworkError('a service name must be passed')
  if (service === '') throw new FileNetworkError('remote pinning service name not specified')
  const known = servicesOf(network)[service]
  if (known === undefined) throw new FileNetworkError('service not known')
  return known.API.Endpoint
}

function noAnswer(method: 'Get' | 'Post', url: string): FileNetworkError {
  return new FileNetworkError(
    `empty response from remote pinning service: ${method} ${goQuote(url)}: this node sends no requests`,
  )
}

/** `pin/remote/add`: validates the request, then fails as if the service did not answer. */
export const pinRemoteAdd = defineCommand({
  description: 'Pin at a remote service: services are never contacted.',
  arguments: [pathArgument('ipfs-path', 'Objects to pin.')],
  options: {
    ...serviceOption,
    name: { type: 'string', description: 'Name of the pin.' },
    background: { type: 'bool', description: "Don't wait for the pin to complete." },
  },
  async run({ args: [path = ''], options }, network) {
    const endpoint = endpointOf(network, options.service)
    await resolveText(network, path)
    throw noAnswer('Post', `${endpoint}/pins`)
  },
})

const statuses = ['queued', 'pinning', 'pinned', 'failed']

interface Filter {
  service: string | undefined
  name: string | undefined
  cid: string[] | undefined
  status: string[] | undefined
}

/** Validates a list request and returns the error in which it ends. */
function listFailure(network: NetworkContext, { service, name, cid, status }: Filter): FileNetworkError {
  const endpoint = endpointOf(network, service)
  const query = new URLSearchParams()
  const cids = (cid ?? []).map((text) => {
    try {
      return parseCid(text).toString()
    } catch (error) {
      throw new FileNetworkError(`CID ${goQuote(text)} cannot be parsed: ${errorText(error)}`)
    }
  })
  const wanted = status ?? ['pinned']
  const unknown = wanted.find((text) => !statuses.includes(text))
  if (unknown !== undefined) throw new FileNetworkError(`status ${goQuote(unknown)} is not valid`)
  if (cids.length > 0) query.set('cid', cids.join(','))
  query.set('limit', '10')
  if (name !== undefined) query.set('name', name)
  query.set('status', wanted.join(','))
  return noAnswer('Get', `${endpoint}/pins?${query}`)
}

/** `pin/remote/ls`: validates the request, then fails as if the service did not answer. */
export const pinRemoteLs = defineCommand({
  description: 'List the pins of a remote service: services are never contacted.',
  arguments: [],
  options: filterOptions,
  run({ options }, network) {
    throw listFailure(network, options)
  },
})

/** `pin/remote/rm`: validates the request, then fails as if the service did not answer. */
export const pinRemoteRm = defineCommand({
  description: 'Remove pins from a remote service: services are never contacted.',
  arguments: [optionalArguments('pins', 'No effect.')],
  options: {
    ...filterOptions,
    force: { type: 'bool', description: 'Allow removing several pins.' },
  },
  run({ options }, network) {
    endpointOf(network, options.service)
    try {
      throw listFailure(network, options)
    } catch (error) {
      throw new FileNetworkError(`error while listing remote pins: ${errorText(error)}`)
    }
  },
})
