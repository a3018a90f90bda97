export const HELP = `npx pnpm@12 start: runs all of Switchboard in one process, with demo data

Set in the environment:
  PORT               first of five ports: API, events, replay, management, console (default: 4000; 0 picks free ones)
  SWITCHBOARD_HOME   folder for data, keys and mails (default: .switchboard)
  HOST               address to listen on (default: 127.0.0.1)

A second instance beside the first needs its own ports and folder:
  PORT=0 SWITCHBOARD_HOME=.switchboard-2 npx pnpm@12 start

Further settings are those of the services: docs/reference/settings.md
`;
