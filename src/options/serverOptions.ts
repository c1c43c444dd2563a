import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  LONGEST_WAIT_SECONDS,
  choice,
  list,
  option,
  optionalOption,
  text,
  toggle,
  wholeNumber,
  withBareValue,
} from './kinds.js'

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

/** The file network and the data directory. */
export const fileOptions = {
  importProfile: option({
    flag: 'import-profile',
    kind: choice(['unixfs-v0-2015', 'unixfs-v1-2025']),
    default: 'unixfs-v0-2015',
    description: 'How added files are cut and linked where a request does not say',
    group: 'File network',
  }),
  verifyBlocks: option({
    flag: 'verify-blocks',
    kind: toggle(),
    default: false,
    description: 'Check each block of a file against its CID when it is read',
    group: 'File network',
  }),
  maxUpload: optionalOption({
    flag: 'max-upload',
    kind: wholeNumber({ minimum: 1, valueName: 'BYTES' }),
    description: 'Longest upload; 100000000 in strict mode and no limit elsewhere unless given',
    group: 'File network',
  }),
  dataDir: optionalOption({
    flag: 'data-dir',
    aliases: ['db', 'database.dbPath'],
    kind: text('DIRECTORY'),
    description:
      'Where chains, files and pins are kept; a temporary directory, removed at the end, unless given',
    group: 'Data',
  }),
  from: optionalOption({
    flag: 'from',
    kind: text('FILE|DIRECTORY'),
    description:
      'Begin with a copy of what standin pack packed into this file, or of this data directory; neither is changed',
    group: 'Data',
  }),
  archiveCache: optionalOption({
    flag: 'archive-cache',
    kind: text('DIRECTORY'),
    description:
      'Where archives are unpacked, once each; standin/archives in the cache directory of the user unless given',
    group: 'Data',
  }),
  cacheMemory: option({
    flag: 'cache-memory',
    kind: wholeNumber({ minimum: 1, valueName: 'MEBIBYTES' }),
    default: 32,
    description: 'Memory that all chains together use to keep what they read of their states',
    group: 'Data',
  }),
  sync: option({
    flag: 'sync',
    kind: toggle(),
    default: false,
    description: 'Force every write to the disk, so that power loss takes nothing',
    group: 'Data',
  }),
}
