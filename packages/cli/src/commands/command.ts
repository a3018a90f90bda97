import type { Terminal } from './terminal.ts';

/** How a command ends. */
export const exitCodes = { done: 0, failed: 1, usage: 2, different: 3 } as const;

export interface Command {
  /** A line for the list of commands. */
  summary: string;
  /** The whole help. */
  help: string;
  /** Answers the exit code. Throws UsageError, ManifestError, PriceListError and ManagementError. */
  run(args: string[], terminal: Terminal): Promise<number>;
}

/** Options that every command has, for its help. */
export const commonHelp = `  --url <address>  the management API; SWITCHBOARD_URL when not given
  --wait <s>       how long a service that is away is waited for, seconds (15)
  --json           a JSON answer
  -h, --help       this`;
