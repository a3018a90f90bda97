import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

interface ScriptOptions {
  /** The folder that its imports are resolved from. */
  cwd: string;
  /** The flags of Node.js. */
  flags?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

/** Runs a module in a separate process. Returns its output. */
export async function outputOf(script: string, { cwd, flags = [], env }: ScriptOptions): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--input-type=module', '--eval', script],
    { cwd, ...(env && { env }) },
  );
  return stdout;
}
