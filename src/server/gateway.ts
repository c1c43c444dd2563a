import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FileSetup } from './fileExchange.js'
import { exchange } from './fileExchange.js'

/** Whether a request is for the gateway: by its path, or by a host name such as `<cid>.ipfs.localhost`. */
export function isForGateway(target: string, host = ''): boolean {
  return /^\/ip[fn]s(?:[/?]|$)/.test(target) || /^[^.]+\.ip[fn]s\./i.test(host)
}

/** Answers a request to the gateway, which is public in every mode: pages show what is there by its address. */
export async function answerGatewayRequest(
  setup: FileSetup,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '/', method = 'GET' } = request
  const question = url.indexOf('?')
  const path = question < 0 ? url : url.slice(0, question)
  const query = new URLSearchParams(question < 0 ? '' : url.slice(question))
  const admitted = { request, response, caller: { key: undefined }, operation: 'gateway', query }
  await exchange(setup, admitted, ({ headers, signal }) =>
    setup.files.gateway.handle({ method, path, query, headers, signal }),
  )
}
