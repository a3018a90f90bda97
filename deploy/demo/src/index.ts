export { DemoError, type PreparedDemo, prepareDemo } from './demo.ts';
export { readIfThere, writeWhole } from './files.ts';
export { openIssuer } from './issuer.ts';
export { createConsole, mountIssuer } from './stand-ins.ts';
