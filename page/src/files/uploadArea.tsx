import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Upload } from '../api/files.js'
import { addFiles, changeFiles } from '../api/files.js'
import { announce, announceFailure } from '../parts/announcer.js'
import { count } from '../parts/format.js'
import { Icon } from '../parts/icon.js'
import { joinPath } from './mfs.js'
import './uploadArea.css'

/** Uploads dropped or chosen files into an MFS directory. */
export function UploadArea({ directory, children }: { directory: string; children: ComponentChildren }) {
  const [isOver, setOver] = useState(false)
  const [progress, setProgress] = useState<number>()
  const [isPinned, setPinned] = useState(true)
  const chooser = useRef<HTMLInputElement>(null)
  const upload = async (uploads: readonly Upload[]): Promise<void> => {
    if (uploads.length === 0) return
    setProgress(0)
    try {
      const added = await addFiles(uploads, { pin: isPinned, 'cid-version': 1 }, setProgress)
      for (const { Name, Hash } of added.filter((entry) => !entry.Name.includes('/'))) {
        await changeFiles('files/cp', { arg: [`/ipfs/${Hash}`, joinPath([directory, Name])] })
      }
      announce(`${count(uploads.length, 'file')} added`)
    } catch (error) {
      announceFailure(error)
    }
    setProgress(undefined)
  }
  return (
    <section
      class={`upload ${isOver ? 'over' : ''}`}
      aria-label="Directory"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void collect(event.dataTransfer).then(upload, announceFailure)
      }}
    >
      <div class="actions">
        <button type="button" class="button primary" onClick={() => chooser.current?.click()}>
          <Icon name="upload" />
          Upload files
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={isPinned}
            onChange={(event) => setPinned(event.currentTarget.checked)}
          />
          Pin them
        </label>
        <span class="muted">or drop files and folders here</span>
        {progress !== undefined && (
          <progress class="progress" value={progress} aria-label="Upload">
            {Math.round(progress * 100)} %
          </progress>
        )}
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])]
            event.currentTarget.value = ''
            void upload(files.map((file) => ({ path: file.name, file })))
          }}
        />
      </div>
      {children}
    </section>
  )
}

/** Collects dropped files, including those in directories. */
async function collect(transfer: DataTransfer | null): Promise<Upload[]> {
  // Takes all entries synchronously: the list is emptied after the event.
  const entries = [...(transfer?.items ?? [])]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null)
  if (entries.length === 0) return [...(transfer?.files ?? [])].map((file) => ({ path: file.name, file }))
  const uploads: Upload[] = []
  for (const entry of entries) await collectEntry(entry, '', uploads)
  return uploads
}

async function collectEntry(entry: FileSystemEntry, parent: string, uploads: Upload[]): Promise<void> {
  const path = `${parent}${entry.name}`
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    )
    uploads.push({ path, file })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  // A reader returns up to a hundred entries at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return
    for (const inner of some) await collectEntry(inner, `${path}/`, uploads)
  }
}
