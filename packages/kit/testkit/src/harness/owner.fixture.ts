import { fileURLToPath } from 'node:url';
import { spawnProgram } from './program.ts';

// A process that starts a program and prints its URL, for a test that kills this process.
const scratch = process.env['SCRATCH'];
const program = await spawnProgram({
  command: ['node', fileURLToPath(new URL('./program.fixture.ts', import.meta.url))],
  ready: '/ready',
  ...(scratch === undefined ? {} : { scratch }),
});
console.log(JSON.stringify({ pid: program.pid }));
