import { openClient } from '../login/session.ts';
import { applyManifest, diffManifest } from '../manifest/apply.ts';
import { parseManifest } from '../manifest/manifest.ts';
import { describeOutcomes, outcomesAsJson, progressOn } from '../manifest/outcomes.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { type Terminal, UsageError } from '../terminal/terminal.ts';

async function manifestAt(positionals: string[], { read }: Terminal) {
  const [path, ...rest] = positionals;
  if (path === undefined || rest.length > 0)
    throw new UsageError('give one manifest file, or - for standard input');
  return parseManifest(await read(path), path);
}

export const apply: Command = {
  summary: 'create and update the resources of a manifest',
  help: `switchboard apply <manifest.yaml | -> [options]

Creates missing resources and updates those that differ, in dependency order. Applying again changes nothing.
Resources that the manifest does not name are left alone. After an error, apply again to resume.

  --dry-run        print the changes without making them
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { 'dry-run': { type: 'boolean' } });
    const manifest = await manifestAt(positionals, terminal);
    const client = openClient(values, terminal);
    const progress = progressOn(terminal);
    const dryRun = values['dry-run'] ?? false;
    const outcomes = await applyManifest(manifest, {
      client,
      dryRun,
      variable: (name) => terminal.env[name],
      onOutcome: progress.show,
    }).finally(progress.end);
    terminal.out(
      values.json ? outcomesAsJson(outcomes) : describeOutcomes(outcomes, dryRun ? 'would' : 'done'),
    );
    return EXIT_CODES.done;
  },
};

export const diff: Command = {
  summary: 'compare a deployment with a manifest',
  help: `switchboard diff <manifest.yaml | -> [options]

Changes nothing. + marks a missing resource, ~ one that differs, with each path: current -> wanted.
Resources that the manifest does not name are ignored. Exit code 0: no difference; 3: differences.

${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    const manifest = await manifestAt(positionals, terminal);
    const client = openClient(values, terminal);
    const progress = progressOn(terminal);
    const outcomes = await diffManifest(manifest, { client, onOutcome: progress.show }).finally(progress.end);
    terminal.out(values.json ? outcomesAsJson(outcomes) : describeOutcomes(outcomes, 'would'));
    return outcomes.every(({ change }) => change === 'unchanged') ? EXIT_CODES.done : EXIT_CODES.different;
  },
};
