import { readFileSync } from 'node:fs';

/** Returns the code that a package's README tells readers to paste. */
export function readme(folder: string): string {
  const text = readFileSync(new URL(`../../../packages/sdk/${folder}/README.md`, import.meta.url), 'utf8');
  const [, code] = /```jsx?\n([\s\S]*?)```/.exec(text) ?? [];
  if (code === undefined) throw new Error(`the README of ${folder} has no code`);
  return code;
}
