import {
  changeAnnotation,
  createAnnotation,
  deleteAnnotation,
  listAnnotations,
} from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Annotations } from './annotations.ts';

export function annotationsRoutes(app: ServiceApp, { annotations }: { annotations: Annotations }): void {
  app.implement(listAnnotations, async (c) =>
    c.json({ annotations: await annotations.list(c.var, c.req.valid('query')) }, 200),
  );
  app.implement(createAnnotation, async (c) =>
    c.json(await annotations.add(c.var, c.req.valid('json')), 201),
  );
  app.implement(changeAnnotation, async (c) => {
    const { annotationId } = c.req.valid('param');
    return c.json(await annotations.change(c.var, annotationId, c.req.valid('json')), 200);
  });
  app.implement(deleteAnnotation, async (c) => {
    await annotations.remove(c.var, c.req.valid('param').annotationId);
    return c.body(null, 204);
  });
}
