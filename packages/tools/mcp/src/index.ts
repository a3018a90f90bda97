export { serveStdio } from '@modelcontextprotocol/server/stdio';
export { respond } from './http.ts';
export { type Call, createServer } from './server.ts';
export { type Tool, toolsOf } from './tools.ts';
