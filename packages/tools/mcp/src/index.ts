export { serveStdio } from '@modelcontextprotocol/server/stdio';
export { respond } from './http.ts';
export { type Call, createServer } from './server.ts';
export { toolsOf } from './tools.ts';
