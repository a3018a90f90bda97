import { parseArgs } from 'node:util';
import { keepHistory } from '../lib/history.ts';
import { OPTIONS, selected } from '../lib/options.ts';
import { DIMENSIONS, measureGrowth, ratioOf } from './growth/growth.ts';
import { FACTORS } from './growth/path.ts';
import { measureShares } from './model/shares.ts';

const THE_MODEL = 'model';

/**
 * Applies the load of the model to all services while they hold shares of its data, and measures each hot path at 1,
 * 10, 100 and 1,000 times the data.
 */
export async function run(args: string[]): Promise<void> {
  const { only, record, check } = OPTIONS;
  const { values } = parseArgs({
    args,
    options: {
      ...{ only, record, check },
      /** Shares of the model, such as `0.01,0.1,1`. */
      share: { type: 'string', default: '0.01' },
      /** The duration of each peak of the model. 0 only fills the data and measures nothing. */
      seconds: { type: 'string', default: '30' },
      /** A folder that keeps the data of the model and the measurements for further runs. */
      keep: { type: 'string' },
      /** The number of sizes of a path, from the smallest. */
      steps: { type: 'string', default: String(FACTORS.length) },
      /** The folder for pictures: scale.svg of the model, and growth.svg and insights-growth.svg of the paths. */
      pictures: { type: 'string' },
    },
  });
  const names = selected([THE_MODEL, ...Object.keys(DIMENSIONS)], values.only, (name) => name);
  const { keep, pictures } = values;
  if (names.includes(THE_MODEL)) {
    const shares = values.share.split(',').map(Number);
    await measureShares(shares, { seconds: Number(values.seconds), keep, pictures });
  }
  const paths = names.filter((name) => name !== THE_MODEL);
  if (paths.length === 0) return;
  const series = await measureGrowth(paths, { steps: Number(values.steps), pictures });
  await keepHistory('scale', series.map(ratioOf), values);
}
