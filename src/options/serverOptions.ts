import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  MAX_WAIT_SECONDS,
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
      'Address to listen on; may be repeated. Any address but loopback prints a warning and defaults to guarded mode',
      { aliases: ['hostname', 'server.host'] },
    ),
    port: option(port, 8545, 'Port for JSON-RPC, WebSocket and the file network; 0 picks a free one', {
      aliases: ['p', 'server.port'],
    }),
    ipfsPort: optionalOption(
      port,
      'Port for the file network alone; 0 picks a free one. Defaults to 5001 if that is free',
    ),
    allowOrigin: option(
      list(text('ORIGIN')),
      [],
      'Origin of web pages that may use the controls and the file network, besides loopback; * allows all',
    ),
    allowHost: option(
      list(text('NAME')),
      [],
      'Host name under which /_standin answers, besides loopback names; * allows all',
    ),
    domain: optionalOption(
      text('NAME', /^[a-z0-9.-]+$/i, 'a domain name'),
      'Also select networks by Host header, as NETWORK.NAME',
    ),
    tls: toggle('Serve HTTPS and WSS with a self-signed certificate created at startup'),
    tlsCert: optionalOption(text('FILE'), 'PEM certificate for HTTPS and WSS; requires --tls-key'),
    tlsKey: optionalOption(text('FILE'), 'PEM private key of the certificate'),
    ipc: optionalOption(
      withBareValue(text('PATH'), join(tmpdir(), 'anvil.ipc')),
      'Also serve JSON-RPC on a socket at this path, to the user who started the node; without a path, on anvil.ipc in the temporary directory, where anvil scripts look',
      { aliases: ['ipcpath'] },
    ),
  }),
  ...optionGroup('Answers and limits', {
    maxBody: option(
      wholeNumber({ minimum: 1, valueName: 'BYTES' }),
      32 * 1024 * 1024,
      'Maximum JSON-RPC body size where a key is required',
    ),
    maxControlBody: option(
      wholeNumber({ minimum: 1, valueName: 'BYTES' }),
      1024 * 1024 * 1024,
      'Maximum JSON-RPC body size at /_standin/rpc, and at / and /v3 in open mode',
    ),
    maxMessage: option(
      wholeNumber({ minimum: 1, valueName: 'BYTES' }),
      32 * 1024 * 1024,
      'Maximum WebSocket message size; a longer message closes the connection with 1009',
    ),
    maxBatch: option(wholeNumber({ minimum: 1 }), 1000, 'Maximum number of items in a batch'),
    wsIdleTimeout: optionalOption(
      wholeNumber({ minimum: 1, maximum: MAX_WAIT_SECONDS, valueName: 'SECONDS' }),
      'Close WebSocket connections after this much idle time; off by default',
    ),
  }),
}
