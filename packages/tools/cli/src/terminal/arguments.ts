import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { UsageError } from './terminal.ts';

const commonOptions = {
  url: { type: 'string' },
  wait: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

/** Reads a command's arguments. Throws UsageError. */
export function readArguments<const O extends ParseArgsOptionsConfig>(args: string[], options: O) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...commonOptions, ...options } });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}
