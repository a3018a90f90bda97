import { parseArgs } from 'node:util';
import { deployInPairs, runRollingUpgrade } from '@switchboard/e2e/upgrade';

/** Runs the long form of the rolling upgrade test (docs/backup-and-upgrade.md). Throws if a request failed or data was lost. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '2' },
      'at-once': { type: 'string', default: '1' },
      intensity: { type: 'string', default: '1' },
    },
  });
  const deployment = await deployInPairs();
  if (deployment === undefined)
    throw new Error('Kafka, Redis or S3 is missing: run deploy/backings/install.sh.');
  try {
    const result = await runRollingUpgrade(deployment, {
      rounds: Number(values.rounds),
      atOnce: Number(values['at-once']),
      intensity: Number(values.intensity),
      log: (line) => console.log(line),
    });
    console.log(JSON.stringify(result, undefined, 2));
    const problems = Object.entries(result).filter(
      ([name, found]) =>
        (/^(failures|lost|duplicate|undelivered|unarchived|archivedTwice)/.test(name) &&
          Array.isArray(found) &&
          found.length > 0) ||
        (name === 'exitCodes' && Array.isArray(found) && found.some((code) => code !== 0)),
    );
    if (problems.length > 0)
      throw new Error(`Rolling upgrade failed: ${problems.map(([name]) => name).join(', ')}.`);
  } finally {
    await deployment.stop();
  }
}
