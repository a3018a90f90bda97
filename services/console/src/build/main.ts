import { buildInto } from './vite.ts';

// With another value, for example from the shell of a developer, React's development version is built, which is too large.
process.env['NODE_ENV'] = 'production';
const [folder] = process.argv.slice(2);
await buildInto(folder);
