export { createBrowser, type TestBrowser } from './browser.ts';
export { startForeignProvider } from './foreign-provider.ts';
