import { readFile } from 'node:fs/promises';
import { runSwitchboard } from '../commands/run.ts';

/** Runs the command in this process with only this environment. Returns its exit code and both outputs. */
export async function runInProcess(
  args: string[],
  env: Record<string, string>,
  read: (place: string) => Promise<string> = (path) => readFile(path, 'utf8'),
  onErr: (text: string) => void = () => undefined,
) {
  let [out, err] = ['', ''];
  const code = await runSwitchboard(args, {
    env,
    isInteractive: false,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
      onErr(text);
    },
    read,
    secret: () => read('-'),
  });
  return { code, out, err };
}
