import { flagTypes, readFlags } from '../generate/flag-types.ts';
import { readArguments } from '../terminal/arguments.ts';
import { type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';

const PACKAGE = '@switchboard/browser';

export const generate: Command = {
  summary: 'write the types of flags for an SDK',
  help: `switchboard generate types <manifest.yaml | snapshot.json | URL | -> [options]

Prints a TypeScript declaration file that types flags.get of an SDK: one property for each flag of a manifest or of a
snapshot (GET /v1/flags/snapshot). Needs no token.

  --package <name> the SDK (default: ${PACKAGE})
  --project <id>   only the flags of this project of the manifest
  -h, --help       print this help
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      package: { type: 'string' },
      project: { type: 'string' },
    });
    const [what, place, ...rest] = positionals;
    if (what !== 'types' || place === undefined || rest.length > 0) {
      throw new UsageError('usage: switchboard generate types <manifest.yaml | snapshot.json | URL | ->');
    }
    const flags = readFlags(await terminal.read(place), place, values.project);
    terminal.out(flagTypes(flags, values.package ?? PACKAGE));
    return EXIT_CODES.done;
  },
};
