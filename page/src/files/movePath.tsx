import { changeFiles } from '../api/files.js'
import { ActionForm, Field } from '../parts/form.js'

/** Moves or renames an MFS file or directory; `onMoved` receives its new path. */
export function MovePath({ path, onMoved }: { path: string; onMoved: (path: string) => void }) {
  return (
    <ActionForm
      key={path}
      label="Move"
      submit="Move"
      done="Moved"
      run={async (field) => {
        await changeFiles('files/mv', { arg: [path, field('path')] })
        onMoved(field('path'))
      }}
    >
      <Field label="Path" name="path" value={path} required wide />
    </ActionForm>
  )
}
