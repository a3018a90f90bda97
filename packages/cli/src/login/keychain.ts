import { spawnSync } from 'node:child_process';

/** The operating system's keychain, through the command that it comes with. */
export interface Keychain {
  /** As people know it. */
  name: string;
  /** False when it cannot be used, such as on a machine without a desktop session. */
  store(secret: string): boolean;
  read(): string | undefined;
  remove(): void;
}

const ATTRIBUTES = ['service', 'switchboard', 'account', 'management'];
const ITEM = '-s switchboard -a management';
/** A keychain that is locked asks its owner first. */
const TIMEOUT_MS = 60_000;

/** Secrets go through standard input: arguments of a process are visible to everyone on the machine. */
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
    // In this mode `security` succeeds whatever its commands do.
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

/** The keychain of this system; undefined where there is none that a command opens. */
export function systemKeychain(platform: NodeJS.Platform = process.platform): Keychain | undefined {
  return platform === 'darwin' ? macOs : platform === 'linux' ? secretService : undefined;
}
