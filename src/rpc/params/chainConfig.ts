import { address, boolean } from './bytes.js'
import { type Decoder, KindMismatchError, ReasonError, decodingItself, struct } from './combinators.js'
import { int } from './numbers.js'
import { shownValue } from './shownValue.js'

/** An integer without bounds, as geth decodes it with math/big. */
const bigInt = decodingItself<bigint>({
  schema: { type: 'integer' },
  decode(value) {
    if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
    throw new ReasonError(`math/big: cannot unmarshal ${JSON.stringify(shownValue(value))} into a *big.Int`)
  },
})

/** Seconds since 1970, as a JSON number. */
const time: Decoder<number> = {
  schema: { type: 'integer', minimum: 0 },
  decode(value) {
    if (typeof value !== 'number') throw KindMismatchError.of(value, 'uint64')
    const isUint64 = Number.isInteger(value) && value >= 0 && value < 2 ** 64
    if (!isUint64) throw new KindMismatchError(`number ${value}`, 'uint64')
    return value
  },
}

function every<T>(names: readonly string[], decoder: Decoder<T>): Record<string, Decoder<T>> {
  return Object.fromEntries(names.map((name) => [name, decoder]))
}

const blobConfig = struct(
  { struct: 'BlobConfig', type: 'params.BlobConfig' },
  { target: int, max: int, baseFeeUpdateFraction: time },
)

/** Fork rules (geth: params/config.go, ChainConfig). */
export const chainConfig = struct(
  { struct: 'ChainConfig', type: 'params.ChainConfig' },
  {
    ...every(
      [
        'chainId',
        'homesteadBlock',
        'daoForkBlock',
        'eip150Block',
        'eip155Block',
        'eip158Block',
        'byzantiumBlock',
        'constantinopleBlock',
        'petersburgBlock',
        'istanbulBlock',
        'muirGlacierBlock',
        'berlinBlock',
        'londonBlock',
        'arrowGlacierBlock',
        'grayGlacierBlock',
        'mergeNetsplitBlock',
        'terminalTotalDifficulty',
      ],
      bigInt,
    ),
    ...every(
      ['shanghaiTime', 'cancunTime', 'pragueTime', 'osakaTime', 'amsterdamTime', 'bogotaTime', 'ubtTime'],
      time,
    ),
    ...every(['bpo1Time', 'bpo2Time', 'bpo3Time', 'bpo4Time', 'bpo5Time'], time),
    daoForkSupport: boolean,
    enableUBTAtGenesis: boolean,
    depositContractAddress: { ...address, decodesNull: true },
    ethash: struct({ struct: 'EthashConfig', type: 'params.EthashConfig' }, {}),
    clique: struct({ struct: 'CliqueConfig', type: 'params.CliqueConfig' }, { period: time, epoch: time }),
    blobSchedule: struct(
      { struct: 'BlobScheduleConfig', type: 'params.BlobScheduleConfig' },
      every(['cancun', 'prague', 'bpo1', 'bpo2', 'bpo3', 'bpo4', 'bpo5'], blobConfig),
    ),
  },
)
