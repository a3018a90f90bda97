import { createBuckets } from '@switchboard/fairness';
import { MailRefused } from './receiving.ts';

export interface AdmissionLimits {
  /** Averages over two seconds. A millisecond of reading counts as `BYTES_PER_MS` bytes. */
  bytesPerSecondOfProject: number;
  bytesPerSecondOfSender: number;
}

/** A message that is being received. */
interface Admitted {
  /**
   * Counts bytes. Returns false if the message has to end: a project has used up its bytes, and another of its
   * messages began earlier.
   */
  charge(bytes: number): boolean;
  /** Counts the time that reading took. */
  chargeTime(ms: number): void;
  end(): void;
}

/** The cost of a message besides its bytes. */
const MESSAGE_BYTES = 10_000;
/** With 1 MB per second, a project gets a fifth of a core for reading. */
const BYTES_PER_MS = 5_000;
const MAX_KNOWN = 10_000;

/**
 * Limits the mail of a project and of a sender. Refuses a message before its content is sent, since receiving that is
 * most of the cost. Mail of all senders comes from the operator's mail server, so no limit holds for an IP address.
 */
export function createAdmission(
  { bytesPerSecondOfProject, bytesPerSecondOfSender }: AdmissionLimits,
  now?: () => number,
) {
  const projects = createBuckets(bytesPerSecondOfProject, now);
  const senders = createBuckets(bytesPerSecondOfSender, now);
  /** The messages of each project, in the order in which they began. */
  const receiving = new Map<string, Set<object>>();
  /** The projects of recipients, so that a refusal needs no query. */
  const known = new Map<string, string>();

  function requireProject(projectId: string): void {
    if (projects.wait(projectId) > 0) throw tooMuch('to this address');
  }

  return {
    /** Throws MailRefused while a sender has sent too much. Reports of mail servers have no sender. */
    requireSender(sender: string): void {
      if (sender !== '' && senders.wait(sender) > 0) throw tooMuch('from this sender');
    },

    /** Throws MailRefused while the project of a recipient gets too much. `find` returns what the address stands for. */
    async requireRecipient<T extends { projectId: string }>(
      address: string,
      find: (address: string) => Promise<T>,
    ): Promise<T> {
      const projectId = known.get(address);
      if (projectId !== undefined) requireProject(projectId);
      const target = await find(address);
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(address, target.projectId);
      requireProject(target.projectId);
      return target;
    },

    begin(sender: string, projectIds: readonly string[]): Admitted {
      const message = {};
      const together = [...new Set(projectIds)];
      for (const projectId of together)
        receiving.set(projectId, (receiving.get(projectId) ?? new Set()).add(message));
      const charge = (bytes: number) => {
        if (sender !== '') senders.take(sender, bytes);
        for (const projectId of together) projects.take(projectId, bytes);
        return together.every((projectId) => {
          const [first] = receiving.get(projectId) ?? [];
          return first === message || projects.wait(projectId) === 0;
        });
      };
      charge(MESSAGE_BYTES);
      return {
        charge,
        chargeTime: (ms) => void charge(ms * BYTES_PER_MS),
        end() {
          for (const projectId of together) {
            const left = receiving.get(projectId);
            left?.delete(message);
            if (left?.size === 0) receiving.delete(projectId);
          }
        },
      };
    },
  };
}

const tooMuch = (of: string) => new MailRefused(451, `4.7.1 Too much mail ${of}, try again later`);
