import type { Server, WebSocket } from 'ws'

/** A WebSocket that tells when its close frame is about to leave, since no answer may follow that one. */
export interface AnnouncingWebSocket extends WebSocket {
  /** Called before the close frame is written, whichever side closes. */
  beforeClose: (() => void) | undefined
}

type AnnouncingClass = typeof WebSocket & (new (...parameters: never) => AnnouncingWebSocket)

/** Turns upgraded sockets into WebSockets. */
export type WebSockets = Server<AnnouncingClass>

/** The library is loaded with the first upgrade. @param maxPayload - the longest message in bytes */
export async function openWebSockets(maxPayload: number): Promise<WebSockets> {
  const { WebSocketServer, WebSocket: PlainWebSocket } = await import('ws')
  class Announcing extends PlainWebSocket implements AnnouncingWebSocket {
    beforeClose: (() => void) | undefined

    override close(code?: number, reason?: string | Buffer): void {
      this.beforeClose?.()
      super.close(code, reason)
    }
  }
  const options = { noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload }
  return new WebSocketServer({ ...options, WebSocket: Announcing })
}
