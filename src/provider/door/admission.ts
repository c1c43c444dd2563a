import type { ApiKey } from '../keys/apiKey.js'
import type { Refusal } from './refusal.js'
import type { IncomingHttpHeaders } from 'node:http'

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

/** What the door says: come in, as whom; or the answer that goes out instead. */
export type Admission<Who> = { caller: Who; refusal?: undefined } | { refusal: Refusal }

/** Who uses the file network. */
export interface FileCaller {
  /** Undefined where no credentials are needed. */
  key: ApiKey | undefined
  /** Whether the journal and the usage leave the request out. */
  unrecorded?: boolean
}
