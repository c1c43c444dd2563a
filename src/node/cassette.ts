import type { Provider } from '../cassette/cassette.js'
import type { CassetteControl, UpstreamRequest } from '../control/routes/cassette.js'
import { ConfigurationError } from '../provider/configuration.js'
import { CurrentCassette } from '../cassette/currentCassette.js'
import { type CassetteRules, readRules } from '../cassette/rules.js'
import type { RemoteReads } from '../network/fork/remoteClient.js'
import { type NodeSettings, OptionError } from '../options.js'
import type { FileEndpoint } from '../server/fileApi.js'
import { readJsonFile } from './createProvider.js'

export type { CurrentCassette }

/**
 * Opens a node's cassette, and starts it if the settings say so.
 *
 * @throws OptionError, ConfigurationError or CassetteError
 */
export async function openNodeCassette(settings: NodeSettings): Promise<CurrentCassette> {
  const { record, replay } = settings
  if (record !== undefined && replay !== undefined) {
    throw new OptionError('--record and --replay: expected only one of them')
  }
  const current = new CurrentCassette()
  const control = createCassetteControl(current, settings)
  if (record !== undefined) await control.record({ path: record })
  if (replay !== undefined) await control.replay({ path: replay })
  return current
}

/** Creates the control API of a node's cassette. Settings are the defaults of its requests. */
export function createCassetteControl(current: CurrentCassette, settings: NodeSettings): CassetteControl {
  return {
    describe: () => current.describe(),
    list: (query) => current.list(query),
    record: async ({ path, rules, ...named }) => {
      const provider = upstreamOf(settings, named)
      if (provider === undefined && settings.forkUrl === undefined) {
        throw new ConfigurationError('record: expected an upstream or a fork')
      }
      await current.start({
        path,
        maskedUrls: urlsOf(settings, named),
        record: { provider, rules: rules ?? recordRules(settings) },
      })
    },
    replay: async ({ path, mode, exhausted, delay, ...named }) => {
      const replay = {
        mode: mode ?? settings.replayMode,
        settings: {
          exhaustion: exhausted ?? settings.replayExhausted,
          delayScale: delay ?? settings.replayDelay,
        },
        provider: upstreamOf(settings, named),
      }
      await current.start({ path, maskedUrls: urlsOf(settings, named), replay })
    },
    stop: () => current.stop(),
  }
}

/**
 * Returns the provider given by a request, or else by the options.
 *
 * @throws ConfigurationError if a request may not choose another provider than the options
 */
function upstreamOf(settings: NodeSettings, named: UpstreamRequest): Provider | undefined {
  const given = Object.entries(named).find(([name, url]) => url !== settings[name as keyof UpstreamRequest])
  if (given !== undefined && !settings.allowRemoteReset) {
    throw new ConfigurationError(`${given[0]}: expected the node's own option, or --allow-remote-reset`)
  }
  const urls = { ...settings, ...named }
  if (urls.upstream === undefined) return undefined
  return {
    url: urls.upstream,
    webSocketUrl: urls.upstreamWs,
    filesUrl: urls.upstreamIpfs,
    gatewayUrl: urls.upstreamGateway ?? urls.upstreamIpfs,
  }
}

/** Returns every upstream URL of this node. */
function urlsOf(settings: NodeSettings, named: UpstreamRequest): string[] {
  const { upstream, upstreamWs, upstreamIpfs, upstreamGateway, forkUrl } = { ...settings, ...named }
  return [upstream, upstreamWs, upstreamIpfs, upstreamGateway, forkUrl].filter((url) => url !== undefined)
}

function recordRules({ recordRules: given }: NodeSettings): CassetteRules {
  if (given === undefined) return {}
  const content = typeof given === 'string' ? readJsonFile('--record-rules', given) : given
  const rules = readRules(content)
  if (typeof rules === 'string') throw new OptionError(`--record-rules: ${rules}`)
  return rules
}

/** Lets a cassette record a fork's reads of its remote, and replay them in the remote's place. */
export function remoteReadsOf(cassette: CurrentCassette, network: string): RemoteReads {
  return {
    get isActive() {
      return cassette.isActive
    },
    read: (method, params, ask) => cassette.remote({ network, method, params }, ask),
  }
}

const subdomain = /^([^.]+)\.(ip[fn]s)\./i

/** Lets a cassette intercept the requests of a file network. */
export function interceptFiles(cassette: CurrentCassette, files: FileEndpoint): FileEndpoint {
  return {
    execute: (request) => {
      if (!cassette.isActive) return files.execute(request)
      const { operation, query, headers, body, signal } = request
      const target = `/api/v0/${operation}${search(query)}`
      return cassette.files({ method: 'POST', target, headers, body, signal }, (asked) =>
        files.execute({ ...request, body: asked.body }),
      )
    },
    gateway: {
      handle: (request) => {
        if (!cassette.isActive) return files.gateway.handle(request)
        const { method, path, query, headers, signal } = request
        const [, id, space] = subdomain.exec(headers['host'] ?? '') ?? []
        const place = id === undefined ? path : `/${space}/${id}${path}`
        return cassette.files({ method, target: `${place}${search(query)}`, headers, signal }, () =>
          files.gateway.handle(request),
        )
      },
      route: (request) => {
        if (!cassette.isActive) return files.gateway.route(request)
        const { method, path: target, headers, body, signal } = request
        return cassette.files({ method, target, headers, body, signal }, (asked) =>
          files.gateway.route({ ...request, body: asked.body }),
        )
      },
    },
  }
}

function search(query: Parameters<FileEndpoint['execute']>[0]['query']): string {
  return query.size === 0 ? '' : `?${query}`
}
