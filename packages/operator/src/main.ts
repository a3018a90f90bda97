#!/usr/bin/env node
import { runSwitchboard } from './cli/run.ts';
import { processTerminal } from './cli/terminal.ts';

process.exitCode = await runSwitchboard(process.argv.slice(2), processTerminal());
