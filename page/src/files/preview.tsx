import { Panel } from '../parts/panel.js'
import './preview.css'

/** Content from the gateway in a frame without scripts or origin, so that it cannot access the page. */
export function Preview({ cid, name }: { cid: string; name: string }) {
  const parameters = new URLSearchParams(name === '' ? {} : { filename: name })
  const address = `/ipfs/${encodeURIComponent(cid)}${parameters.size === 0 ? '' : `?${parameters}`}`
  return (
    <Panel
      title="Preview"
      class="preview"
      actions={
        <a class="button" href={address} target="_blank" rel="noopener noreferrer">
          Open in the gateway
        </a>
      }
    >
      <iframe sandbox="" src={address} title={`Preview of ${name === '' ? cid : name}`} loading="lazy" />
    </Panel>
  )
}
