import {
  type Annotation,
  changeAnnotation,
  createAnnotation,
  deleteAnnotation,
  listAnnotations,
} from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { TypedResponse } from 'hono';
import type { Annotations } from './annotations.ts';

export function annotationsRoutes(app: ServiceApp, { annotations }: { annotations: Annotations }): void {
  app.implement(listAnnotations, async (c) => respondInPages(annotations.list(c.var, c.req.valid('query'))));
  app.implement(createAnnotation, async (c, { change }) =>
    c.json(await annotations.add(change, c.var, c.req.valid('json')), 201),
  );
  app.implement(changeAnnotation, async (c, { change }) => {
    const { annotationId } = c.req.valid('param');
    return c.json(await annotations.change(change, c.var, annotationId, c.req.valid('json')), 200);
  });
  app.implement(deleteAnnotation, async (c, { change }) => {
    await annotations.remove(change, c.var, c.req.valid('param').annotationId);
    return c.body(null, 204);
  });
}

type Pages = AsyncGenerator<Annotation[], void>;
type Listed = Response & TypedResponse<{ annotations: Annotation[] }, 200, 'json'>;

/** Streams a list of several pages, because a project may have more annotations than fit into memory. */
async function respondInPages(pages: Pages): Promise<Listed>;
async function respondInPages(pages: Pages): Promise<Response> {
  const first = pageOf(await pages.next());
  const second = pageOf(await pages.next());
  const head = `{"annotations":[${listed(first)}`;
  async function* text() {
    yield head;
    yield `,${listed(second)}`;
    for await (const page of pages) if (page.length > 0) yield `,${listed(page)}`;
    yield ']}';
  }
  const body =
    second.length === 0 ? `${head}]}` : ReadableStream.from(text()).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
}

const pageOf = ({ done, value }: IteratorResult<Annotation[], void>): Annotation[] => (done ? [] : value);

const listed = (page: readonly Annotation[]): string => JSON.stringify(page).slice(1, -1);
