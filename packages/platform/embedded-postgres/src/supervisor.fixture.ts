import { startPostgres } from './index.ts';

// A separate process for the tests: starts PostgreSQL on the folder and keeps running.
const [directory = '', database = ''] = process.argv.slice(2);
const server = await startPostgres({ directory, databases: [database] });
process.stdout.write(`${server.url(database)}\n`);
