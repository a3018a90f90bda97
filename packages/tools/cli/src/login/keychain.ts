import { spawnSync } from 'node:child_process';

/** The operating system's keychain, accessed through its command-line tool. */
export interface Keychain {
  /** The name shown to users. */
  name: string;
  /** Returns false if the keychain cannot be used, such as on a machine without a desktop session. */
  store(secret: string): boolean;
  read(): string | undefined;
  remove(): void;
}

const ATTRIBUTES = ['service', 'switchboard', 'account', 'management'];
const ITEM = '-s switchboard -a management';
/** A locked keychain prompts its owner first. */
const TIMEOUT_MS = 60_000;

/**
 * Runs a command. Secrets go through standard input, because every user of the machine can see process
 * arguments.
 */
function run(command: string, args: string[], input = ''): string | undefined {
  const { status, stdout } = spawnSync(command, args, {
    input,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout : undefined;
}

const macOs: Keychain = {
  name: 'the macOS keychain',
  store(secret) {
    run('security', ['-i'], `add-generic-password -U ${ITEM} -w ${secret}\n`);
    // In this mode `security` always exits with success.
    return macOs.read() === secret;
  },
  read: () => run('security', ['find-generic-password', ...ITEM.split(' '), '-w'])?.trim() || undefined,
  remove: () => void run('security', ['delete-generic-password', ...ITEM.split(' ')]),
};

const secretService: Keychain = {
  name: 'the Secret Service keyring',
  store: (secret) =>
    run('secret-tool', ['store', '--label=Switchboard', ...ATTRIBUTES], secret) !== undefined,
  read: () => run('secret-tool', ['lookup', ...ATTRIBUTES])?.trim() || undefined,
  remove: () => void run('secret-tool', ['clear', ...ATTRIBUTES]),
};

/** Returns the keychain of this system, or undefined if none exists that a command can open. */
export function systemKeychain(platform: NodeJS.Platform = process.platform): Keychain | undefined {
  return platform === 'darwin' ? macOs : platform === 'linux' ? secretService : undefined;
}
