import { createInvitation, deleteInvitation, isGrantedByRole, listInvitations } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Limits } from '../limits/limits.ts';
import { withLanguageOf } from '../pages/texts/languages.ts';
import type { Invitations } from './invitations.ts';

interface Deps {
  invitations: Invitations;
  limits: Pick<Limits, 'mail'>;
}

export function invitationOperations(app: ServiceApp, { invitations, limits }: Deps): void {
  app.implement(createInvitation, async (c, { change }) => {
    const { companyId } = c.req.valid('param');
    const { email, role } = c.req.valid('json');
    const { sub, name = sub } = c.var.person;
    if (isGrantedByRole(role, 'members.write')) await c.var.authority.require('admins.write', companyId);
    await limits.mail(c.env.address, `${sub} ${email}`);
    change.describe({ after: { role } });
    const id = await withLanguageOf(c.req.header('accept-language'), () =>
      change.transaction((tx) => invitations.sendWith(tx, { id: sub, name }, { email, companyId, role })),
    );
    return c.json({ id, email, role }, 201);
  });
  app.implement(listInvitations, async (c) => {
    const open = await invitations.listOf(c.req.valid('param').companyId);
    return c.json({ invitations: open.map(({ id, email, role }) => ({ id, email, role })) }, 200);
  });
  app.implement(deleteInvitation, async (c, { change }) => {
    const { companyId, invitationId } = c.req.valid('param');
    const found = await invitations.findOf(companyId, invitationId);
    if (found === undefined) {
      await change.record();
      return c.body(null, 204);
    }
    if (isGrantedByRole(found.role, 'members.write'))
      await c.var.authority.require('admins.write', companyId);
    await change.transaction((tx) => invitations.removeWith(tx, invitationId));
    return c.body(null, 204);
  });
}
