import { readdir } from 'node:fs/promises';

/** `node bench/main.ts <name> [arguments]` runs `bench/<name>/run.ts`, whose `run` takes the arguments. */
const [name = '', ...args] = process.argv.slice(2);
const folders = await readdir(import.meta.dirname, { withFileTypes: true });
const names = folders
  .filter((entry) => entry.isDirectory() && !['lib', 'node_modules'].includes(entry.name))
  .map((entry) => entry.name);
if (!names.includes(name)) {
  process.stderr.write(`Which one? ${names.join(', ')}\n`);
  process.exit(1);
}
const { run }: { run: (args: string[]) => Promise<void> } = await import(`./${name}/run.ts`);
await run(args);
process.exit(0);
