import { applyManifest, diffManifest } from '../manifest/apply.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { type Command, commonHelp, exitCodes } from './command.ts';
import { describeOutcomes, outcomesAsJson } from './outcomes.ts';
import { openClient, progressOn, readArguments } from './session.ts';
import { type Terminal, UsageError } from './terminal.ts';

async function manifestAt(positionals: string[], { read }: Terminal) {
  const [path, ...rest] = positionals;
  if (path === undefined || rest.length > 0)
    throw new UsageError('give one manifest, or - for standard input');
  return parseManifest(await read(path));
}

export const apply: Command = {
  summary: 'make what a manifest describes exist',
  help: `switchboard apply <manifest.yaml | -> [options]

Creates what is not there and changes what differs, in the order in which things need each other. What is as
described already is not written, so applying again changes nothing; what the manifest does not name is left
alone. Ended by an error it has done a part: apply again.

  --dry-run        say what would change and change nothing
${commonHelp}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { 'dry-run': { type: 'boolean' } });
    const manifest = await manifestAt(positionals, terminal);
    const client = openClient(values, terminal);
    const progress = progressOn(terminal);
    const dryRun = values['dry-run'] ?? false;
    const outcomes = await applyManifest(manifest, { client, dryRun, onOutcome: progress.show }).finally(
      progress.end,
    );
    terminal.out(
      values.json ? outcomesAsJson(outcomes) : describeOutcomes(outcomes, dryRun ? 'would' : 'done'),
    );
    return exitCodes.done;
  },
};

export const diff: Command = {
  summary: 'say where a deployment differs from a manifest',
  help: `switchboard diff <manifest.yaml | -> [options]

Changes nothing. + is not there, ~ differs, with the paths of what differs: what is there -> what is wanted.
What is there and not in the manifest is no difference. Exit code 0: nothing differs; 3: something does.

${commonHelp}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    const manifest = await manifestAt(positionals, terminal);
    const client = openClient(values, terminal);
    const progress = progressOn(terminal);
    const outcomes = await diffManifest(manifest, { client, onOutcome: progress.show }).finally(progress.end);
    terminal.out(values.json ? outcomesAsJson(outcomes) : describeOutcomes(outcomes, 'would'));
    return outcomes.every(({ change }) => change === 'unchanged') ? exitCodes.done : exitCodes.different;
  },
};
