export { SwitchboardProvider } from './provider.ts';
