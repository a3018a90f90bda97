import { startPostgres } from './index.ts';

// A process of its own for the tests: starts on the folder and stays.
const [directory = '', database = ''] = process.argv.slice(2);
const server = await startPostgres({ directory, databases: [database] });
process.stdout.write(`${server.url(database)}\n`);
