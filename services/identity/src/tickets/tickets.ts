import { type Clock, hashToken, newToken } from '@switchboard/runtime';
import type { z } from 'zod';
import type { TicketsStore } from './store.ts';

/** A kind of secret that works once. */
export interface TicketKind<S extends z.ZodType> {
  name: string;
  minutes: number;
  data: S;
}

/** A ticket that was presented. */
export interface Ticket<D> {
  accountId: string | null;
  data: D;
}

export interface Tickets {
  /** Creates a ticket and returns its secret. */
  issue<S extends z.ZodType>(
    kind: TicketKind<S>,
    ticket: { accountId?: string; data: z.input<S> },
  ): Promise<string>;
  /** Returns the id of a ticket, which is not its secret. */
  idOf(secret: string): string;
  /** Returns the ticket of a secret without using it. */
  look<S extends z.ZodType>(kind: TicketKind<S>, secret: string): Promise<Ticket<z.output<S>> | undefined>;
  /** Uses up the ticket of a secret and returns it. */
  take<S extends z.ZodType>(kind: TicketKind<S>, secret: string): Promise<Ticket<z.output<S>> | undefined>;
  /** Returns the valid tickets of a kind that an account has. Their ids are not their secrets. */
  list<S extends z.ZodType>(
    kind: TicketKind<S>,
    accountId: string,
  ): Promise<{ id: string; data: z.output<S> }[]>;
  /** Returns the valid invitations to a company. */
  listInvitations<S extends z.ZodType>(
    kind: TicketKind<S>,
    companyId: string,
  ): Promise<{ id: string; data: z.output<S> }[]>;
  /** Returns a valid ticket by its id. */
  lookById<S extends z.ZodType>(kind: TicketKind<S>, id: string): Promise<Ticket<z.output<S>> | undefined>;
  /** Invalidates a ticket by its id. Returns false if there is none. */
  removeById(kind: Pick<TicketKind<z.ZodType>, 'name'>, id: string): Promise<boolean>;
  /** Invalidates the tickets of a kind that an account has. */
  revoke(kind: Pick<TicketKind<z.ZodType>, 'name'>, accountId: string): Promise<void>;
}

export function createTickets({ store, clock }: { store: TicketsStore; clock: Clock }): Tickets {
  const parse = <S extends z.ZodType>(
    { data: schema }: TicketKind<S>,
    row: { accountId: string | null; data: unknown } | undefined,
  ) => row && { accountId: row.accountId, data: schema.parse(row.data) };

  return {
    async issue({ name, minutes }, { accountId, data }) {
      const secret = newToken();
      const expiresAt = new Date(clock.now().getTime() + minutes * 60_000);
      await store.insert({
        hash: hashToken(secret),
        kind: name,
        accountId: accountId ?? null,
        data,
        expiresAt,
      });
      return secret;
    },
    idOf: hashToken,
    look: async (kind, secret) => parse(kind, await store.find(hashToken(secret), kind.name, clock.now())),
    take: async (kind, secret) => parse(kind, await store.take(hashToken(secret), kind.name, clock.now())),
    async list({ name, data: schema }, accountId) {
      const rows = await store.list(name, accountId, clock.now());
      return rows.map(({ hash, data }) => ({ id: hash, data: schema.parse(data) }));
    },
    async listInvitations({ data: schema }, companyId) {
      const rows = await store.listInvitations(companyId, clock.now());
      return rows.map(({ hash, data }) => ({ id: hash, data: schema.parse(data) }));
    },
    lookById: async (kind, id) => parse(kind, await store.find(id, kind.name, clock.now())),
    removeById: async ({ name }, id) => (await store.take(id, name, clock.now())) !== undefined,
    revoke: ({ name }, accountId) => store.removeAll(name, accountId),
  };
}
