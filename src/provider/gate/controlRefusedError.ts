import { RpcError } from '../../rpc/errors.js'

/** A web page of a foreign origin asked for a control (a choice of ours). */
export class ControlRefusedError extends RpcError {
  override readonly name = 'ControlRefusedError'
  constructor(method: string) {
    super(-32002, `${method} is closed to web pages of this origin (see --allow-origin)`)
  }
}
