import { openClient } from '../login/session.ts';
import { progressOn } from '../manifest/outcomes.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { FORMATS } from './formats.ts';
import { importFlags } from './import-flags.ts';
import { describeReport, reportAsJson } from './report.ts';

const products = Object.keys(FORMATS).join(', ');

export const importFlagsCommand: Command = {
  summary: 'import flags of another product',
  help: `switchboard import flags <product> <file | address | -> --project <projectId> [options]

Imports the flags of an export of ${products}, with segments as cohorts. Importing again changes nothing, and resumes
after an error. Prints the flags that Switchboard cannot express, and why; they are not imported.

  --project <id>     the project
  --environment <e>  the environment to import, if the file has several
  --segments <file>  the segments, if they are in another file
  --overwrite        replace flags and cohorts that exist and differ
  --dry-run          print the changes without making them
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      project: { type: 'string' },
      environment: { type: 'string' },
      segments: { type: 'string' },
      overwrite: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    });
    const [, product = '', place, ...rest] = positionals;
    const { project: projectId, environment, overwrite = false, 'dry-run': dryRun = false } = values;
    const convert = Object.hasOwn(FORMATS, product) ? FORMATS[product] : undefined;
    if (convert === undefined || place === undefined || projectId === undefined || rest.length > 0)
      throw new UsageError(
        `usage: switchboard import flags <product> <file | address | -> --project <projectId>; products: ${products}`,
      );
    const client = openClient(values, terminal);
    const segments =
      values.segments === undefined
        ? undefined
        : { source: await terminal.read(values.segments), place: values.segments };
    const conversion = convert({ source: await terminal.read(place), place, environment, segments });
    const progress = progressOn(terminal);
    const imported = await importFlags(conversion, {
      client,
      projectId,
      overwrite,
      dryRun,
      onOutcome: progress.show,
    }).finally(progress.end);
    const report = { ...imported, warnings: conversion.warnings, leftOut: conversion.leftOut };
    terminal.out(values.json ? reportAsJson(report) : describeReport(report, dryRun ? 'would' : 'done'));
    return EXIT_CODES.done;
  },
};
