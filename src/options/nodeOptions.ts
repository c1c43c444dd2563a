import type { nodeOptionDefinitions } from './read.js'
import type { OptionDefinition } from './kinds.js'

type Definitions = typeof nodeOptionDefinitions
type Given<Name extends keyof Definitions> =
  Definitions[Name] extends OptionDefinition<infer _, infer Input> ? Input : never

/**
 * The options of a node as a program gives them; each has a default. `npm run docs` writes this file from the
 * definitions.
 */
export interface NodeOptions {
  /**
   * Address to listen on; may be repeated. Another address than loopback warns, and starts guarded.
   * `--host`; `127.0.0.1,::1` unless given.
   */
  host?: Given<'host'> | undefined
  /**
   * Port of JSON-RPC, WebSocket and the file network; 0 chooses a free one.
   * `--port`; `8545` unless given.
   */
  port?: Given<'port'> | undefined
  /**
   * Port of the file network alone; 0 chooses a free one. Unless given: 5001 where that is free.
   * `--ipfs-port`.
   */
  ipfsPort?: Given<'ipfsPort'> | undefined
  /**
   * Origin of web pages that may use the controls and the file network, besides loopback; * for all.
   * `--allow-origin`.
   */
  allowOrigin?: Given<'allowOrigin'> | undefined
  /** Host name under which /_standin answers, besides loopback names; * for all. `--allow-host`. */
  allowHost?: Given<'allowHost'> | undefined
  /** Networks also answer by Host, as NETWORK.NAME. `--domain`. */
  domain?: Given<'domain'> | undefined
  /** Speak HTTPS and WSS with a self-signed certificate made at start. `--tls`; `false` unless given. */
  tls?: Given<'tls'> | undefined
  /** Certificate (PEM) for HTTPS and WSS; with --tls-key. `--tls-cert`. */
  tlsCert?: Given<'tlsCert'> | undefined
  /** Private key (PEM) of the certificate. `--tls-key`. */
  tlsKey?: Given<'tlsKey'> | undefined
  /**
   * Answer JSON-RPC on a socket at this path too, for whoever may open it; without a path where scripts for anvil look, at anvil.ipc in the temporary folder.
   * `--ipc`.
   */
  ipc?: Given<'ipc'> | undefined
  /** Longest JSON-RPC body where a key is needed. `--max-body`; `33554432` unless given. */
  maxBody?: Given<'maxBody'> | undefined
  /**
   * Longest JSON-RPC body at /_standin/rpc, and at / and /v3 in open mode.
   * `--max-control-body`; `1073741824` unless given.
   */
  maxControlBody?: Given<'maxControlBody'> | undefined
  /**
   * Longest WebSocket message; a longer one closes the connection with 1009.
   * `--max-message`; `33554432` unless given.
   */
  maxMessage?: Given<'maxMessage'> | undefined
  /** Most items in a batch. `--max-batch`; `1000` unless given. */
  maxBatch?: Given<'maxBatch'> | undefined
  /** Close a WebSocket connection that has been idle for so long; off unless given. `--ws-idle-timeout`. */
  wsIdleTimeout?: Given<'wsIdleTimeout'> | undefined
  /** Chain id, also the network id. `--chain-id`; `31337` unless given. */
  chainId?: Given<'chainId'> | undefined
  /** Rules of the chain; latest is osaka. `--hardfork`; `osaka` unless given. */
  hardfork?: Given<'hardfork'> | undefined
  /** Begin with the genesis.json of geth in this file: its chain id, forks and accounts. `--genesis`. */
  genesis?: Given<'genesis'> | undefined
  /** Execute and check the blocks of this RLP chain file before the node is ready. `--import`. */
  import?: Given<'import'> | undefined
  /** Gas limit of a block. `--gas-limit`; `30000000` unless given. */
  gasLimit?: Given<'gasLimit'> | undefined
  /** Base fee of the genesis block; 1000000000 unless given. `--base-fee`. */
  baseFee?: Given<'baseFee'> | undefined
  /** Time of the genesis block in seconds since 1970; the time of the start unless given. `--timestamp`. */
  timestamp?: Given<'timestamp'> | undefined
  /** Number of the genesis block. `--number`; `0` unless given. */
  number?: Given<'number'> | undefined
  /**
   * Leave the CREATE2 proxy out of the genesis.
   * `--disable-default-create2-deployer`; `false` unless given.
   */
  disableDefaultCreate2Deployer?: Given<'disableDefaultCreate2Deployer'> | undefined
  /**
   * Fixed genesis time and a clock that only blocks move: the same hashes in every run.
   * `--deterministic`; `false` unless given.
   */
  deterministic?: Given<'deterministic'> | undefined
  /**
   * Refuse transactions over 16777216 gas (EIP-7825); always on in strict mode.
   * `--tx-gas-limit`; `false` unless given.
   */
  txGasLimit?: Given<'txGasLimit'> | undefined
  /**
   * Most bytes of a contract's code instead of 24576; creation code may have twice as many.
   * `--code-size-limit`.
   */
  codeSizeLimit?: Given<'codeSizeLimit'> | undefined
  /** Contracts and creation code of any size. `--disable-code-size-limit`; `false` unless given. */
  disableCodeSizeLimit?: Given<'disableCodeSizeLimit'> | undefined
  /** Blocks take transactions beyond their gas limit. `--disable-block-gas-limit`; `false` unless given. */
  disableBlockGasLimit?: Given<'disableBlockGasLimit'> | undefined
  /**
   * Let transactions wait that their sender cannot pay for; blocks pass over them until that has changed.
   * `--disable-pool-balance-checks`; `false` unless given.
   */
  disablePoolBalanceChecks?: Given<'disablePoolBalanceChecks'> | undefined
  /** How far behind the head the safe block is. `--safe-distance`; `0` unless given. */
  safeDistance?: Given<'safeDistance'> | undefined
  /** How far behind the head the finalized block is. `--finalized-distance`; `0` unless given. */
  finalizedDistance?: Given<'finalizedDistance'> | undefined
  /**
   * Puts the safe block so far behind the head, and the finalized one twice as far.
   * `--slots-in-an-epoch`.
   */
  slotsInAnEpoch?: Given<'slotsInAnEpoch'> | undefined
  /** Mine a block every so many seconds instead of one for each transaction. `--block-time`. */
  blockTime?: Given<'blockTime'> | undefined
  /** Mine only when asked to (evm_mine). `--no-mining`; `false` unless given. */
  noMining?: Given<'noMining'> | undefined
  /** Most transactions of one block. `--max-transactions`. */
  maxTransactions?: Given<'maxTransactions'> | undefined
  /** Order of transactions in a block: by what they pay, or as they came. `--order`; `fees` unless given. */
  order?: Given<'order'> | undefined
  /** A block may have the timestamp of its parent. `--allow-same-timestamp`; `false` unless given. */
  allowSameTimestamp?: Given<'allowSameTimestamp'> | undefined
  /** How many accounts are funded at genesis; 10 unless given, 20 with --compat hardhat. `--accounts`. */
  accounts?: Given<'accounts'> | undefined
  /** Balance of each funded account. `--balance`; `10000` unless given. */
  balance?: Given<'balance'> | undefined
  /**
   * BIP-39 phrase that the accounts are derived from.
   * `--mnemonic`; `test test test test test test test test test test test junk` unless given.
   */
  mnemonic?: Given<'mnemonic'> | undefined
  /**
   * BIP-32 path of the accounts, without the index at its end.
   * `--derivation-path`; `m/44'/60'/0'/0/` unless given.
   */
  derivationPath?: Given<'derivationPath'> | undefined
  /**
   * Go on from the chain of this node: its state and blocks are fetched when they are needed.
   * `--fork-url`.
   */
  forkUrl?: Given<'forkUrl'> | undefined
  /** The block to go on from; the newest one of the remote unless given. `--fork-block`. */
  forkBlock?: Given<'forkBlock'> | undefined
  /**
   * Let anvil_reset and anvil_setRpcUrl name the node to go on from; only the one of --fork-url unless given.
   * `--allow-remote-reset`; `false` unless given.
   */
  allowRemoteReset?: Given<'allowRemoteReset'> | undefined
  /**
   * How often a request to the remote is tried again when it fails or is limited.
   * `--fork-retries`; `5` unless given.
   */
  forkRetries?: Given<'forkRetries'> | undefined
  /** Longest time that one request to the remote takes. `--fork-timeout`; `45000` unless given. */
  forkTimeout?: Given<'forkTimeout'> | undefined
  /**
   * How long to wait before the first new try; each further one waits twice as long.
   * `--fork-backoff`; `250` unless given.
   */
  forkBackoff?: Given<'forkBackoff'> | undefined
  /**
   * Header to send to the remote, such as an authorization; may be repeated, goes to no other host.
   * `--fork-header`.
   */
  forkHeader?: Given<'forkHeader'> | undefined
  /**
   * Where state of remotes is kept for later runs; standin/fork in the cache directory of the user unless given, and for remotes on this machine nowhere.
   * `--fork-cache`.
   */
  forkCache?: Given<'forkCache'> | undefined
  /** Keep nothing of the remote for later runs. `--no-fork-cache`; `false` unless given. */
  noForkCache?: Given<'noForkCache'> | undefined
  /**
   * Take on the compatibility of another development node where they differ: client version, units of evm_setIntervalMining and evm_setTime, results of setters, answers to reverting transactions, words of refusals, equal timestamps.
   * `--compat`.
   */
  compat?: Given<'compat'> | undefined
  /** What web3_clientVersion answers. `--client-version`. */
  clientVersion?: Given<'clientVersion'> | undefined
  /**
   * Take transactions of every account in eth_sendTransaction, with a key or without.
   * `--auto-impersonate`; `false` unless given.
   */
  autoImpersonate?: Given<'autoImpersonate'> | undefined
  /**
   * Folder of hardhat, foundry or solc output, whose ABIs name errors, functions and events.
   * `--artifacts`.
   */
  artifacts?: Given<'artifacts'> | undefined
  /** Print the calls of every mined transaction as a tree. `--trace`; `false` unless given. */
  trace?: Given<'trace'> | undefined
  /** Do not print what contracts give to console.log. `--disable-console-log`; `false` unless given. */
  disableConsoleLog?: Given<'disableConsoleLog'> | undefined
  /**
   * Begin with a state that was dumped by this node or anvil, or with a geth genesis' accounts.
   * `--load-state`.
   */
  loadState?: Given<'loadState'> | undefined
  /** Write the state in anvil's form when the node stops; a folder means state.json in it. `--dump-state`. */
  dumpState?: Given<'dumpState'> | undefined
  /**
   * Write the state as a geth genesis.json when the node stops, for --genesis and other clients' init.
   * `--dump-genesis`.
   */
  dumpGenesis?: Given<'dumpGenesis'> | undefined
  /** --load-state, if the file is there, and --dump-state. `--state`. */
  state?: Given<'state'> | undefined
  /** Write the state every so many seconds too. `--state-interval`. */
  stateInterval?: Given<'stateInterval'> | undefined
  /** With --block-time: mine for each transaction as well. `--mixed-mining`; `false` unless given. */
  mixedMining?: Given<'mixedMining'> | undefined
  /**
   * Who gets in and what exists; open unless --key, --keys or a foreign address make it guarded.
   * `--mode`.
   */
  mode?: Given<'mode'> | undefined
  /** API key, with its secret for the file network; may be repeated. `--key`. */
  key?: Given<'key'> | undefined
  /** JSON file of keys with plans, allowlists and limits. `--keys`. */
  keys?: Given<'keys'> | undefined
  /** Let the file network in without credentials in guarded mode. `--no-ipfs-auth`; `false` unless given. */
  noIpfsAuth?: Given<'noIpfsAuth'> | undefined
  /**
   * A further network with a chain of its own; may be repeated. Known names bring their chain id.
   * `--network`.
   */
  network?: Given<'network'> | undefined
  /**
   * Which generation of the provider's quota refusals keys with a plan get.
   * `--quota-profile`; `current` unless given.
   */
  quotaProfile?: Given<'quotaProfile'> | undefined
  /** JSON file of faults to inject. `--faults`. */
  faults?: Given<'faults'> | undefined
  /** A ready-made set of faults by name; may be repeated. `--scenario`. */
  scenario?: Given<'scenario'> | undefined
  /** Seed of the faults that happen with a probability. `--seed`; `1` unless given. */
  seed?: Given<'seed'> | undefined
  /**
   * Partner that eth_estimateGas and eth_getProof go to in an outage; this node itself unless given.
   * `--failover-url`.
   */
  failoverUrl?: Given<'failoverUrl'> | undefined
  /** How many requests the journal remembers. `--journal-size`; `10000` unless given. */
  journalSize?: Given<'journalSize'> | undefined
  /** Most logs that one eth_getLogs query returns. `--logs-max-results`; `10000` unless given. */
  logsMaxResults?: Given<'logsMaxResults'> | undefined
  /** Longest time that one eth_getLogs query runs. `--logs-timeout-ms`; `10000` unless given. */
  logsTimeoutMs?: Given<'logsTimeoutMs'> | undefined
  /**
   * Most addresses and topics in one query, filter or subscription of logs.
   * `--logs-max-parameters`; `5000` unless given.
   */
  logsMaxParameters?: Given<'logsMaxParameters'> | undefined
  /** Longest block range of one eth_getLogs query; no limit unless given. `--logs-max-range`. */
  logsMaxRange?: Given<'logsMaxRange'> | undefined
  /**
   * Most bytes of the traces in one answer; what is longer is refused.
   * `--max-response`; `50000000` unless given.
   */
  maxResponse?: Given<'maxResponse'> | undefined
  /**
   * Most gas of eth_call and eth_estimateGas, as a multiple of the block gas limit; more is clamped.
   * `--gas-cap-blocks`; `10` unless given.
   */
  gasCapBlocks?: Given<'gasCapBlocks'> | undefined
  /**
   * Whether a log range beyond the head or up to pending is refused, as geth does, or clipped, as devnets do; strict unless given, lenient with --compat.
   * `--logs-range`.
   */
  logsRange?: Given<'logsRange'> | undefined
  /** Whether the refusal of too many logs suggests a block range. `--logs-error`; `plain` unless given. */
  logsError?: Given<'logsError'> | undefined
  /** Leave totalDifficulty out of blocks. `--no-total-difficulty`; `false` unless given. */
  noTotalDifficulty?: Given<'noTotalDifficulty'> | undefined
  /**
   * Which fields of the pending block are null, on every path; unless given the document's (spec) on /v3/KEY, where go-ethereum, alloy, cast, ethers and web3j cannot read it, geth's on the plain path, and those of --compat.
   * `--pending-fields`.
   */
  pendingFields?: Given<'pendingFields'> | undefined
  /**
   * Pass every request on to --upstream and record the answers in this file; without --upstream, what a fork reads.
   * `--record`.
   */
  record?: Given<'record'> | undefined
  /** Answer from this recording. `--replay`. */
  replay?: Given<'replay'> | undefined
  /**
   * What was not recorded is refused (strict), asked of --upstream and recorded (once), or answered by the node's own chain (loose).
   * `--replay-mode`; `strict` unless given.
   */
  replayMode?: Given<'replayMode'> | undefined
  /**
   * Whether a request that comes more often than it was recorded gets the last answer again.
   * `--replay-exhausted`; `repeat` unless given.
   */
  replayExhausted?: Given<'replayExhausted'> | undefined
  /** Wait as long as the provider took, times this. `--replay-delay`; `0` unless given. */
  replayDelay?: Given<'replayDelay'> | undefined
  /** JSON file of rules by which requests match; a new recording keeps them. `--record-rules`. */
  recordRules?: Given<'recordRules'> | undefined
  /** JSON-RPC of the provider to record. `--upstream`. */
  upstream?: Given<'upstream'> | undefined
  /** The provider's WebSocket; subscriptions need it. `--upstream-ws`. */
  upstreamWs?: Given<'upstreamWs'> | undefined
  /** The provider's file network; the node's own answers unless given. `--upstream-ipfs`. */
  upstreamIpfs?: Given<'upstreamIpfs'> | undefined
  /** The provider's gateway for files, if it is not at --upstream-ipfs. `--upstream-gateway`. */
  upstreamGateway?: Given<'upstreamGateway'> | undefined
  /**
   * How added files are cut and linked where a request does not say.
   * `--import-profile`; `unixfs-v0-2015` unless given.
   */
  importProfile?: Given<'importProfile'> | undefined
  /** Check each block of a file against its CID when it is read. `--verify-blocks`; `false` unless given. */
  verifyBlocks?: Given<'verifyBlocks'> | undefined
  /** Longest upload; 100000000 in strict mode and no limit elsewhere unless given. `--max-upload`. */
  maxUpload?: Given<'maxUpload'> | undefined
  /**
   * Where chains, files and pins are kept; a temporary directory, removed at the end, unless given.
   * `--data-dir`.
   */
  dataDir?: Given<'dataDir'> | undefined
  /**
   * Begin with a copy of what standin pack packed into this file, or of this data directory; neither is changed.
   * `--from`.
   */
  from?: Given<'from'> | undefined
  /**
   * Where archives are unpacked, once each; standin/archives in the cache directory of the user unless given.
   * `--archive-cache`.
   */
  archiveCache?: Given<'archiveCache'> | undefined
  /**
   * Memory that all chains together use to keep what they read of their states.
   * `--cache-memory`; `32` unless given.
   */
  cacheMemory?: Given<'cacheMemory'> | undefined
  /** Force every write to the disk, so that power loss takes nothing. `--sync`; `false` unless given. */
  sync?: Given<'sync'> | undefined
}
