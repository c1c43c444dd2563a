import { changeFiles, readFiles } from '../api/files.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { formatBytes, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Icon } from '../parts/icon.js'
import { Facts } from '../parts/panel.js'
import { SidePanel } from '../parts/sidePanel.js'
import type { Entry } from './mfs.js'
import { joinPath } from './mfs.js'
import { MovePath } from './movePath.js'
import { readPinType } from './pins.js'
import { PinButton, PinType } from './pinButton.js'
import { Preview } from './preview.js'

interface Stat {
  CumulativeSize: number
  Blocks: number
}

/** A file with its CID, pin and gateway preview. */
export function FilePanel(props: { entry: Entry; directory: string; onClose: () => void }) {
  const { entry, directory, onClose } = props
  const path = joinPath([directory, entry.Name])
  const { value } = useLive(
    async () => {
      const [stat, pin] = await Promise.all([
        readFiles<Stat>('files/stat', { arg: path }),
        readPinType(entry.Hash),
      ])
      return { stat, pin }
    },
    [path, entry.Hash],
    ['files'],
  )
  const remove = async (): Promise<void> => {
    if (await attempt(() => changeFiles('files/rm', { arg: path }), 'File removed')) onClose()
  }
  return (
    <SidePanel label={entry.Name} title={entry.Name} onClose={onClose}>
      <Facts
        rows={[
          ['CID', <Hash value={entry.Hash} kind="cid" />],
          ['Size', `${formatBytes(entry.Size)} (${formatNumber(entry.Size)} bytes)`],
          value === undefined ? undefined : ['DAG size', formatBytes(value.stat.CumulativeSize)],
          value === undefined
            ? undefined
            : [
                'Pin',
                value.pin === undefined ? (
                  <span class="muted">none; kept by its directory</span>
                ) : (
                  <PinType type={value.pin} />
                ),
              ],
        ]}
      />
      <div class="actions">
        {value !== undefined && <PinButton cid={entry.Hash} pin={value.pin} />}
        <button type="button" class="button danger" onClick={() => void remove()}>
          <Icon name="trash" />
          Remove
        </button>
      </div>
      <MovePath path={path} onMoved={onClose} />
      <Preview cid={entry.Hash} name={entry.Name} />
    </SidePanel>
  )
}
