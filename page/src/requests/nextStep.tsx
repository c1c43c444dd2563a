import { readFrom } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { Status } from '../chain/status.js'
import type { Receipt } from '../chain/wire.js'
import { Hash } from '../parts/hash.js'
import { Icon } from '../parts/icon.js'
import { link, navigate } from '../shell/router.js'
import type { RequestDetail } from './journal.js'

/** Links a request to the transaction it sent, or to the trace of its call. */
export function NextStep({ request }: { request: RequestDetail }) {
  const { method = '', answer, error, params, network } = request
  const hash = transactionOf(method, params, answer, error !== undefined)
  if (hash !== undefined) {
    return (
      <p class="next-step">
        Transaction <Hash value={hash} kind="transaction" />
        <TransactionStatus hash={hash} network={network} />
        <button
          type="button"
          class="button"
          onClick={() => navigate(`chain/transaction/${hash}`, { network })}
        >
          Open transaction
          <Icon name="arrow" />
        </button>
      </p>
    )
  }
  if (!/^eth_(call|estimateGas)$/.test(method) || !Array.isArray(params)) return null
  return (
    <p class="next-step">
      {error === undefined ? 'What did it do?' : 'Where did it fail?'}
      <a class="button" href={link(`chain/call/${request.id}`)}>
        Trace this call
        <Icon name="arrow" />
      </a>
    </p>
  )
}

/** Status of a transaction, which the answer to its request does not contain. */
function TransactionStatus({ hash, network }: { hash: string; network: string }) {
  const { value } = useLive(
    () => readFrom<Receipt | null>(network, 'eth_getTransactionReceipt', hash),
    [hash, network],
    ['chain'],
  )
  return value === undefined ? null : <Status receipt={value ?? undefined} />
}

const isHash = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)

function transactionOf(
  method: string,
  params: unknown,
  answer: unknown,
  failed: boolean,
): string | undefined {
  if (/^(eth_send|personal_sendTransaction)/.test(method)) {
    if (!failed && isHash(answer)) return answer
    const { txHash, transactionHash } = (answer ?? {}) as { txHash?: unknown; transactionHash?: unknown }
    return [txHash, transactionHash].find(isHash)
  }
  if (/TransactionByHash|TransactionReceipt|traceTransaction/.test(method) && Array.isArray(params)) {
    const [first]: unknown[] = params
    return isHash(first) ? first : undefined
  }
  return undefined
}
