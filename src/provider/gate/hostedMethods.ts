const eth = [
  ...['accounts', 'blobBaseFee', 'blockNumber', 'call', 'chainId', 'createAccessList', 'estimateGas'],
  ...['feeHistory', 'gasPrice', 'getBalance', 'getBlockByHash', 'getBlockByNumber', 'getBlockReceipts'],
  ...['getBlockTransactionCountByHash', 'getBlockTransactionCountByNumber', 'getCode', 'getLogs', 'getProof'],
  ...['getStorageAt', 'getTransactionByBlockHashAndIndex', 'getTransactionByBlockNumberAndIndex'],
  ...['getTransactionByHash', 'getTransactionCount', 'getTransactionReceipt'],
  ...['getUncleByBlockHashAndIndex', 'getUncleByBlockNumberAndIndex', 'getUncleCountByBlockHash'],
  ...[
    'getUncleCountByBlockNumber',
    'getWork',
    'hashrate',
    'maxPriorityFeePerGas',
    'mining',
    'protocolVersion',
  ],
  ...['sendRawTransaction', 'simulateV1', 'submitWork', 'syncing', 'subscribe', 'unsubscribe', 'newFilter'],
  ...['newBlockFilter', 'getFilterChanges', 'getFilterLogs', 'uninstallFilter'],
]

/** The methods of the hosted provider's documentation: all there is in strict mode. */
export const hostedMethods: ReadonlySet<string> = new Set([
  ...eth.map((name) => `eth_${name}`),
  ...['net_listening', 'net_peerCount', 'net_version', 'web3_clientVersion'],
  ...['trace_block', 'trace_call', 'trace_callMany', 'trace_filter', 'trace_transaction'],
  ...['debug_traceBlock', 'debug_traceBlockByHash', 'debug_traceBlockByNumber', 'debug_traceCall'],
  ...['debug_traceTransaction', 'debug_storageRangeAt'],
])
