import { useState } from 'preact/hooks'
import { get } from '../api/control.js'
import { currentNetwork } from '../shell/router.js'
import { useLive } from '../api/useLive.js'
import { node, rpcUrlOf } from '../api/node.js'
import { attempt } from '../parts/announcer.js'
import { Badge } from '../parts/badge.js'
import { Json } from '../parts/code.js'
import { CopyButton } from '../parts/copyButton.js'
import { formatBytes, formatDate, formatDuration, formatNumber } from '../parts/format.js'
import { Icon } from '../parts/icon.js'
import { Facts } from '../parts/panel.js'
import { Segments } from '../parts/segments.js'
import { SidePanel } from '../parts/sidePanel.js'
import { Loaded } from '../parts/state.js'
import { Decoded } from '../decode/decoded.js'
import { decodeAnswer, decodeParams } from '../decode/request.js'
import { asCurl, asEthers, asFileCurl, asViem } from './copyAs.js'
import { decodeFileParams } from './fileQuery.js'
import type { RequestDetail } from './journal.js'
import { NextStep } from './nextStep.js'
import { sendAgain } from './sendAgain.js'
import { Outcome } from './requestTable.js'
import './requestPanel.css'

/** A request: parameters and answer, decoded and raw, and actions. */
export function RequestPanel({ id, onClose }: { id: number; onClose: () => void }) {
  const request = useLive(() => get<RequestDetail>(`/requests/${id}`), [id])
  const { value } = request
  return (
    <SidePanel
      label={`Request ${id}`}
      title={
        <>
          <span class="mono">{value?.method ?? `Request ${id}`}</span>
          {value !== undefined && <Outcome row={value} />}
        </>
      }
      onClose={onClose}
    >
      <Loaded from={request}>{(opened) => <Opened request={opened} />}</Loaded>
    </SidePanel>
  )
}

function Opened({ request }: { request: RequestDetail }) {
  const { error, method = '', params, answer } = request
  const isFile = request.transport === 'files'
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
      {method !== '' && (isFile ? <FileActions request={request} /> : <CallActions request={request} />)}
      <Value
        title="Parameters"
        raw={params}
        decode={async () => (isFile ? decodeFileParams(method, params) : decodeParams(method, params))}
      />
      {answer === undefined ? (
        <section class="value">
          <h3>Answer</h3>
          <p class="muted">
            {isFile
              ? 'The journal does not keep answers of the file network.'
              : 'The journal did not keep this answer: it was too long, or newer answers replaced it.'}
          </p>
        </section>
      ) : (
        <Value
          title={error === undefined ? 'Answer' : 'Error data'}
          raw={answer}
          decode={() => decodeAnswer(method, params, answer, error !== undefined)}
        />
      )}
    </>
  )
}

function CallActions({ request }: { request: RequestDetail }) {
  const url = rpcUrlOf(request.network)
  return (
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
  )
}

/** Uploads are not kept, so operations can be copied but not resent. */
function FileActions({ request }: { request: RequestDetail }) {
  if (request.method === 'gateway') return null
  const url = node.value?.urls.ipfsUrl ?? ''
  return (
    <div class="actions">
      <CopyButton text={asFileCurl(url, request)} label="Copy as curl" caption="curl" />
    </div>
  )
}

/** A value, decoded with the known ABIs if possible, and raw. */
function Value(props: { title: string; raw: unknown; decode: () => ReturnType<typeof decodeParams> }) {
  const { title, raw } = props
  const { value: decoded } = useLive(props.decode, [raw, currentNetwork.value])
  const [form, setForm] = useState<'Decoded' | 'Raw'>('Decoded')
  return (
    <section class="value">
      <header>
        <h3>{title}</h3>
        {decoded !== undefined && (
          <Segments label={`${title}: format`} choices={['Decoded', 'Raw']} value={form} onChange={setForm} />
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
