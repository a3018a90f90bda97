import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a module in a separate process with the imports of this package. Returns its output. */
export async function outputOf(
  script: string,
  { flags = [], env }: { flags?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--input-type=module', '--eval', script],
    { cwd: import.meta.dirname, ...(env && { env }) },
  );
  return stdout;
}
