import type { Caller } from '../caller.js'
import { admitFileRequest } from './fileDoor.js'
import { isOwnOrigin } from './origin.js'
import { admitRpcRequest } from './rpcDoor.js'
import type { DoorSettings } from './settings.js'
import type { Admission, FileCaller, FileEntry, RpcEntry } from './admission.js'

/** Judges whole requests: keys, secrets, tokens, origins, user agents. */
export class Door {
  readonly settings: DoorSettings

  constructor(settings: DoorSettings) {
    this.settings = settings
  }

  admitRpc(entry: RpcEntry): Admission<Caller> | Promise<Admission<Caller>> {
    const admission = admitRpcRequest(this.settings, entry)
    if (admission instanceof Promise) return admission.then((settled) => this.#told(entry, settled))
    return admission.refusal === undefined ? admission : this.#told(entry, admission)
  }

  admitFiles(entry: FileEntry): Admission<FileCaller> {
    const admission = admitFileRequest(this.settings, entry)
    if (admission.refusal !== undefined) {
      const { operation } = entry
      const { refusal } = admission
      this.settings.onRefusal?.({
        transport: 'files',
        network: undefined,
        key: undefined,
        operation,
        refusal,
      })
    } else admission.caller.unrecorded = entry.headers['standin-journal'] === 'off'
    return admission
  }

  /** Whether a web page of this origin may use the controls and, without a key, the file network. */
  isOwnOrigin(origin: string): boolean {
    return isOwnOrigin(this.settings.allowedOrigins, origin)
  }

  #told(entry: RpcEntry, admission: Admission<Caller>): Admission<Caller> {
    if (admission.refusal !== undefined) {
      const { transport, network, key } = entry
      this.settings.onRefusal?.({ transport, network, key, refusal: admission.refusal })
    }
    return admission
  }
}
