import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { option, optionalOption } from './definition.js'
import { list, LONGEST_WAIT_SECONDS, text, toggle, wholeNumber, withBareValue } from './kinds.js'

const port = wholeNumber({ maximum: 65_535, valueName: 'PORT' })

/** Where the node listens and who may talk to it. */
export const serverOptions = {
  host: option({
    flag: 'host',
    aliases: ['hostname', 'server.host'],
    kind: list(text('ADDRESS')),
    default: ['127.0.0.1', '::1'],
    description:
      'Address to listen on; may be repeated. Another address than loopback warns, and starts guarded',
    group: 'Addresses',
  }),
  port: option({
    flag: 'port',
    aliases: ['p', 'server.port'],
    kind: port,
    default: 8545,
    description: 'Port of JSON-RPC, WebSocket and the file network; 0 chooses a free one',
    group: 'Addresses',
  }),
  ipfsPort: optionalOption({
    flag: 'ipfs-port',
    kind: port,
    description:
      'Port of the file network alone; 0 chooses a free one. Unless given: 5001 where that is free',
    group: 'Addresses',
  }),
  allowOrigin: option({
    flag: 'allow-origin',
    kind: list(text('ORIGIN')),
    default: [],
    description:
      'Origin of web pages that may use the controls and the file network, besides loopback; * for all',
    group: 'Addresses',
  }),
  allowHost: option({
    flag: 'allow-host',
    kind: list(text('NAME')),
    default: [],
    description: 'Host name under which /_standin answers, besides loopback names; * for all',
    group: 'Addresses',
  }),
  domain: optionalOption({
    flag: 'domain',
    kind: text('NAME', /^[a-z0-9.-]+$/i, 'a domain name'),
    description: 'Networks also answer by Host, as NETWORK.NAME',
    group: 'Addresses',
  }),
  tls: option({
    flag: 'tls',
    kind: toggle(),
    default: false,
    description: 'Speak HTTPS and WSS with a self-signed certificate made at start',
    group: 'Addresses',
  }),
  tlsCert: optionalOption({
    flag: 'tls-cert',
    kind: text('FILE'),
    description: 'Certificate (PEM) for HTTPS and WSS; with --tls-key',
    group: 'Addresses',
  }),
  tlsKey: optionalOption({
    flag: 'tls-key',
    kind: text('FILE'),
    description: 'Private key (PEM) of the certificate',
    group: 'Addresses',
  }),
  ipc: optionalOption({
    flag: 'ipc',
    aliases: ['ipcpath'],
    kind: withBareValue(text('PATH'), join(tmpdir(), 'anvil.ipc')),
    description:
      'Answer JSON-RPC on a socket at this path too, for whoever may open it; without a path where scripts for anvil look, at anvil.ipc in the temporary folder',
    group: 'Addresses',
  }),
  maxBody: option({
    flag: 'max-body',
    kind: wholeNumber({ minimum: 1, valueName: 'BYTES' }),
    default: 32 * 1024 * 1024,
    description: 'Longest JSON-RPC body where a key is needed',
    group: 'Answers and limits',
  }),
  maxControlBody: option({
    flag: 'max-control-body',
    kind: wholeNumber({ minimum: 1, valueName: 'BYTES' }),
    default: 1024 * 1024 * 1024,
    description: 'Longest JSON-RPC body at /_standin/rpc, and at / and /v3 in open mode',
    group: 'Answers and limits',
  }),
  maxMessage: option({
    flag: 'max-message',
    kind: wholeNumber({ minimum: 1, valueName: 'BYTES' }),
    default: 32 * 1024 * 1024,
    description: 'Longest WebSocket message; a longer one closes the connection with 1009',
    group: 'Answers and limits',
  }),
  maxBatch: option({
    flag: 'max-batch',
    kind: wholeNumber({ minimum: 1 }),
    default: 1000,
    description: 'Most items in a batch',
    group: 'Answers and limits',
  }),
  wsIdleTimeout: optionalOption({
    flag: 'ws-idle-timeout',
    kind: wholeNumber({ minimum: 1, maximum: LONGEST_WAIT_SECONDS, valueName: 'SECONDS' }),
    description: 'Close a WebSocket connection that has been idle for so long; off unless given',
    group: 'Answers and limits',
  }),
}
