export { createFileNetwork } from './fileNetwork.js'
export type { FileNetwork, FileNetworkOptions } from './fileNetwork.js'
export type { CommandRequest } from './request/execute.js'
export type { CommandReply } from './request/reply.js'
