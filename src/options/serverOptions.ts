import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  LONGEST_WAIT_SECONDS,
  list,
  option,
  optionGroup,
  optionalOption,
  text,
  toggle,
  wholeNumber,
  withBareValue,
} from './kinds.js'

const port = wholeNumber({ maximum: 65_535, valueName: 'PORT' })

/** Options for where the node listens and whom it answers. */
export const serverOptions = {
  ...optionGroup('Addresses', {
    host: option(
      list(text('ADDRESS')),
      ['127.0.0.1', '::1'],
      'Address to listen on; may be repeated. Another address than loopback warns, and starts guarded',
      { aliases: ['hostname', 'server.host'] },
    ),
    port: option(port, 8545, 'Port of JSON-RPC, WebSocket and the file network; 0 chooses a free one', {
      aliases: ['p', 'server.port'],
    }),
    ipfsPort: optionalOption(
      port,
      'Port of the file network alone; 0 chooses a free one. Unless given: 5001 where that is free',
    ),
    allowOrigin: option(
      list(text('ORIGIN')),
      [],
      'Origin of web pages that may use the controls and the file network, besides loopback; * for all',
    ),
    allowHost: option(
      list(text('NAME')),
      [],
      'Host name under which /_standin answers, besides loopback names; * for all',
    ),
    domain: optionalOption(
      text('NAME', /^[a-z0-9.-]+$/i, 'a domain name'),
      'Networks also answer by Host, as NETWORK.NAME',
    ),
    tls: toggle('Speak HTTPS and WSS with a self-signed certificate made at start'),
    tlsCert: optionalOption(text('FILE'), 'Certificate (PEM) for HTTPS and WSS; with --tls-key'),
    tlsKey: optionalOption(text('FILE'), 'Private key (PEM) of the certificate'),
    ipc: optionalOption(
      withBareValue(text('PATH'), join(tmpdir(), 'anvil.ipc')),
      'Answer JSON-RPC on a socket at this path too, for every user who may open it; without a path at anvil.ipc in the temporary folder, where scripts for anvil look',
      { aliases: ['ipcpath'] },
    ),
  }),
  ...optionGroup('Answers and limits', {
    maxBody: option(
      wholeNumber({ minimum: 1, valueName: 'BYTES' }),
      32 * 1024 * 1024,
      'Longest JSON-RPC body where a key is needed',
    ),
    maxControlBody: option(
      wholeNumber({ minimum: 1, valueName: 'BYTES' }),
      1024 * 1024 * 1024,
      'Longest JSON-RPC body at /_standin/rpc, and at / and /v3 in open mode',
    ),
    maxMessage: option(
      wholeNumber({ minimum: 1, valueName: 'BYTES' }),
      32 * 1024 * 1024,
      'Longest WebSocket message; a longer one closes the connection with 1009',
    ),
    maxBatch: option(wholeNumber({ minimum: 1 }), 1000, 'Most items in a batch'),
    wsIdleTimeout: optionalOption(
      wholeNumber({ minimum: 1, maximum: LONGEST_WAIT_SECONDS, valueName: 'SECONDS' }),
      'Close a WebSocket connection that has been idle for so long; off unless given',
    ),
  }),
}
