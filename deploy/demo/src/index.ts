export { createConsole } from './console-page.ts';
export { DemoError, demoPeople, type PreparedDemo, prepareDemo } from './demo.ts';
export { mountIssuer } from './dev-servers.ts';
export { demoFile, readIfExists, writeAtomically } from './files.ts';
export { openIssuer } from './issuer.ts';
export { allowedHosts, isForeignPage, localAccess } from './local-access.ts';
