import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../caller.js'
import type { KeyStore } from '../keys/keyStore.js'
import type { Refusal } from './refusal.js'
import { admitFileRequest } from './fileDoor.js'
import { isOwnOrigin } from './origin.js'
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
}

/** The part of a JSON-RPC request, or of a WebSocket upgrade, that the door judges. */
export interface RpcEntry {
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

/** What the door says: come in, as whom; or the answer that goes out instead. */
export type Admission<Who> = { caller: Who; refusal?: undefined } | { refusal: Refusal }

/** Judges whole requests: keys, secrets, origins, user agents. */
export class Door {
  readonly settings: DoorSettings

  constructor(settings: DoorSettings) {
    this.settings = settings
  }

  admitRpc(entry: RpcEntry): Admission<Caller> | Promise<Admission<Caller>> {
    return admitRpcRequest(this.settings, entry)
  }

  admitFiles(entry: FileEntry): Admission<FileCaller> {
    return admitFileRequest(this.settings, entry)
  }

  /** Whether a web page of this origin may use the controls and, without a key, the file network. */
  isOwnOrigin(origin: string): boolean {
    return isOwnOrigin(this.settings.allowedOrigins, origin)
  }
}

/** Who uses the file network. */
export interface FileCaller {
  /** Undefined where no credentials are needed. */
  key: string | undefined
}
