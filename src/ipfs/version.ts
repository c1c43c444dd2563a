/** The Kubo release whose answers are reproduced. */
export const kuboVersion = '0.42.0'

/** The repository version that this Kubo release reports. */
export const repoVersion = '18'

/** The node's agent version. */
export const agentVersion = `kubo/${kuboVersion}/standin`
