import type { Terminal } from './terminal.ts';

/** Exit codes of the command. */
export const EXIT_CODES = { done: 0, failed: 1, usage: 2, different: 3 } as const;

export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** Full help text. */
  help: string;
  /** Returns the exit code. Throws UsageError, ManifestError, PriceListError and ManagementError. */
  run(args: string[], terminal: Terminal): Promise<number>;
}

/** The options that every command accepts, for its help. */
export const COMMON_HELP = `  --url <address>  address of the management API (default: SWITCHBOARD_URL)
  --wait <s>       seconds to retry while a service is unavailable (default: 15)
  --json           print JSON
  -h, --help       print this help`;
