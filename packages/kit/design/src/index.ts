export { favicon, logo } from './logo.ts';
export { ACCENT, colours, scale, series, tokens } from './tokens.ts';
