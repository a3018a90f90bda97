import { parseArgs } from 'node:util';
import { deployTwoOfEverything, runTrial } from '@switchboard/e2e/upgrade';

/** The long form of the trial of two of everything: see docs/upgrades.md. Fails when anything failed or is missing. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '2' },
      'at-once': { type: 'string', default: '1' },
      intensity: { type: 'string', default: '1' },
    },
  });
  const deployment = await deployTwoOfEverything();
  if (deployment === undefined)
    throw new Error('Kafka, Redis or S3 is missing: run deploy/backings/install.sh.');
  try {
    const trial = await runTrial(deployment, {
      rounds: Number(values.rounds),
      atOnce: Number(values['at-once']),
      intensity: Number(values.intensity),
      say: (line) => console.log(line),
    });
    console.log(JSON.stringify(trial, undefined, 2));
    const problems = Object.entries(trial).filter(
      ([name, found]) =>
        (/^(failures|lost|doubled|unheard|unarchived|archivedTwice)/.test(name) &&
          Array.isArray(found) &&
          found.length > 0) ||
        (name === 'exitCodes' && Array.isArray(found) && found.some((code) => code !== 0)),
    );
    if (problems.length > 0)
      throw new Error(`Not as promised: ${problems.map(([name]) => name).join(', ')}.`);
  } finally {
    await deployment.stop();
  }
}
