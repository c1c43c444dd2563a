import { useState } from 'preact/hooks'
import { get } from '../api/control.js'
import { currentNetwork, link, navigate } from '../shell/router.js'
import { useLive } from '../api/useLive.js'
import { node } from '../api/node.js'
import { attempt } from '../parts/announcer.js'
import { Badge, Facts, Failure, Json, Loading, Segments } from '../parts/basics.js'
import { CopyButton } from '../parts/copyButton.js'
import { formatBytes, formatDate, formatDuration, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Icon } from '../parts/icon.js'
import { Decoded } from '../decode/decoded.js'
import { decodeAnswer, decodeParams } from '../decode/request.js'
import { asCurl, asEthers, asViem } from './copyAs.js'
import type { RequestDetail } from './journal.js'
import { sendAgain } from './sendAgain.js'
import { Outcome } from './requestTable.js'

/** One request: what was asked and answered, decoded and raw, and what can be done with it. */
export function RequestPanel({ id, onClose }: { id: number; onClose: () => void }) {
  const { value, error } = useLive(() => get<RequestDetail>(`/requests/${id}`), [id])
  return (
    <aside
      class="split-side"
      aria-label={`Request ${id}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <header class="panel-head sticky">
        <h2>
          <span class="mono">{value?.method ?? `Request ${id}`}</span>
          {value !== undefined && <Outcome row={value} />}
        </h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {error !== undefined && <Failure message={error} />}
      {value === undefined ? error === undefined && <Loading /> : <Opened request={value} />}
    </aside>
  )
}

function Opened({ request }: { request: RequestDetail }) {
  const { error, method = '', params, answer } = request
  const url = node.value?.urls.url ?? ''
  const isRpc = request.transport !== 'files' && method !== ''
  return (
    <>
      <NextStep request={request} />
      {error !== undefined && (
        <div class="failure-box">
          <strong>{error.message}</strong>
        </div>
      )}
      <Facts
        rows={[
          ['Time', formatDate(request.time)],
          ['Duration', formatDuration(request.milliseconds)],
          ['Transport', request.batched ? `${request.transport}, in a batch` : request.transport],
          ['Network', request.network],
          request.key === undefined ? undefined : ['Key', <span class="mono">{request.key}</span>],
          ['Answer', formatBytes(request.bytes)],
          ['Credits', formatNumber(request.credits)],
          request.answeredBy === undefined ? undefined : ['Answered by', request.answeredBy],
          request.faults === undefined
            ? undefined
            : [
                'Faults',
                request.faults.map((fault) => (
                  <Badge key={fault} tone="warn">
                    {fault}
                  </Badge>
                )),
              ],
        ]}
      />
      {isRpc && (
        <div class="actions">
          <button
            type="button"
            class="button primary"
            onClick={() => void attempt(() => sendAgain(request), 'Sent again')}
          >
            <Icon name="repeat" />
            Send again
          </button>
          <CopyButton text={asCurl(url, request)} label="Copy as curl" caption="curl" />
          <CopyButton text={asViem(url, request)} label="Copy as viem" caption="viem" />
          <CopyButton text={asEthers(url, request)} label="Copy as ethers" caption="ethers" />
        </div>
      )}
      <Value title="Parameters" raw={params} decode={() => decodeParams(method, params)} />
      {answer === undefined ? (
        <section class="value">
          <h3>Answer</h3>
          <p class="muted">
            {request.transport === 'files'
              ? 'Answers of the file network are not kept.'
              : 'The journal does not keep this answer: it is too long, or newer ones took its place.'}
          </p>
        </section>
      ) : (
        <Value
          title={error === undefined ? 'Answer' : 'Data of the error'}
          raw={answer}
          decode={() => decodeAnswer(method, params, answer, error !== undefined)}
        />
      )}
    </>
  )
}

/** A value decoded with the known ABIs where that is possible, and as it came. */
function Value(props: { title: string; raw: unknown; decode: () => ReturnType<typeof decodeParams> }) {
  const { title, raw } = props
  const { value: decoded } = useLive(props.decode, [raw, currentNetwork.value])
  const [form, setForm] = useState<'Decoded' | 'Raw'>('Decoded')
  return (
    <section class="value">
      <header>
        <h3>{title}</h3>
        {decoded !== undefined && (
          <Segments label={`${title}: form`} choices={['Decoded', 'Raw']} value={form} onChange={setForm} />
        )}
      </header>
      {decoded !== undefined && form === 'Decoded' ? (
        <Decoded value={decoded} />
      ) : (
        <Json value={raw} label={title} />
      )}
    </section>
  )
}

/** Leads from a request to the transaction it sent, or to the trace of the call it made. */
function NextStep({ request }: { request: RequestDetail }) {
  const { method = '', answer, error, params, network } = request
  const hash = transactionOf(method, params, answer, error !== undefined)
  if (hash !== undefined) {
    return (
      <p class="next-step">
        Transaction <Hash value={hash} kind="transaction" />
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
      <a class="button" href={link(`chain/call/${request.id}`)}>
        Trace this call
        <Icon name="arrow" />
      </a>
    </p>
  )
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
