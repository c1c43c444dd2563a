export { decodeConsoleLog } from './consoleLog.js'
export { Contracts } from './contracts.js'
export { describeFailure } from './contracts.js'
export { traceTrees } from './callTree.js'
