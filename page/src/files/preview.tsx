import { Panel } from '../parts/panel.js'
import './preview.css'

/**
 * Content as the gateway serves it, in a frame that runs no script and belongs to no origin: whatever the content is, it
 * cannot reach the page.
 */
export function Preview({ cid, name }: { cid: string; name: string }) {
  const words = new URLSearchParams(name === '' ? {} : { filename: name })
  const address = `/ipfs/${encodeURIComponent(cid)}${words.size === 0 ? '' : `?${words}`}`
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
