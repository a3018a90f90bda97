import { buildInto } from './vite.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node src/build/main.ts <folder>');
await buildInto(folder);
