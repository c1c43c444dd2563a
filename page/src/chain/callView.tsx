import { useMemo } from 'preact/hooks'
import { get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import type { RequestDetail } from '../requests/journal.js'
import { Panel } from '../parts/panel.js'
import { Loaded } from '../parts/state.js'
import { Decoded } from '../decode/decoded.js'
import { decodeParams } from '../decode/request.js'
import { link } from '../shell/router.js'
import { Execution } from './execution.js'
import { traceCall } from './trace.js'

/** Execution of a call from the journal, replayed on the requested block. */
export function CallView({ request }: { request: string }) {
  const recorded = useLive(async () => {
    const entry = await get<RequestDetail>(`/requests/${encodeURIComponent(request)}`)
    if (!Array.isArray(entry.params))
      throw new Error('The journal did not keep the parameters of this request')
    const [call, block = 'latest']: unknown[] = entry.params
    return {
      call,
      block,
      method: entry.method ?? '',
      decoded: await decodeParams(entry.method ?? '', [call]),
    }
  }, [request])
  return (
    <Loaded from={recorded}>
      {({ call, block, method, decoded }) => (
        <div class="stack">
          <Panel
            title={method}
            actions={
              <a class="button" href={link(`requests/${request}`)}>
                Request {request}
              </a>
            }
          >
            {decoded !== undefined && <Decoded value={decoded} />}
            <p class="muted">Run again on {typeof block === 'string' ? block : 'the requested block'}.</p>
          </Panel>
          <Traced id={request} call={call} block={block} />
        </div>
      )}
    </Loaded>
  )
}

function Traced({ id, call, block }: { id: string; call: unknown; block: unknown }) {
  const trace = useMemo(() => traceCall(call, block), [id])
  return <Execution trace={trace} id={id} gasUsed={0} />
}
