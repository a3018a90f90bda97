#!/usr/bin/env node
import { runSwitchboard } from './commands/run.ts';
import { processTerminal } from './terminal/terminal.ts';

process.exitCode = await runSwitchboard(process.argv.slice(2), processTerminal());
