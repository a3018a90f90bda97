import { buildInto } from './vite.ts';

const [folder] = process.argv.slice(2);
await buildInto(folder);
