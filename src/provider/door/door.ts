import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../caller.js'
import type { ApiKey } from '../keys/apiKey.js'
import type { KeyStore } from '../keys/keyStore.js'
import { admitFileRequest } from './fileDoor.js'
import { isOwnOrigin } from './origin.js'
import type { Refusal } from './refusal.js'
import { admitRpcRequest } from './rpcDoor.js'

/** Who gets in and what exists; the modes are described in the guide of the provider. */
export type Mode = 'open' | 'guarded' | 'strict'

/** What the door goes by. */
export interface DoorSettings {
  mode: Mode
  keys: KeyStore
  /** Origins of web pages that are let in like loopback ones; `*` is all. */
  allowedOrigins: readonly string[]
  /** Whether the file network wants no credentials in guarded mode. */
  filesWithoutCredentials: boolean
  /** Whether a key's secret overrides its allowlists. */
  secretOverridesAllowlists: (key: ApiKey) => boolean
  /** Told of each request that is refused. */
  onRefusal?: ((refused: RefusedRequest) => void) | undefined
}

/** The part of a JSON-RPC request, or of a WebSocket upgrade, that the door judges. */
export interface RpcEntry {
  transport: 'http' | 'upgrade'
  network: string
  /** The path's segment behind `v3`. */
  key: string | undefined
  /** Whether the path goes on behind the key, if only by a slash. */
  trailing: boolean
  /** Whether the path is the controls' own. */
  control: boolean
  headers: IncomingHttpHeaders
}

/** The part of a request to the file network that the door judges. */
export interface FileEntry {
  /** `pin/add`. */
  operation: string
  headers: IncomingHttpHeaders
}

/** A request that the door refused. */
export interface RefusedRequest {
  transport: 'http' | 'upgrade' | 'files'
  network: string | undefined
  /** As it was given, known or not. */
  key: string | undefined
  operation?: string
  refusal: Refusal
}

/** What the door says: come in, as whom; or the answer that goes out instead. */
export type Admission<Who> = { caller: Who; refusal?: undefined } | { refusal: Refusal }

/** Who uses the file network. */
export interface FileCaller {
  /** Undefined where no credentials are needed. */
  key: ApiKey | undefined
}

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
    }
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
