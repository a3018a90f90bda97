export { favicon, logo } from './logo.ts';
export { ACCENT, colours, series, tokens } from './tokens.ts';
